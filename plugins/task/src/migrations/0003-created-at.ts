import type { Migration } from '@svc/plugin-sdk/sql';

/** The order of arrival, in which old tasks are deleted. */
export const createdAt: Migration = {
  name: '0003-created-at',
  async up({ query, ascending }) {
    await query.raw(`create index "idx-task-created_at" on task (${ascending('created_at')})`);
  },
};

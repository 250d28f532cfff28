import type { Migration } from '@svc/plugin-sdk/sql';

/** Index for what people ran, newest first: a few rows among the many that jobs make. */
export const manual: Migration = {
  name: '0006-manual',
  async up({ query, ascending }) {
    await query.raw(
      `create index "idx-task-manual" on task (${ascending('timestamp')}, id) where cron_source is null`,
    );
  },
};

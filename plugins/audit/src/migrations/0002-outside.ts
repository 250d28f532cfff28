import type { Migration } from '@svc/plugin-sdk/sql';

/** Column `outside` of `audit_chain`: 1 once the end of the chain stands in a file of its server, too. */
export const outside: Migration = {
  name: '0002-outside',
  async up({ query }) {
    await query.raw('alter table audit_chain add column outside integer not null default 0');
  },
};

import type { Migration } from '@svc/plugin-sdk/sql';

/** Column `sent` of `audit_chain`: the last row that the outlet has taken; -1: there was none yet. */
export const sent: Migration = {
  name: '0003-sent',
  async up({ query }) {
    await query.raw('alter table audit_chain add column sent bigint not null default -1');
  },
};

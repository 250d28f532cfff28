import type { Migration } from '@svc/plugin-sdk/sql';

/** Table `db_registry` (db.md §1.1). Names order by bytes on both databases. */
export const create: Migration = {
  name: '0001-create',
  async up({ query, types }) {
    await query.raw(`create table db_registry (
      id ${types.countedKey}, name ${types.bytewise} not null, db_connections integer default 0,
      max_lifetime_ms bigint, created_at bigint not null)`);
    await query.raw('create unique index "idx-db-registry-name-unique" on db_registry (name)');
  },
};

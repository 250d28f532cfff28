import type { Migration } from '@svc/plugin-sdk';

/** Table `db_registry` (db.md §1.1). Names order by bytes on both databases. */
export const create: Migration = {
  name: '0001-create',
  async up(trx, { dialect }) {
    const [id, name] =
      dialect === 'sqlite'
        ? ['integer primary key autoincrement', 'text']
        : ['bigserial primary key', 'text collate "C"'];
    await trx.raw(`create table db_registry (
      id ${id}, name ${name} not null, db_connections integer default 0,
      max_lifetime_ms bigint, created_at bigint not null)`);
    await trx.raw('create unique index "idx-db-registry-name-unique" on db_registry (name)');
  },
};

import type { Migration } from '@svc/plugin-sdk';

/** Table `kv` (kv.md §1.1). Names compare by bytes on both databases; a value is always valid JSON. */
export const create: Migration = {
  name: '0001-create',
  async up(trx, { dialect }) {
    const [id, text, value] =
      dialect === 'sqlite'
        ? ['integer primary key autoincrement', 'text', 'text not null check (json_valid(value))']
        : ['bigserial primary key', 'text collate "C"', 'jsonb not null'];
    await trx.raw(
      `create table kv (id ${id}, namespace ${text} not null, key ${text} not null, value ${value})`,
    );
    await trx.raw('create unique index "idx-kv-namespace-key-unique" on kv (namespace, key)');
    await trx.raw('create index "idx-kv-namespace" on kv (namespace)');
  },
};

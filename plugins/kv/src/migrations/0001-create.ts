import type { Migration } from '@svc/plugin-sdk/sql';

/** Table `kv` (kv.md §1.1). Names compare by bytes on both databases; a value is always valid JSON. */
export const create: Migration = {
  name: '0001-create',
  async up({ query, types: { countedKey, bytewise, checkedDocument } }) {
    await query.raw(
      `create table kv (id ${countedKey}, namespace ${bytewise} not null, key ${bytewise} not null, value ${checkedDocument('value')})`,
    );
    await query.raw('create unique index "idx-kv-namespace-key-unique" on kv (namespace, key)');
    await query.raw('create index "idx-kv-namespace" on kv (namespace)');
  },
};

import { type Database, guarded, type RawJson } from '@svc/plugin-sdk';
import { type ReadLimits, readArray } from './read-array.ts';

/** Keys that may hold a limit: from this text up to but without the next one. */
const LIMIT_KEYS = ["'database_limit_'", "'database_limit`'"] as const;
const LIMITS_MAX_BYTES = 64 * 2 ** 20;

export interface Reads {
  /** JSON text of the value, null when the key is missing; undefined when the namespace is. */
  value(namespace: string, key: string): Promise<string | null | undefined>;
  /** Every key in byte order; `[]` when the namespace does not exist. */
  keys(namespace: string, limits: ReadLimits): Promise<RawJson>;
  /** Every namespace in byte order. */
  namespaces(limits: ReadLimits): Promise<RawJson>;
  /** Those of these names that exist, in the given order. */
  existing(names: readonly string[], limits: ReadLimits): Promise<RawJson>;
  /** `[namespace, key, value]` of every key `database_limit_*`, as JSON. */
  limits(signal: AbortSignal): Promise<RawJson>;
}

/** Reads of table `kv`. */
export function openReads(db: Database): Reads {
  const sqlite = db.dialect === 'sqlite';
  const { jsonText: quoted } = db.forms;

  // Both subqueries: idx-kv-namespace-key-unique.
  const valueSql = `select
    (select cast(value as text) from kv where namespace = ? and key = ?) as value,
    exists (select 1 from kv where namespace = ?) as known`;
  const keysSql = `select ${quoted('key')} from kv where namespace = ? order by key`;

  // Steps from name to name over the index, so that the number of keys does not matter.
  const names = `with recursive names (name) as (
    select min(namespace) from kv
    union all
    select (select min(namespace) from kv where namespace > names.name) from names where name is not null)`;
  const namespacesSql = `${names} select ${quoted('name')} from names where name is not null order by name`;
  const given = sqlite
    ? 'select json_quote(i.value) from json_each(?) i'
    : `select to_json(i.value)::text from json_array_elements_text(cast(? as json)) with ordinality as i (value, place)`;
  const existingSql = `${given} where exists (select 1 from kv where namespace = i.value)${sqlite ? '' : ' order by i.place'}`;
  const entry = `concat('[', ${quoted('k.namespace')}, ',', ${quoted('k.key')}, ',', cast(k.value as text), ']')`;
  const limitsSql = `${names} select ${entry} from names join kv k
    on k.namespace = names.name and k.key >= ${LIMIT_KEYS[0]} and k.key < ${LIMIT_KEYS[1]}
    where length(cast(k.value as text)) < 100`;

  const read = (sql: string, params: readonly string[], limits: ReadLimits, few = true) =>
    guarded('read failed', () => readArray(db, { sql, params, few }, limits));

  return {
    async value(namespace, key) {
      const row = await guarded('read failed', () =>
        db.first<{ value: string | null; known: boolean | number }>(valueSql, [
          namespace,
          key,
          namespace,
        ]),
      );
      return row?.known ? row.value : undefined;
    },
    keys: (namespace, limits) => read(keysSql, [namespace], limits),
    namespaces: (limits) => read(namespacesSql, [], limits, false),
    existing: (wanted, limits) => read(existingSql, [JSON.stringify(wanted)], limits),
    limits: (signal) =>
      guarded('limits could not be read', () =>
        db.jsonArray(limitsSql, [], { maxBytes: LIMITS_MAX_BYTES, signal }),
      ),
  };
}

import type { Database } from '@svc/plugin-sdk';
import type { RawJson } from '@svc/plugin-sdk/json';
import { guarded, marks } from '@svc/plugin-sdk/sql';
import { LIMIT_KEYS } from '../limits.ts';
import { type ArrayRead, type ReadLimits, readArray } from './read-array.ts';

const LIMITS_MAX_BYTES = 64 * 2 ** 20;
const ONE_KEY_MAX_BYTES = 64 * 2 ** 20;

export interface OneKey {
  readonly namespaces: readonly string[];
  readonly key: string;
  readonly mostBytes: number;
}

/** Reads of table `kv`. Failures of the database are 103 with a neutral text. */
export class Reads {
  readonly #db: Database;
  readonly #sql: ReturnType<typeof statements>;

  constructor(db: Database) {
    this.#db = db;
    this.#sql = statements(db);
  }

  /** JSON text of the value, null when the key is missing; undefined when the namespace is. */
  async value(namespace: string, key: string): Promise<string | null | undefined> {
    const params = [namespace, key, namespace];
    const row = await guarded('read failed', () =>
      this.#db.first<{ value: string | null; known: boolean | number }>(VALUE, params),
    );
    return row?.known ? row.value : undefined;
  }

  /** Every key in byte order; `[]` when the namespace does not exist. */
  keys(namespace: string, limits: ReadLimits): Promise<RawJson> {
    return this.#read({ sql: this.#sql.keys, params: [namespace], few: true }, limits);
  }

  /** Every namespace in byte order. */
  namespaces(limits: ReadLimits): Promise<RawJson> {
    return this.#read({ sql: this.#sql.namespaces, params: [], few: false }, limits);
  }

  /** Names of these that exist, in the given order. */
  existing(names: readonly string[], limits: ReadLimits): Promise<RawJson> {
    const params = [JSON.stringify(names)];
    return this.#read({ sql: this.#sql.existing, params, few: true }, limits);
  }

  /** `[namespace, key, value]` of every key `database_limit_*`, as JSON. */
  limits(signal: AbortSignal): Promise<RawJson> {
    return guarded('limits could not be read', () =>
      this.#db.jsonArray(this.#sql.limits, [], {
        maxBytes: LIMITS_MAX_BYTES,
        signal,
        short: 'try',
      }),
    );
  }

  /** Values of one key in these namespaces, as `[namespace, value]`; a longer JSON text is left out. */
  oneKey(
    { namespaces, key, mostBytes }: OneKey,
    { signal, share }: Pick<ReadLimits, 'signal' | 'share'>,
  ): Promise<[namespace: string, value: unknown][]> {
    const params = [JSON.stringify(namespaces), key, mostBytes];
    return guarded('read failed', async () => {
      const options = { maxBytes: ONE_KEY_MAX_BYTES, signal, share };
      const { text } = await this.#db.jsonArray(this.#sql.oneKey, params, options);
      return JSON.parse(Buffer.from(text as string).toString());
    });
  }

  /** Values of some keys in these namespaces, as `[namespace, key, value]`; a longer JSON text is left out. */
  someKeys(
    { namespaces, keys, mostBytes }: Omit<OneKey, 'key'> & { readonly keys: readonly string[] },
    { signal, share }: Pick<ReadLimits, 'signal' | 'share'>,
  ): Promise<[namespace: string, key: string, value: unknown][]> {
    const params = [JSON.stringify(namespaces), ...keys, mostBytes];
    return guarded('read failed', async () => {
      const options = { maxBytes: ONE_KEY_MAX_BYTES, signal, share };
      const { text } = await this.#db.jsonArray(this.#sql.someKeys(keys.length), params, options);
      return JSON.parse(Buffer.from(text as string).toString());
    });
  }

  #read(what: ArrayRead, limits: ReadLimits): Promise<RawJson> {
    return guarded('read failed', () => readArray(this.#db, what, limits));
  }
}

/** Both subqueries use idx-kv-namespace-key-unique. */
const VALUE = `select
  (select cast(value as text) from kv where namespace = ? and key = ?) as value,
  exists (select 1 from kv where namespace = ?) as known`;

function statements({ dialect, forms }: Database) {
  const sqlite = dialect === 'sqlite';
  const { jsonText: quoted } = forms;
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
  // idx-kv-limits.
  const limitsSql = `select ${entry} from kv k where ${LIMIT_KEYS} and length(cast(k.value as text)) < 100`;
  // idx-kv-namespace-key-unique, once for each name.
  const oneKeySql = `select concat('[', ${quoted('k.namespace')}, ',', cast(k.value as text), ']')
    from ${forms.elementTexts} e join kv k on k.namespace = e.value and k.key = ?
    where ${forms.byteLength('cast(k.value as text)')} <= ?`;
  // The same index, once for each name and key.
  const someKeysSql = (count: number) => `select ${entry}
    from ${forms.elementTexts} e join kv k on k.namespace = e.value and k.key in (${marks(count)})
    where ${forms.byteLength('cast(k.value as text)')} <= ?`;
  return {
    oneKey: oneKeySql,
    someKeys: someKeysSql,
    keys: keysSql,
    namespaces: namespacesSql,
    existing: existingSql,
    limits: limitsSql,
  };
}

import { type Database, guarded, rowsOf } from '@svc/plugin-sdk';

/** One value on its way into the table; `value` is JSON text. */
export interface Row {
  readonly namespace: string;
  readonly key: string;
  readonly value: string;
}

export interface Writes {
  /** Makes the namespace by its marker. @returns false when it exists already */
  create(namespace: string, marker: string): Promise<boolean>;
  /** Stores rows of distinct keys in one transaction. @returns the namespaces that exist: rows of others are not stored */
  set(rows: readonly Row[]): Promise<ReadonlySet<string>>;
  /** @returns false when the namespace does not exist; a missing key is no failure */
  deleteKey(namespace: string, key: string): Promise<boolean>;
  /** @returns false when the namespace does not exist */
  deleteNamespace(namespace: string): Promise<boolean>;
}

/** Setting values shares this lock, deleting a namespace has it alone. */
const LOCK = 0x6b76;

/** Writes of table `kv`. Whether a namespace exists is decided by the statement that writes. */
export function openWrites(db: Database): Writes {
  const { query, forms } = db;

  const createSql = `insert into kv (namespace, key, value)
    select cast(? as text), cast(? as text), cast('null' as ${forms.document})
    where not exists (select 1 from kv where namespace = ?) returning id`;

  const given = `select i.value ->> 0 as n, i.value ->> 1 as k, i.value ->> 2 as v
    from ${forms.elements} i`;
  const setSql = `insert into kv (namespace, key, value)
    select n, k, cast(v as ${forms.document}) from (${given}) i
    where exists (select 1 from kv where namespace = i.n)
    on conflict (namespace, key) do update set value = excluded.value returning namespace`;

  return {
    async create(namespace, marker) {
      try {
        return await guarded('the namespace could not be created', async () => {
          const made = await rowsOf<Columns>(query, {
            text: createSql,
            params: [namespace, marker, namespace],
          });
          return made.length > 0;
        });
      } catch (error) {
        // It was made elsewhere at the same moment.
        if (db.isUniqueViolation(error)) return false;
        throw error;
      }
    },

    set: (rows) =>
      guarded('the value could not be stored', async () => {
        // In the order of the index, so that two servers never wait for each other in a circle.
        const given = rows.map(({ namespace, key, value }) => [namespace, key, value]);
        const text = JSON.stringify(given.sort(byName));
        // Without the lock a value set at the same moment could outlive its namespace: no statement sees the other's row.
        const stored = await db.locked({ id: LOCK, shared: true }, (on) =>
          rowsOf<Columns>(on, { text: setSql, params: [text] }),
        );
        return new Set(stored.map((row) => row['namespace'] as string));
      }),

    deleteKey: (namespace, key) =>
      guarded('the key could not be deleted', () =>
        db.transaction(async (trx) => {
          if ((await trx('kv').where({ namespace, key }).delete()) > 0) return true;
          return (await trx('kv').where({ namespace }).first('id')) !== undefined;
        }),
      ),

    deleteNamespace: (namespace) =>
      guarded('the namespace could not be deleted', () =>
        db.locked(
          { id: LOCK, shared: false },
          async (on) => (await on('kv').where({ namespace }).delete()) > 0,
        ),
      ),
  };
}

const byName = (a: readonly unknown[], b: readonly unknown[]): number => {
  for (const at of [0, 1]) {
    const [x, y] = [String(a[at]), String(b[at])];
    if (x !== y) return x < y ? -1 : 1;
  }
  return 0;
};

type Columns = Record<string, unknown>;

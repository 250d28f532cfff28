import { type Database, guarded, rowsOf } from '@svc/plugin-sdk';

/** One value to store; `value` is JSON text. */
export interface Row {
  readonly namespace: string;
  readonly key: string;
  readonly value: string;
}

/** Setting values shares this lock, deleting a namespace has it alone. */
const LOCK = 0x6b76;

/** Writes of table `kv`. The statement that writes decides whether a namespace exists. */
export class Writes {
  readonly #db: Database;
  readonly #createSql: string;
  readonly #setSql: string;

  constructor(db: Database) {
    const { document, elements } = db.forms;
    this.#db = db;
    this.#createSql = `insert into kv (namespace, key, value)
      select cast(? as text), cast(? as text), cast('null' as ${document})
      where not exists (select 1 from kv where namespace = ?) returning id`;
    const given = `select i.value ->> 0 as n, i.value ->> 1 as k, i.value ->> 2 as v from ${elements} i`;
    this.#setSql = `insert into kv (namespace, key, value)
      select n, k, cast(v as ${document}) from (${given}) i
      where exists (select 1 from kv where namespace = i.n)
      on conflict (namespace, key) do update set value = excluded.value returning namespace`;
  }

  /** Makes the namespace by its marker. @returns false when it exists already */
  async create(namespace: string, marker: string): Promise<boolean> {
    const sql = { text: this.#createSql, params: [namespace, marker, namespace] };
    try {
      return await guarded('the namespace could not be created', async () => {
        return (await rowsOf(this.#db.query, sql)).length > 0;
      });
    } catch (error) {
      // It was made elsewhere at the same moment.
      if (this.#db.isUniqueViolation(error)) return false;
      throw error;
    }
  }

  /** Stores rows of distinct keys in one transaction. @returns the namespaces that exist: rows of others are not stored */
  set(rows: readonly Row[]): Promise<ReadonlySet<string>> {
    return guarded('the value could not be stored', async () => {
      // In the order of the index, so that two servers never wait for each other in a circle.
      const given = rows.map(({ namespace, key, value }) => [namespace, key, value]);
      const sql = { text: this.#setSql, params: [JSON.stringify(given.sort(byName))] };
      // Without the lock a value set at the same moment could outlive its namespace: no statement sees the other's row.
      const stored = await this.#db.locked({ id: LOCK, shared: true }, (on) =>
        rowsOf<{ namespace: string }>(on, sql),
      );
      return new Set(stored.map(({ namespace }) => namespace));
    });
  }

  /** @returns false when the namespace does not exist; a missing key is no failure */
  deleteKey(namespace: string, key: string): Promise<boolean> {
    return guarded('the key could not be deleted', () =>
      this.#db.transaction(async (trx) => {
        if ((await trx('kv').where({ namespace, key }).delete()) > 0) return true;
        return (await trx('kv').where({ namespace }).first('id')) !== undefined;
      }),
    );
  }

  /** @returns false when the namespace does not exist */
  deleteNamespace(namespace: string): Promise<boolean> {
    return guarded('the namespace could not be deleted', () =>
      this.#db.locked(
        { id: LOCK, shared: false },
        async (on) => (await on('kv').where({ namespace }).delete()) > 0,
      ),
    );
  }
}

const byName = (a: readonly unknown[], b: readonly unknown[]): number => {
  for (const at of [0, 1]) {
    const [x, y] = [String(a[at]), String(b[at])];
    if (x !== y) return x < y ? -1 : 1;
  }
  return 0;
};

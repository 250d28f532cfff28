import type { Database } from '@svc/plugin-sdk';
import { guarded, rowsOf } from '@svc/plugin-sdk/sql';
import { rowBytes } from '../byte-counter.ts';

/** One value to store; `value` is JSON text. */
export interface Row {
  readonly namespace: string;
  readonly key: string;
  readonly value: string;
}

/** Outcome of a write: stored; refused because its namespace does not exist, or would exceed its bytes. */
export type Fate = 'stored' | 'missing' | 'full';

const COUNTED = { columns: ['key', 'value'] };

/** Setting values shares this lock, deleting a namespace has it alone. */
const LOCK = 0x6b76;

/** Writes of table `kv`. The statement that writes decides whether a namespace exists. */
export class Writes {
  readonly #db: Database;
  readonly #createSql: string;
  readonly #setSql: string;
  readonly #setOneSql: string;

  constructor(db: Database) {
    const { document } = db.forms;
    this.#db = db;
    this.#createSql = `insert into kv (namespace, key, value)
      select cast(? as text), cast(? as text), cast('null' as ${document})
      where not exists (select 1 from kv where namespace = ?) returning id`;
    this.#setSql = setSql(db, 'i.value ->> 2');
    this.#setOneSql = setSql(db, '?');
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

  /** Stores rows of distinct keys in one transaction, as far as a namespace may hold so many bytes. @returns what became of each */
  set(rows: readonly Row[], max_bytes: number): Promise<Fate[]> {
    return guarded('the value could not be stored', async () => {
      const sql = this.#setting(rows, max_bytes);
      // Without the lock a value set at the same moment could outlive its namespace: no statement sees the other's row.
      return this.#db.locked({ id: LOCK, shared: true }, async (on) => {
        const stored = new Set((await rowsOf<Place>(on, sql)).map(placeOf));
        const refused = rows.filter((row) => !stored.has(placeOf(row)));
        const existing = new Set<string>();
        for (const namespace of new Set(refused.map((row) => row.namespace)))
          if (await on('kv').where({ namespace }).first('id')) existing.add(namespace);
        return rows.map((row) => {
          if (stored.has(placeOf(row))) return 'stored';
          return existing.has(row.namespace) ? 'full' : 'missing';
        });
      });
    });
  }

  #setting(rows: readonly Row[], max_bytes: number) {
    const [row, ...more] = rows;
    // A long value is alone in its batch; written into JSON once more, it would hold the event loop.
    if (row && more.length === 0) {
      const place = JSON.stringify([[row.namespace, row.key]]);
      return { text: this.#setOneSql, params: [row.value, place, max_bytes] };
    }
    // In the order of the index, so that two servers never wait for each other in a circle.
    const given = rows.map(({ namespace, key, value }) => [namespace, key, value]);
    return { text: this.#setSql, params: [JSON.stringify(given.sort(byName)), max_bytes] };
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

/** The statement that sets values. @param value SQL of a value's text; `i.value` holds its namespace and key */
function setSql({ forms: { document, elements } }: Database, value: string): string {
  const given = `select i.value ->> 0 as namespace, i.value ->> 1 as key,
      cast(${value} as ${document}) as value from ${elements} i`;
  const growth = `select r.*, ${rowBytes(COUNTED, 'r')} - coalesce((select ${rowBytes(COUNTED, 'o')}
      from kv o where o.namespace = r.namespace and o.key = r.key), 0) as growth from (${given}) r`;
  // Values of one statement count for those after them. A value that makes no more of it is always taken.
  const total = `select g.*, coalesce(u.bytes, 0)
      + sum(growth) over (partition by namespace order by key rows unbounded preceding) as total
      from (${growth}) g left join kv_usage u on u.owner = g.namespace`;
  return `insert into kv (namespace, key, value)
      select namespace, key, value from (${total}) t
      where (growth <= 0 or total <= ?) and exists (select 1 from kv k where k.namespace = t.namespace)
      on conflict (namespace, key) do update set value = excluded.value returning namespace, key`;
}

type Place = Pick<Row, 'namespace' | 'key'>;

const placeOf = ({ namespace, key }: Place): string => JSON.stringify([namespace, key]);

const byName = (a: readonly unknown[], b: readonly unknown[]): number => {
  for (const at of [0, 1]) {
    const [x, y] = [String(a[at]), String(b[at])];
    if (x !== y) return x < y ? -1 : 1;
  }
  return 0;
};

import type { Clock, Database } from '@svc/plugin-sdk';
import { BoundedCache } from '@svc/plugin-sdk/util';
import { among, readRows, SLICE_ROWS, slices, storable, writeRows } from './sql.ts';

const DAY_MS = 86_400_000;
/** Distinct texts that are kept: results with others have none. */
export const MOST_DETAILS = 50_000;
const MOST_CACHED = 5_000;
const COUNT_MS = 60_000;

/** Table `monitor_detail`: each text once. Methods throw RpcError 103 when the database fails. */
export class DetailStore {
  readonly #db: Database;
  readonly #clock: Clock;
  /** Ids by text, with the time when the row was last marked as used. */
  readonly #known = new BoundedCache<string, { readonly id: number; readonly used_at: number }>({
    most: MOST_CACHED,
  });
  readonly #most: number;
  #count = 0;
  #countedAt = Number.NEGATIVE_INFINITY;

  constructor(db: Database, clock: Clock, most = MOST_DETAILS) {
    this.#db = db;
    this.#clock = clock;
    this.#most = most;
  }

  /** Returns ids of texts; a text that there is no room for has none. */
  async idsOf(given: Iterable<string>): Promise<ReadonlyMap<string, number>> {
    const now = this.#clock.now();
    const found = new Map<string, number>();
    const missing: string[] = [];
    for (const text of new Set(given)) {
      const known = this.#known.get(text);
      // A row that is marked each day does not go while a result has its id.
      if (known && now - known.used_at < DAY_MS) found.set(text, known.id);
      else missing.push(text);
    }
    for (const some of slices(missing)) {
      const rows = await this.#use(some.map(storable), now);
      const ids = new Map(rows.map(({ text, id }) => [text, Number(id)]));
      for (const text of some) {
        const id = ids.get(storable(text));
        if (id === undefined) continue;
        found.set(text, id);
        this.#known.set(text, { id, used_at: now });
      }
    }
    return found;
  }

  /** Returns texts by their ids. */
  async textsOf(ids: Iterable<number>): Promise<ReadonlyMap<number, string>> {
    const wanted = [...new Set(ids)];
    if (wanted.length === 0) return new Map();
    const rows = await readRows<{ id: number; text: string }>(this.#db, {
      columns: 'id, text',
      sql: `select id, text from monitor_detail where ${among(this.#db, 'id')}`,
      params: [JSON.stringify(wanted)],
    });
    return new Map(rows.map(({ id, text }) => [Number(id), text]));
  }

  /** Deletes some of the texts that were last used before this time. @returns whether there may be more */
  async clean(before: number): Promise<boolean> {
    const text = `delete from monitor_detail where id in
      (select id from monitor_detail where used_at < ? limit ${SLICE_ROWS}) returning id`;
    const gone = await writeRows(this.#db.query, text, [
      Math.min(before, this.#clock.now() - 2 * DAY_MS),
    ]);
    return gone.length === SLICE_ROWS;
  }

  async #use(texts: readonly string[], now: number): Promise<{ id: number; text: string }[]> {
    const { elementTexts } = this.#db.forms;
    const params = [now, JSON.stringify([...new Set(texts)])];
    const used = `update monitor_detail set used_at = ?
      where text in (select v.value from ${elementTexts} as v) returning id, text`;
    if ((await this.#counted(now)) + texts.length > this.#most)
      return writeRows(this.#db.query, used, params);
    this.#count += texts.length;
    const text = `insert into monitor_detail (used_at, text) select cast(? as bigint), v.value
      from ${elementTexts} as v where true order by v.value
      on conflict (text) do update set used_at = excluded.used_at returning id, text`;
    return writeRows(this.#db.query, text, params);
  }

  async #counted(now: number): Promise<number> {
    if (now - this.#countedAt < COUNT_MS) return this.#count;
    const sql = 'select count(*) as n from monitor_detail';
    const [row] = await readRows<{ n: number }>(this.#db, { columns: 'n', sql, params: [] });
    this.#count = Number(row?.n ?? 0);
    this.#countedAt = now;
    return this.#count;
  }
}

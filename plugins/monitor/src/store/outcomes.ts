import type { Database } from '@svc/plugin-sdk';
import { BoundedCache } from '@svc/plugin-sdk/util';
import { CHUNK_ROWS, chunksOf, okOf, unpacked } from './chunks.ts';
import { newestFirst } from './results.ts';
import { member, readRows, slices } from './sql.ts';

/** Outcomes of a monitor that a list shows. */
export const OUTCOMES = 30;
const MOST_CACHED = 5_000;

/** Outcome of one check. */
export interface Outcome {
  readonly at: number;
  readonly place_id: number;
  readonly ok: boolean | null;
  readonly ms: number | null;
}

interface Tail {
  readonly hour: number;
  readonly n: number;
  readonly results: readonly Outcome[];
}

type Row = Omit<Outcome, 'ok'> & { readonly monitor_id: number; readonly state: number | null };
type Key = { readonly monitor_id: number; readonly hour: number; readonly n: number };

/**
 * Last outcomes of many monitors for a list: one indexed query of the results that are not packed, and where these are too
 * few, the last packed hour, which is unpacked once and then remembered.
 */
export class OutcomeStore {
  readonly #db: Database;
  readonly #tails = new BoundedCache<number, Tail>({ most: MOST_CACHED });

  constructor(db: Database) {
    this.#db = db;
  }

  /** Returns at most 30 outcomes of each monitor, the newest first. @throws RpcError 103 */
  async of(ids: readonly number[]): Promise<ReadonlyMap<number, readonly Outcome[]>> {
    const found = new Map<number, readonly Outcome[]>();
    // Some at a time: others have the main thread in between.
    for (const some of slices(ids)) {
      const rows = await this.#rows(some);
      const few = some.filter((id) => (rows.get(id)?.length ?? 0) < OUTCOMES);
      const tails = await this.#tailsOf(few);
      for (const id of some) {
        const all = newestFirst([...(rows.get(id) ?? []), ...(tails.get(id) ?? [])]);
        found.set(id, all.slice(0, OUTCOMES));
      }
    }
    return found;
  }

  /** Primary key: from the thirtieth last time on. */
  async #rows(ids: readonly number[]): Promise<Map<number, Outcome[]>> {
    const id = 'cast(v.value as bigint)';
    const sql = `select r.monitor_id, r.at, r.place_id, r.state, r.ms from ${this.#db.forms.elementTexts} as v
      join monitor_result r on r.monitor_id = ${id} and r.at >= coalesce((select b.at
        from monitor_result b where b.monitor_id = ${id} order by b.at desc limit 1 offset ${OUTCOMES - 1}), 0)`;
    const rows = await readRows<Row>(this.#db, {
      ...{ columns: 'monitor_id, at, place_id, state, ms', sql, params: [JSON.stringify(ids)] },
      long: true,
    });
    const found = new Map<number, Outcome[]>();
    for (const { monitor_id, at, place_id, state, ms } of rows) {
      const outcome = { at, place_id, ok: okOf(state), ms };
      const list = found.get(monitor_id);
      if (list) list.push(outcome);
      else found.set(monitor_id, [outcome]);
    }
    return found;
  }

  async #tailsOf(ids: readonly number[]): Promise<Map<number, readonly Outcome[]>> {
    const found = new Map<number, readonly Outcome[]>();
    const fresh: Key[] = [];
    for (const key of ids.length > 0 ? await this.#lastHours(ids) : []) {
      const known = this.#tails.get(key.monitor_id);
      if (known?.hour === key.hour && known.n === key.n) found.set(key.monitor_id, known.results);
      else fresh.push(key);
    }
    for (const some of slices(fresh, CHUNK_ROWS)) {
      const list = JSON.stringify(some.map(({ monitor_id, hour }) => [monitor_id, hour]));
      const chunks = await chunksOf(
        this.#db,
        `where (monitor_id, hour) in (select ${member(0, 'bigint')}, ${member(1, 'integer')} from ${this.#db.forms.elements} as v)`,
        [list],
      );
      for (const { monitor_id, hour, n } of some) {
        const own = chunks.filter((chunk) => chunk.monitor_id === monitor_id);
        const last = newestFirst(await unpacked(own)).slice(0, OUTCOMES);
        const results = last.map(({ at, place_id, ok, ms }) => ({ at, place_id, ok, ms }));
        this.#tails.set(monitor_id, { hour, n, results });
        found.set(monitor_id, results);
      }
    }
    return found;
  }

  /** Last packed hour of each monitor, with its results of all places. Primary key. */
  #lastHours(ids: readonly number[]): Promise<Key[]> {
    const sql = `select c.monitor_id, c.hour, sum(c.n) as n from ${this.#db.forms.elementTexts} as v
      join monitor_chunk c on c.monitor_id = cast(v.value as bigint) and c.hour = (select max(b.hour)
        from monitor_chunk b where b.monitor_id = cast(v.value as bigint)) group by c.monitor_id, c.hour`;
    return readRows<Key>(this.#db, {
      ...{ columns: 'monitor_id, hour, n', sql, params: [JSON.stringify(ids)], long: true },
    });
  }
}

import type { Clock, Database } from '@svc/plugin-sdk';
import type { SqlValue } from '@svc/plugin-sdk/sql';
import { type Result, VERDICT_PLACE } from '../types.ts';
import {
  CHUNK_ROWS,
  type Chunk,
  chunksOf,
  type PlaceResult,
  rowsOfMonitor,
  stateOf,
  unpacked,
} from './chunks.ts';
import { DetailStore } from './details.ts';
import { HOUR_MS, roundMs } from './pack.ts';
import { member, slices, writeRows } from './sql.ts';

/** Results of one page at most. */
export const MOST_PAGE = 1_000;
/** Packed hours that one page looks into; one with fewer results than asked for says where to go on. */
const MOST_CHUNKS = 256;

/** Place in the list of results, which has the newest first. */
export interface ResultKey {
  readonly at: number;
  readonly place_id: number;
}

export interface ResultAsk {
  readonly monitor_id: number;
  /** Absent: every place. */
  readonly place_id?: number;
  readonly from: number;
  /** This time itself lies outside. */
  readonly to: number;
  readonly limit: number;
  /** Where the page before ended. */
  readonly before?: ResultKey;
}

export interface ResultPage {
  readonly results: readonly Result[];
  /** Where the next page begins; null: there is none. A page may be short, or empty, and have one. */
  readonly next: ResultKey | null;
}

/** Tables `monitor_result` and, for reading, `monitor_chunk`. Methods throw RpcError 103 when the database fails. */
export class ResultStore {
  readonly #db: Database;
  readonly details: DetailStore;

  constructor(db: Database, clock: Clock, details = new DetailStore(db, clock)) {
    this.#db = db;
    this.details = details;
  }

  /** Adds results; one that is there already, or whose monitor has gone, is left out. @returns how many were added */
  async add(results: readonly Result[]): Promise<number> {
    let added = 0;
    for (const some of slices(results)) added += await this.#addSome(some);
    return added;
  }

  /** Results of a monitor in a span, the newest first, whether they are packed or not. */
  async page(ask: ResultAsk): Promise<ResultPage> {
    const limit = Math.min(ask.limit, MOST_PAGE);
    const rows = await this.#rows(ask, limit + 1);
    const packed = await this.#packed(ask, limit + 1, rows);
    const merged = newestFirst([...packed.results, ...rows]);
    const page = merged.filter(({ at }) => at >= packed.complete_from).slice(0, limit);
    const last = page.at(-1);
    const more = merged.length > page.length && page.length === limit && last;
    const next = more
      ? { at: last.at, place_id: last.place_id }
      : packed.complete_from > ask.from
        ? { at: packed.complete_from, place_id: VERDICT_PLACE }
        : null;
    return { results: await this.#told(ask.monitor_id, page), next };
  }

  async #addSome(results: readonly Result[]): Promise<number> {
    const said = results.flatMap(({ monitor_id, detail }) =>
      detail ? [{ monitor_id, text: detail }] : [],
    );
    const ids = await this.details.idsOf(said);
    const rows = results.map(({ monitor_id, at, place_id, ok, ms, code, detail }) => {
      const time = ms === null ? null : roundMs(ms);
      const detail_id = detail ? (ids.get(detail) ?? null) : null;
      return [monitor_id, at, place_id, stateOf(ok), time, code, detail_id];
    });
    const types = ['bigint', 'bigint', 'integer', 'smallint', 'double precision', 'integer'];
    const values = [...types, 'bigint'].map((type, place) => member(place, type)).join(', ');
    const text = `insert into monitor_result (monitor_id, at, place_id, state, ms, code, detail_id)
      select ${values} from ${this.#db.forms.elements} as v
      where exists (select 1 from monitor m where m.id = ${member(0, 'bigint')}) order by 1, 2, 3
      on conflict do nothing returning at`;
    return (await writeRows(this.#db.query, text, [JSON.stringify(rows)])).length;
  }

  /** Results that are not packed. Primary key. */
  #rows(ask: ResultAsk, limit: number): Promise<PlaceResult[]> {
    const { monitor_id, place_id, from, to, before } = ask;
    const params: SqlValue[] = [from, before ? Math.min(to, before.at + 1) : to];
    let rest = 'and at >= ? and at < ?';
    if (before) {
      rest += ' and (at, place_id) < (?, ?)';
      params.push(before.at, before.place_id);
    }
    if (place_id !== undefined) {
      rest += ' and place_id = ?';
      params.push(place_id);
    }
    const sorted = `${rest} order by at desc, place_id desc limit ?`;
    return rowsOfMonitor(this.#db, monitor_id, sorted, [...params, limit]);
  }

  /** Packed results until, with the others, they are enough. `complete_from` is the time from which on none is missing. */
  async #packed(ask: ResultAsk, limit: number, rows: readonly PlaceResult[]) {
    const { from, to, before } = ask;
    const results: PlaceResult[] = [];
    const end = before ? Math.min(to, before.at + 1) : to;
    const fits = ({ at, place_id }: PlaceResult) =>
      at >= from &&
      at < to &&
      (!before || at < before.at || (at === before.at && place_id < before.place_id));
    let last: Pick<Chunk, 'hour' | 'place_id'> = { hour: Math.ceil(end / HOUR_MS), place_id: 0 };
    for (let read = 0; read < MOST_CHUNKS; read += CHUNK_ROWS) {
      const chunks = await this.#chunks(ask, last);
      results.push(...(await unpacked(chunks)).filter(fits));
      last = chunks.at(-1) ?? last;
      if (chunks.length < CHUNK_ROWS) return { results, complete_from: from };
      const complete_from = (last.hour + 1) * HOUR_MS;
      const enough = [...results, ...rows].filter(({ at }) => at >= complete_from);
      if (newestFirst(enough).length >= limit) return { results, complete_from: from };
    }
    return { results, complete_from: Math.max(from, (last.hour + 1) * HOUR_MS) };
  }

  /** Chunks behind this one, the newest first. Primary key. */
  #chunks({ monitor_id, place_id, from }: ResultAsk, last: Pick<Chunk, 'hour' | 'place_id'>) {
    const ofPlace = place_id === undefined ? '' : 'and place_id = ?';
    return chunksOf(
      this.#db,
      `where monitor_id = ? and hour >= ? and hour <= ? and (hour, place_id) < (?, ?) ${ofPlace}
        order by hour desc, place_id desc limit ${CHUNK_ROWS}`,
      [
        ...[monitor_id, Math.floor(from / HOUR_MS), last.hour, last.hour, last.place_id],
        ...(place_id === undefined ? [] : [place_id]),
      ],
    );
  }

  async #told(monitor_id: number, page: readonly PlaceResult[]): Promise<Result[]> {
    const ids = page.flatMap(({ detail_id }) => (detail_id === null ? [] : [detail_id]));
    const texts = await this.details.textsOf(ids);
    return page.map(({ detail_id, ...result }) => ({
      ...result,
      monitor_id,
      detail: detail_id === null ? null : (texts.get(detail_id) ?? null),
    }));
  }
}

/** Returns results without repeats, the newest first; of two at one place and time the first one stays. */
export function newestFirst<T extends ResultKey>(results: readonly T[]): T[] {
  const sorted = results.toSorted((a, b) => b.at - a.at || b.place_id - a.place_id);
  return sorted.filter(({ at, place_id }, n) => {
    const before = sorted[n - 1];
    return before?.at !== at || before.place_id !== place_id;
  });
}

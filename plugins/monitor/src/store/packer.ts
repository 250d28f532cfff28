import type { Clock, Database, Logger } from '@svc/plugin-sdk';
import { RpcError } from '@svc/plugin-sdk';
import { guarded, type QueryBuilder } from '@svc/plugin-sdk/sql';
import { type Kind, VERDICT_PLACE } from '../types.ts';
import { type Chunk, chunksOf, type PlaceResult, rowsOfMonitor, unpacked } from './chunks.ts';
import { type Bounds, type CoverEnd, coverOf, placeSeconds, secondsOf, timesOf } from './hours.ts';
import { encode, HOUR_MS, MOST_RESULTS } from './pack.ts';
import { newestFirst } from './results.ts';
import { COUNTED_HOURS, changesOf, type HourRow, writeHour } from './spans.ts';
import { readRows, writeRows } from './sql.ts';

/** Time after the end of an hour at which it is packed: results of agents come in batches. */
const GRACE_MS = 600_000;
/** Rows of one transaction; the others of an hour are packed by the next one. */
const MOST_ROWS = 5_000;
/** Hours of monitors that one round packs. */
const MOST_PACKED = 500;
const LAST_HOURS = 3;
/** All of these hours are looked at this often, the last ones in every round. */
const ALL_MS = 900_000;

/** Monitor, as far as packing looks at it. */
export interface PackedMonitor {
  readonly id: number;
  readonly kind: Kind;
  readonly interval_s: number;
  readonly created_at: number;
}

export interface PackerParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  /** Returns how long results of this monitor say something. */
  readonly coverEnd: (monitor: PackedMonitor) => CoverEnd | Promise<CoverEnd>;
}

type Work = PackedMonitor & { readonly hour: number };

/** Rows that were read are not those that would be deleted: the next round packs them. */
class Meanwhile extends Error {}

/** Packs results by the hour, and counts the seconds of hours and days. Runs on the server whose turn it is. */
export class Packer {
  readonly #parts: PackerParts;
  #allAt = Number.NEGATIVE_INFINITY;

  constructor(parts: PackerParts) {
    this.#parts = parts;
  }

  /**
   * One round: hours that ended ten minutes ago or earlier, the oldest results first. `proceed` is awaited between two
   * hours, and throws to stop. What it is killed in is done by the next one. @returns whether there is more to do
   * @throws RpcError 103
   */
  async round(proceed: () => Promise<void>): Promise<boolean> {
    const end = Math.floor((this.#parts.clock.now() - GRACE_MS) / HOUR_MS);
    const ripe = await this.#ripe(end);
    const packed = await this.#each(ripe, end, proceed);
    if (ripe.length === MOST_PACKED) return packed > 0;
    const isAll = this.#parts.clock.monotonic() - this.#allAt >= ALL_MS;
    const uncounted = await this.#uncounted(end - (isAll ? COUNTED_HOURS : LAST_HOURS), end);
    const counted = await this.#each(uncounted, end, proceed);
    const isFull = uncounted.length === MOST_PACKED;
    if (isAll && !isFull) this.#allAt = this.#parts.clock.monotonic();
    return packed > 0 || (isFull && counted > 0);
  }

  /** @returns how many were packed */
  async #each(all: readonly Work[], end: number, proceed: () => Promise<void>): Promise<number> {
    let packed = 0;
    for (const work of all) {
      if (await this.#try(work, end)) packed++;
      await proceed();
    }
    return packed;
  }

  /** Oldest hours with results that are not packed: one step of the primary key for each monitor. */
  async #ripe(end: number): Promise<Work[]> {
    const sql = `select id, kind, interval_s, created_at, oldest from (select id, kind, interval_s, created_at,
        (select min(at) from monitor_result r where r.monitor_id = m.id) as oldest from monitor m) s
      where oldest < ? order by oldest limit ${MOST_PACKED}`;
    const rows = await readRows<PackedMonitor & { readonly oldest: number }>(this.#parts.db, {
      columns: 'id, kind, interval_s, created_at, oldest',
      ...{ sql, params: [end * HOUR_MS], long: true },
    });
    return rows.map(({ oldest, ...row }) => ({ ...row, hour: Math.floor(oldest / HOUR_MS) }));
  }

  /** Hours that are not counted, of monitors that were there. Primary key. */
  #uncounted(first: number, end: number): Promise<Work[]> {
    const hours = Array.from({ length: end - first }, (_, at) => first + at);
    const hour = 'cast(v.value as integer)';
    const sql = `select m.id, m.kind, m.interval_s, m.created_at, ${hour} as hour
      from ${this.#parts.db.forms.elementTexts} as v join monitor m on m.created_at < (cast(v.value as bigint) + 1) * ${HOUR_MS}
      where not exists (select 1 from monitor_hour h where h.monitor_id = m.id and h.hour = ${hour}
        and h.place_id = ${VERDICT_PLACE}) order by hour, m.id limit ${MOST_PACKED}`;
    return readRows<Work>(this.#parts.db, {
      columns: 'id, kind, interval_s, created_at, hour',
      ...{ sql, params: [JSON.stringify(hours)], long: true },
    });
  }

  /** Packs an hour, and counts the next one again, which begins with what came late. A fault of one stops no other. */
  async #try(work: Work, end: number): Promise<boolean> {
    try {
      const next = { ...work, hour: work.hour + 1 };
      const packed = await this.#pack(work);
      if (packed > 0 && next.hour < end && (await this.#isCounted(next))) await this.#pack(next);
      return true;
    } catch (error) {
      if (error instanceof RpcError && error.cause instanceof Meanwhile) return false;
      if (error instanceof RpcError) throw error;
      const { id: monitor, hour } = work;
      this.#parts.log.error('an hour of a monitor could not be packed', { monitor, hour, error });
      return false;
    }
  }

  async #isCounted({ id, hour }: Work): Promise<boolean> {
    const sql = `select hour from monitor_hour where monitor_id = ? and hour = ? and place_id = ${VERDICT_PLACE}`;
    const columns = 'hour';
    return (await readRows(this.#parts.db, { columns, sql, params: [id, hour] })).length > 0;
  }

  /** @returns how many results were packed */
  async #pack(work: Work): Promise<number> {
    const { db, coverEnd } = this.#parts;
    const fresh = await this.#fresh(work);
    const chunks = await chunksOf(db, 'where monitor_id = ? and hour = ?', [work.id, work.hour]);
    const before = await this.#before(work);
    const results = newestFirst([...(await this.#unpacked(chunks)), ...fresh]).reverse();
    const places = Map.groupBy(results, ({ place_id }) => place_id);
    const bodies: { place_id: number; n: number; body: Buffer }[] = [];
    for (const place_id of new Set(fresh.map(({ place_id }) => place_id))) {
      const some = (places.get(place_id) ?? []).slice(0, MOST_RESULTS);
      bodies.push({ place_id, n: some.length, body: await encode(work.hour, some) });
    }
    const parts = { before, results, end: await coverEnd(work) };
    await guarded('results could not be packed', () =>
      db.transaction(async (trx) => {
        const rows = await this.#counted(trx, work, parts);
        if (!(await this.#taken(trx, work, fresh))) throw new Meanwhile();
        await this.#put(trx, work, bodies);
        await writeHour(trx, db, { monitor_id: work.id, hour: work.hour }, rows);
      }),
    );
    return fresh.length;
  }

  /** Results of the hour that are not packed, or those of its beginning where they are very many. */
  async #fresh({ id, hour }: Work): Promise<PlaceResult[]> {
    const rest = `and at >= ? and at < ? order by at, place_id limit ${MOST_ROWS}`;
    const params = [hour * HOUR_MS, (hour + 1) * HOUR_MS];
    return rowsOfMonitor(this.#parts.db, id, rest, params);
  }

  /** Last results of each place in the last packed hour before. */
  async #before({ id, hour }: Work): Promise<PlaceResult[]> {
    const rest = `where monitor_id = ? and hour =
      (select max(hour) from monitor_chunk where monitor_id = ? and hour < ?)`;
    const results = await this.#unpacked(await chunksOf(this.#parts.db, rest, [id, id, hour]));
    return [...new Map(results.map((result) => [result.place_id, result])).values()];
  }

  /** Results of chunks; one that cannot be read holds up no later ones. */
  async #unpacked(chunks: readonly Chunk[]): Promise<PlaceResult[]> {
    const found: PlaceResult[] = [];
    for (const chunk of chunks) {
      try {
        found.push(...(await unpacked([chunk])));
      } catch (error) {
        const { monitor_id: monitor, hour } = chunk;
        this.#parts.log.error('packed results cannot be read', { monitor, hour, error });
      }
    }
    return found;
  }

  /** Seconds and times of the hour: of the verdict, and of each place that checked in it. */
  async #counted(
    trx: QueryBuilder,
    { id, hour, created_at }: Work,
    {
      before,
      results,
      end,
    }: { before: readonly PlaceResult[]; results: readonly PlaceResult[]; end: CoverEnd },
  ): Promise<HourRow[]> {
    const [begin, to] = [hour * HOUR_MS, (hour + 1) * HOUR_MS];
    // What is older than the monitor was imported.
    const bounds: Bounds = { from: created_at < to ? Math.max(begin, created_at) : begin, to };
    const verdicts = await changesOf(trx, this.#parts.db, id, bounds);
    const known = [...before, ...results].sort((a, b) => a.at - b.at);
    const times = (some: readonly PlaceResult[]) =>
      timesOf(some.flatMap(({ ms }) => (ms === null ? [] : [ms])));
    const rows: HourRow[] = [
      {
        place_id: VERDICT_PLACE,
        ...secondsOf(verdicts, coverOf(known, end), bounds),
        ...{ n: results.length, ...times(results) },
      },
    ];
    for (const [place_id, some] of Map.groupBy(results, (result) => result.place_id)) {
      const said = [...before.filter((result) => result.place_id === place_id), ...some];
      const seconds = placeSeconds(said, end, { verdicts, ...bounds });
      rows.push({ place_id, ...seconds, n: some.length, ...times(some) });
    }
    return rows;
  }

  /** Deletes the rows that are packed. @returns false when others came, or another server took them, meanwhile */
  async #taken(
    trx: QueryBuilder,
    { id, hour }: Work,
    fresh: readonly PlaceResult[],
  ): Promise<boolean> {
    const last = fresh.at(-1);
    if (!last) return true;
    const text = `delete from monitor_result where monitor_id = ? and at >= ? and (at, place_id) <= (?, ?) returning at`;
    const gone = await writeRows(trx, text, [id, hour * HOUR_MS, last.at, last.place_id]);
    return gone.length === fresh.length;
  }

  async #put(
    trx: QueryBuilder,
    { id, hour }: Work,
    bodies: readonly { place_id: number; n: number; body: Buffer }[],
  ): Promise<void> {
    for (const { place_id, n, body } of bodies) {
      const text = `insert into monitor_chunk (monitor_id, place_id, hour, n, body) values (?, ?, ?, ?, ?)
        on conflict (monitor_id, hour, place_id) do update set n = excluded.n, body = excluded.body returning n`;
      await writeRows(trx, text, [id, place_id, hour, n, body]);
    }
  }
}

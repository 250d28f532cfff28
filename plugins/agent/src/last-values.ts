import { setImmediate } from 'node:timers/promises';
import type { Integer } from '@svc/plugin-sdk/sql';
import { covers, type Filter } from './conditions.ts';
import { type Row, STORAGE_TIME, TIMESTAMP } from './kinds.ts';
import { Newest } from './newest.ts';
import { countedOf, isNewer } from './newest-rule.ts';

/** Agents read from the database at a time: a chunk holds the event loop for well below a millisecond. */
const CHUNK = 32;

/** A read in progress; rows that arrive meanwhile may be newer than what it finds. */
interface Reading {
  readonly done: Promise<unknown>;
  arrived: Row | null;
  found: Row | null;
  /** Tells whether it was forgotten meanwhile: it is neither cached nor given to later callers. */
  stale: boolean;
}

/** The newest row of each agent, by its id: a cache over the table, never more (agent.md §9.1 and §3.2). */
export class LastValues {
  readonly #newest = new Map<number, Newest>();
  /** Rows of those agents that were asked for since they came: one step to a thousand rows. */
  readonly #asked = new Map<number, Row>();
  readonly #readings = new Map<number, Reading>();
  readonly #readRows: (ids: readonly number[]) => Promise<Map<number, Row>>;
  readonly #width: number;
  #epoch = 0;

  /** `width`: columns of a kind whose rows are numbers. */
  constructor(readRows: (ids: readonly number[]) => Promise<Map<number, Row>>, width = 0) {
    this.#readRows = readRows;
    this.#width = width;
  }

  /** Counter that grows with every delete; to be read before a row is appended. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Caches a committed row that was appended at `epoch`: a delete since then may have removed it again. */
  stored(row: Row, epoch: number): void {
    const id = row[0] as number;
    if (epoch !== this.#epoch) {
      this.#forget(id);
      return;
    }
    const cached = this.#newest.get(id);
    if (cached) {
      cached.arrived(row);
      this.#asked.delete(id);
      return;
    }
    const reading = this.#readings.get(id);
    if (reading) reading.arrived = later(reading.arrived, row);
  }

  /** Rows of these agents, null where an agent has none; at once when all are cached. @throws RpcError 103 */
  get(ids: readonly number[]): readonly (Row | null)[] | Promise<readonly (Row | null)[]> {
    const found: (Row | null)[] = [];
    for (const id of ids) {
      const row = this.#asked.get(id) ?? this.#rowOf(id);
      if (row === undefined) return this.#readMissing(ids);
      found.push(row);
    }
    return found;
  }

  #rowOf(id: number): Row | null | undefined {
    const row = this.#newest.get(id)?.row;
    if (row) this.#asked.set(id, row);
    return row;
  }

  /** Forgets the rows of one agent or of all that a delete with this filter may have removed. */
  deleted({ timestamp, storage }: Pick<Filter, 'timestamp' | 'storage'>, id: number | undefined) {
    // The table may know a later time of arrival than the cache, never an earlier one.
    const stored = { from: undefined, to: storage.to };
    this.#epoch++;
    for (const reading of this.#readings.values()) reading.stale = true;
    for (const one of id === undefined ? this.#newest.keys() : [id]) {
      const cached = this.#newest.get(one);
      const time = cached?.at(TIMESTAMP);
      if (time === undefined || !covers(timestamp, time as Integer)) continue;
      if (covers(stored, cached?.at(STORAGE_TIME) as Integer)) this.#drop(one);
    }
  }

  /** Forgets these agents, or all: they are read again when asked for. */
  forget(ids?: readonly number[]): void {
    if (!ids) this.#epoch++;
    for (const id of ids ?? [...this.#newest.keys(), ...this.#readings.keys()]) this.#forget(id);
  }

  #drop(id: number): void {
    this.#newest.delete(id);
    this.#asked.delete(id);
  }

  #forget(id: number): void {
    this.#drop(id);
    const reading = this.#readings.get(id);
    if (reading) reading.stale = true;
  }

  async #readMissing(ids: readonly number[]): Promise<(Row | null)[]> {
    const answers = new Map<number, Row | null>();
    const joined = new Map<number, Reading>();
    const missing: number[] = [];
    for (const id of ids) {
      const cached = this.#newest.get(id);
      const reading = this.#readings.get(id);
      if (cached) answers.set(id, cached.row);
      else if (reading && !reading.stale) joined.set(id, reading);
      else missing.push(id);
    }
    for (let at = 0; at < missing.length; at += CHUNK) {
      // On SQLite a chunk is read at once: other calls get their turn in between.
      if (at > 0) await setImmediate();
      const readings = await this.#read(missing.slice(at, at + CHUNK));
      for (const [id, { found }] of readings) answers.set(id, found);
    }
    for (const [id, reading] of joined) {
      await reading.done;
      answers.set(id, reading.found);
    }
    return ids.map((id) => answers.get(id) ?? null);
  }

  /** Reads one chunk; other callers may join while it runs. */
  async #read(ids: readonly number[]): Promise<Map<number, Reading>> {
    const done = this.#readRows(ids);
    const started = new Map<number, Reading>();
    for (const id of ids) started.set(id, { done, arrived: null, found: null, stale: false });
    for (const [id, reading] of started) this.#readings.set(id, reading);
    try {
      const found = await done;
      for (const [id, reading] of started) {
        reading.found = later(found.get(id) ?? null, reading.arrived);
        if (!reading.stale) this.#newest.set(id, new Newest(reading.found, this.#width));
      }
    } finally {
      // A later read of the same agent may have taken the place of this one.
      for (const [id, reading] of started) {
        if (this.#readings.get(id) === reading) this.#readings.delete(id);
      }
    }
    return started;
  }
}

/** The newer row; of equal ones `next`, which arrived later. */
function later(row: Row | null, next: Row | null): Row | null {
  if (!next || !row) return next ?? row;
  return isNewer(next, countedOf(row)) ? next : row;
}

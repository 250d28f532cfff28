import type { Clock, Database } from '@svc/plugin-sdk';
import { BoundedCache } from '@svc/plugin-sdk/util';
import {
  among,
  BATCH_ROWS,
  member,
  readRows,
  SLICE_ROWS,
  slices,
  storable,
  writeRows,
} from './sql.ts';

const DAY_MS = 86_400_000;
/** Distinct texts that are kept. */
export const MOST_DETAILS = 50_000;
const MOST_CACHED = 5_000;
/** Time after which a text that is in use is marked so again, and from which on one that is not may give way. */
const MARK_MS = 300_000;
const UNUSED_MS = 600_000;
/** Texts are counted anew after this time, and after many were added: other servers add some, too. */
const COUNT_MS = 60_000;
const MOST_UNCOUNTED = 100;
/** A monitor has a new text while so many times its texts are free: the more monitors have many, the fewer each. */
const SHARE = 10;

/** Text of a failure, and the monitor that has it. */
export interface Said {
  readonly monitor_id: number;
  readonly text: string;
}

/**
 * Table `monitor_detail`: each text once, in the share of the monitor that had it first. No monitor takes the room of others:
 * where it is short, the oldest texts of the one that has most give way. Methods throw RpcError 103 when the database fails.
 */
export class DetailStore {
  readonly #db: Database;
  readonly #clock: Clock;
  /** Ids by text, with the time when the row was last marked as used. */
  readonly #known = new BoundedCache<string, { readonly id: number; readonly used_at: number }>({
    most: MOST_CACHED,
  });
  readonly #most: number;
  /** Texts by monitor, and together. */
  #shares = new Map<number, number>();
  #count = 0;
  #uncounted = 0;
  #countedAt = Number.NEGATIVE_INFINITY;

  constructor(db: Database, clock: Clock, most = MOST_DETAILS) {
    this.#db = db;
    this.#clock = clock;
    this.#most = most;
  }

  /** Returns ids of texts; a text that there is no room for has none. */
  async idsOf(given: readonly Said[]): Promise<ReadonlyMap<string, number>> {
    const now = this.#clock.now();
    const wanted = new Map<string, Said>();
    for (const { monitor_id, text } of given) {
      const stored = storable(text);
      if (!wanted.has(stored)) wanted.set(stored, { monitor_id, text: stored });
    }
    const found = new Map<string, number>();
    const missing: Said[] = [];
    for (const said of wanted.values()) {
      const known = this.#known.get(said.text);
      // A row that is marked does not give way while a result that is being stored has its id.
      if (known && now - known.used_at < MARK_MS) found.set(said.text, known.id);
      else missing.push(said);
    }
    for (const some of slices(missing))
      for (const { id, text } of await this.#use(some, now)) {
        found.set(text, Number(id));
        this.#known.set(text, { id: Number(id), used_at: now });
      }
    return new Map(
      given.flatMap(({ text }) => {
        const id = found.get(storable(text));
        return id === undefined ? [] : [[text, id]];
      }),
    );
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

  async #use(some: readonly Said[], now: number): Promise<{ id: number; text: string }[]> {
    const { elements, elementTexts } = this.#db.forms;
    const sql = `select text from monitor_detail where text in (select v.value from ${elementTexts} as v)`;
    const params = [JSON.stringify(some.map(({ text }) => text))];
    const rows = await readRows<{ text: string }>(this.#db, { columns: 'text', sql, params });
    const there = new Set(rows.map(({ text }) => text));
    const [old, fresh] = [true, false].map((is) =>
      some.filter(({ text }) => there.has(text) === is),
    );
    const used = [...(old ?? []), ...(await this.#admitted(fresh ?? [], now))];
    if (used.length === 0) return [];
    const text = `insert into monitor_detail (used_at, monitor_id, text)
      select cast(? as bigint), ${member(0, 'bigint')}, ${member(1, 'text')} from ${elements} as v where true order by 3
      on conflict (text) do update set used_at = excluded.used_at returning id, text`;
    const values = used.map((one) => [one.monitor_id, one.text]);
    return writeRows(this.#db.query, text, [now, JSON.stringify(values)]);
  }

  /** Returns those texts that there is room for. */
  async #admitted(fresh: readonly Said[], now: number): Promise<Said[]> {
    if (fresh.length === 0) return [];
    await this.#recount();
    const admitted = fresh.filter((one) => this.#admit(one));
    if (admitted.length === fresh.length || !(await this.#giveWay(now))) return admitted;
    const refused = fresh.filter((one) => !admitted.includes(one));
    return [...admitted, ...refused.filter((one) => this.#admit(one))];
  }

  #admit({ monitor_id }: Said): boolean {
    const own = this.#shares.get(monitor_id) ?? 0;
    if (own * SHARE >= this.#most - this.#count) return false;
    this.#shares.set(monitor_id, own + 1);
    this.#count++;
    this.#uncounted++;
    return true;
  }

  /** Deletes some of the oldest texts of the monitor that has most. @returns whether there were some */
  async #giveWay(now: number): Promise<boolean> {
    let most: readonly [monitor_id: number, own: number] = [0, 0];
    for (const share of this.#shares) if (share[1] > most[1]) most = share;
    const [monitor_id, own] = most;
    const text = `delete from monitor_detail where id in (select id from monitor_detail
      where monitor_id = ? and used_at < ? order by used_at limit ${BATCH_ROWS}) returning id`;
    const gone = await writeRows(this.#db.query, text, [monitor_id, now - UNUSED_MS]);
    this.#shares.set(monitor_id, own - gone.length);
    this.#count -= gone.length;
    return gone.length > 0;
  }

  async #recount(): Promise<void> {
    const now = this.#clock.monotonic();
    const isFew = this.#uncounted < Math.max(MOST_UNCOUNTED, (this.#most - this.#count) / SHARE);
    if (isFew && now - this.#countedAt < COUNT_MS) return;
    const sql = 'select monitor_id, count(*) as n from monitor_detail group by monitor_id';
    const rows = await readRows<{ monitor_id: number; n: number }>(this.#db, {
      ...{ columns: 'monitor_id, n', sql, params: [], long: true },
    });
    this.#shares = new Map(rows.map(({ monitor_id, n }) => [Number(monitor_id), Number(n)]));
    this.#count = rows.reduce((sum, { n }) => sum + Number(n), 0);
    this.#uncounted = 0;
    this.#countedAt = now;
  }
}

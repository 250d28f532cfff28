import type { Clock, Database } from '@svc/plugin-sdk';
import type { SqlValue } from '@svc/plugin-sdk/sql';
import { type State, SUSPECT } from '../types.ts';
import { among, member, readRows, slices, storable, writeRows } from './sql.ts';

/** Time by which clocks of servers may differ. */
const CLOCKS_DIFFER_MS = 60_000;
const COLUMNS =
  'monitor_id, place_id, state, since, last_at, fails, goods, ms, code, detail, changed_at, version';
/** Rows of one read. */
const PAGE_ROWS = 1_000;

/** Change of what a place says, judged from a row or from none. */
export interface StateChange {
  readonly from: State | undefined;
  readonly to: Omit<State, 'changed_at' | 'version'>;
}

/** Answer to a change: the row that is there now, none where the monitor has gone. */
export interface MadeState {
  readonly made: boolean;
  readonly state: State | undefined;
}

/** Sight of all places of a monitor together. */
export interface Latest {
  /** The shortest of their times. */
  readonly ms: number | null;
  /** Unix ms. */
  readonly checked_at: number;
  readonly suspect: boolean;
}

interface Row {
  readonly monitor_id: number;
  readonly ms: number | null;
  readonly last_at: number;
  readonly suspect: number;
}

/** Table `monitor_state`. Methods throw RpcError 103 when the database fails. */
export class StateStore {
  readonly #db: Database;
  readonly #clock: Clock;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Makes each change whose row is still the one that it was judged from. @returns an answer for each, in their order */
  async change(changes: readonly StateChange[]): Promise<MadeState[]> {
    const answers: MadeState[] = [];
    for (const some of slices(changes)) answers.push(...(await this.#changeSome(some)));
    return answers;
  }

  /** Writes what a place saw last, where it says what it said; a row of another version stays as it is. */
  async progress(states: readonly State[]): Promise<void> {
    const text = `update monitor_state set last_at = ${member(3, 'bigint')}, fails = ${member(4, 'integer')},
        goods = ${member(5, 'integer')}, ms = ${member(6, 'double precision')},
        code = ${member(7, 'integer')}, detail = ${member(8, 'text')}
      from ${this.#db.forms.elements} as v where monitor_id = ${member(0, 'bigint')}
        and place_id = ${member(1, 'integer')} and version = ${member(2, 'integer')} returning monitor_id`;
    for (const some of slices(states)) {
      const rows = some.map((state) => {
        const { monitor_id, place_id, version, last_at, fails, goods, ms, code, detail } = state;
        const text = storable(detail);
        return [monitor_id, place_id, version, last_at, fails, goods, ms, code, text];
      });
      await writeRows(this.#db.query, text, [JSON.stringify(rows)]);
    }
  }

  /**
   * Sets back what was seen, or began, later than now: the clock was ahead then, and it would be the newest for as long as it was.
   * @returns monitors of these
   */
  async setBack(now: number): Promise<number[]> {
    const limit = now + CLOCKS_DIFFER_MS;
    const states = `update monitor_state set last_at = cast(? as bigint), since = case when since > ? then cast(? as bigint) else since end
      where last_at > ? returning monitor_id`;
    const runs =
      'update monitor_run set started_at = cast(? as bigint) where started_at > ? returning monitor_id';
    const { query } = this.#db;
    const rows = [
      ...(await writeRows<{ monitor_id: number }>(query, states, [now, now, now, limit])),
      ...(await writeRows<{ monitor_id: number }>(query, runs, [now, limit])),
    ];
    return rows.map(({ monitor_id }) => Number(monitor_id));
  }

  /** States of all places of these monitors. */
  ofMonitors(ids: readonly number[]): Promise<State[]> {
    return this.#read(`where ${among(this.#db, 'monitor_id')} order by monitor_id, place_id`, [
      JSON.stringify(ids),
    ]);
  }

  /**
   * Rows that changed at this time or later, at most 1,000, in the order of changes; the next ones behind the last of these.
   * Clocks of servers differ, and a row is seen after its commit: ask from some seconds before the last time.
   */
  changedSince(time: number, behind?: State): Promise<State[]> {
    const page = `order by changed_at, monitor_id, place_id limit ${PAGE_ROWS}`;
    if (!behind) return this.#read(`where changed_at >= ? ${page}`, [time]);
    const { changed_at, monitor_id, place_id } = behind;
    return this.#read(
      `where changed_at >= ? and (changed_at, monitor_id, place_id) > (?, ?, ?) ${page}`,
      [changed_at, changed_at, monitor_id, place_id],
    );
  }

  /** Returns of each monitor what its places saw last. */
  async latest(): Promise<ReadonlyMap<number, Latest>> {
    const sql = `select monitor_id, min(ms) as ms, max(last_at) as last_at,
      max(case when state = ${SUSPECT} then 1 else 0 end) as suspect from monitor_state group by monitor_id`;
    const rows = await readRows<Row>(this.#db, {
      ...{ columns: 'monitor_id, ms, last_at, suspect', sql, params: [], long: true },
    });
    return new Map(
      rows.map(({ monitor_id, ms, last_at, suspect }) => [
        Number(monitor_id),
        { ms, checked_at: Number(last_at), suspect: Number(suspect) === 1 },
      ]),
    );
  }

  /** Forgets places that a monitor has no more. */
  async forget(monitor_id: number, places: readonly number[]): Promise<void> {
    const text = `delete from monitor_state where monitor_id = ? and ${among(this.#db, 'place_id')} returning place_id`;
    await writeRows(this.#db.query, text, [monitor_id, JSON.stringify(places)]);
  }

  async #changeSome(changes: readonly StateChange[]): Promise<MadeState[]> {
    const first = new Map<string, StateChange>();
    for (const change of changes) {
      const key = keyOf(change.to);
      if (!first.has(key)) first.set(key, change);
    }
    const made = new Map((await this.#write([...first.values()])).map((row) => [keyOf(row), row]));
    const answers = changes.map((change) => {
      const state = first.get(keyOf(change.to)) === change ? made.get(keyOf(change.to)) : undefined;
      return { change, state };
    });
    const lost = answers.flatMap(({ change, state }) => (state ? [] : [change.to.monitor_id]));
    const current = new Map<string, State>();
    if (lost.length > 0)
      for (const row of await this.ofMonitors(lost)) current.set(keyOf(row), row);
    return answers.map(({ change, state }) => ({
      made: state !== undefined,
      state: state ?? current.get(keyOf(change.to)),
    }));
  }

  async #write(changes: readonly StateChange[]): Promise<State[]> {
    const now = this.#clock.now();
    const rows = changes.map(({ from, to }) => {
      const { monitor_id, place_id, state, since, last_at, fails, goods, ms, code, detail } = to;
      const version = (from?.version ?? 0) + 1;
      const counts = [state, since, last_at, fails, goods];
      return [monitor_id, place_id, ...counts, ms, code, storable(detail), now, version];
    });
    const types = ['bigint', 'integer', 'smallint', 'bigint', 'bigint', 'integer', 'integer'];
    types.push('double precision', 'integer', 'text', 'bigint', 'integer');
    const values = types.map((type, place) => member(place, type)).join(', ');
    const sets = COLUMNS.split(', ').slice(2);
    // Servers take rows in one order, so that none waits for another one's for ever.
    const text = `insert into monitor_state (${COLUMNS}) select ${values} from ${this.#db.forms.elements} as v
      where exists (select 1 from monitor m where m.id = ${member(0, 'bigint')}) order by 1, 2
      on conflict (monitor_id, place_id) do update set ${sets.map((name) => `${name} = excluded.${name}`).join(', ')}
      where monitor_state.version = excluded.version - 1 returning ${COLUMNS}`;
    const written = await writeRows<State>(this.#db.query, text, [JSON.stringify(rows)]);
    return written.map(stateOf);
  }

  async #read(rest: string, params: readonly SqlValue[]): Promise<State[]> {
    const sql = `select ${COLUMNS} from monitor_state ${rest}`;
    return (await readRows<State>(this.#db, { columns: COLUMNS, sql, params })).map(stateOf);
  }
}

const keyOf = ({ monitor_id, place_id }: Pick<State, 'monitor_id' | 'place_id'>): string =>
  `${monitor_id} ${place_id}`;

/** Returns a row as it is read, with numbers where drivers give others. */
export const stateOf = (row: State): State => ({
  ...row,
  monitor_id: Number(row.monitor_id),
  since: Number(row.since),
  last_at: Number(row.last_at),
  changed_at: Number(row.changed_at),
});

import type { Clock, Database } from '@svc/plugin-sdk';
import { guarded, type QueryBuilder, type SqlValue } from '@svc/plugin-sdk/sql';
import { type HeartbeatSpec, SERVER_PLACE, type State, UNKNOWN } from '../types.ts';
import { stateOf as resultState } from './chunks.ts';
import { roundMs } from './pack.ts';
import { storable, writeRows } from './sql.ts';
import { stateOf } from './states.ts';

/** Heartbeat that a transaction has for itself: no other ping of it is taken meanwhile, and nobody judges it. */
export interface HeldHeartbeat {
  readonly trx: QueryBuilder;
  readonly id: number;
  readonly spec: HeartbeatSpec;
  readonly enable: boolean;
  /** State of its only place. `last_at` is the last ping that counts; before the first one, when it was made. */
  readonly state: State;
}

type Row = { readonly spec: string; readonly enable: number };

/** Rows that pings change together. Methods throw RpcError 103 when the database fails. */
export class HeartbeatStore {
  readonly #db: Database;
  readonly #clock: Clock;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Runs `work` on the heartbeat with this hash of its key. @returns undefined when there is none */
  byKeyHash<T>(hash: string, work: (held: HeldHeartbeat) => Promise<T>): Promise<T | undefined> {
    return this.#hold('m.key_hash = ?', hash, work);
  }

  /** Runs `work` on the heartbeat with this id. @returns undefined when there is none */
  byId<T>(id: number, work: (held: HeldHeartbeat) => Promise<T>): Promise<T | undefined> {
    return this.#hold('m.id = ?', id, work);
  }

  /** Writes the state of a held heartbeat; one that was `told` is seen by those who ask for changes. */
  async write({ trx }: HeldHeartbeat, state: State, told: boolean): Promise<State> {
    const changed_at = told ? this.#clock.now() : state.changed_at;
    const version = told ? state.version + 1 : state.version;
    const { monitor_id, since, last_at, fails, goods, ms, code } = state;
    const detail = storable(state.detail);
    const text = `update monitor_state set state = ?, since = ?, last_at = ?, fails = ?, goods = ?, ms = ?, code = ?,
      detail = ?, changed_at = ?, version = ? where monitor_id = ? and place_id = ${SERVER_PLACE} returning version`;
    const values = [state.state, since, last_at, fails, goods, ms, code, detail];
    await writeRows(trx, text, [...values, changed_at, version, monitor_id]);
    return { ...state, detail, changed_at, version };
  }

  /** Adds what a ping, or its absence, says to the results; of two at one time the first stays. */
  async addResult(
    { trx, id }: HeldHeartbeat,
    given: { at: number; ok: boolean; ms: number | null; code: number | null },
  ): Promise<void> {
    const ms = given.ms === null ? null : roundMs(given.ms);
    const text = `insert into monitor_result (monitor_id, at, place_id, state, ms, code)
      values (?, ?, ${SERVER_PLACE}, ?, ?, ?) on conflict do nothing returning at`;
    await writeRows(trx, text, [id, given.at, resultState(given.ok), ms, given.code]);
  }

  /** The row of the state is written first: it is the lock on which pings and judges of all servers wait. */
  #hold<T>(
    where: string,
    value: SqlValue,
    work: (held: HeldHeartbeat) => Promise<T>,
  ): Promise<T | undefined> {
    const text = `insert into monitor_state (monitor_id, place_id, state, since, last_at, fails, goods, detail, changed_at, version)
      select m.id, ${SERVER_PLACE}, ${UNKNOWN}, m.created_at, m.created_at, 0, 0, '', cast(? as bigint), 1 from monitor m
        where ${where} and m.kind = 'heartbeat'
      on conflict (monitor_id, place_id) do update set place_id = excluded.place_id returning *`;
    return guarded('the heartbeat could not be changed', () =>
      this.#db.transaction(async (trx) => {
        const [row] = await writeRows<State>(trx, text, [this.#clock.now(), value]);
        if (!row) return undefined;
        const state = stateOf(row);
        const of = 'select spec, enable from monitor where id = ?';
        const [monitor] = await writeRows<Row>(trx, of, [state.monitor_id]);
        if (!monitor) return undefined;
        const spec = JSON.parse(monitor.spec) as HeartbeatSpec;
        const held = { trx, id: state.monitor_id, spec, enable: monitor.enable === 1, state };
        return work(held);
      }),
    );
  }
}

import type { Clock } from '@svc/plugin-sdk';
import type { HeartbeatStore, HeldHeartbeat } from '../store/heartbeats.ts';
import { addPing } from '../store/pings.ts';
import { beginRun, endRun, endRuns, NO_RID, runsOf } from '../store/runs.ts';
import { DOWN, type HeartbeatSpec, type State, UNKNOWN, UP } from '../types.ts';
import { dueOf } from './due.ts';

/** Ping as it came. */
export interface Arrived {
  readonly kind: 'success' | 'start' | 'fail' | 'log';
  readonly exit_status: number | null;
  /** Run that it belongs to. */
  readonly rid: string | null;
  readonly method: string;
  readonly address: string;
  readonly agent: string;
  /** Time that the client says that it took, ms; null: it says nothing. */
  readonly ms: number | null;
  /** Reason that the client gives; empty: none. */
  readonly reason: string;
  readonly body: Uint8Array;
}

/** Pings of heartbeats: each one, and what it changes, is one transaction. */
export class Pings {
  readonly #store: HeartbeatStore;
  readonly #clock: Clock;

  constructor(store: HeartbeatStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Takes a ping; when this resolves it is stored. @returns false: no heartbeat has this key @throws RpcError 103 */
  async take(hash: string, ping: Arrived): Promise<boolean> {
    const taken = await this.#store.byKeyHash(hash, async (held) => {
      await this.#take(held, ping);
      return true;
    });
    return taken === true;
  }

  /** Lets a heartbeat wait anew from now on: it is unknown until its next ping, and no run of it goes on. */
  async renew(id: number): Promise<void> {
    await this.#store.byId(id, (held) => this.#renew(held));
  }

  /** Lets a heartbeat of which a ping was due by now wait anew; what it said is not made up for by time alone. */
  async resume(id: number): Promise<void> {
    await this.#store.byId(id, async (held) => {
      const { trx, spec, state } = held;
      if (state.state === DOWN) return;
      const due = dueOf(spec, state.last_at, await runsOf(trx, id));
      // A run may go on; a ping that was due meanwhile is not asked for.
      const end = due.run ? due.late_at : due.expected_at;
      if (end <= this.#clock.now()) await this.#renew(held);
    });
  }

  async #renew(held: HeldHeartbeat): Promise<void> {
    const now = this.#clock.now();
    await endRuns(held.trx, held.id);
    const counts = { fails: 0, goods: 0, ms: null, code: null, detail: '' };
    const state: State = { ...held.state, state: UNKNOWN, since: now, last_at: now, ...counts };
    await this.#store.write(held, state, true);
  }

  async #take(held: HeldHeartbeat, ping: Arrived): Promise<void> {
    const { trx, id, spec, state } = held;
    const at = this.#clock.now();
    const { exit_status, method, address, agent, body } = ping;
    const kind = counts(spec, method) ? ping.kind : 'ignored';
    const rid = ping.rid ?? NO_RID;
    let { ms } = ping;
    if (kind === 'start') {
      await beginRun(trx, id, { rid, started_at: at });
      // A run may have to end before the next ping is due: whoever judges has to look.
      await this.#store.write(held, state, true);
    }
    if (kind === 'success' || kind === 'fail') {
      const began = await endRun(trx, id, rid);
      ms ??= began === undefined ? null : Math.max(0, at - began);
      const next = stateAfter(state, ping, { at, ms });
      await this.#store.write(held, next, next.state !== state.state);
      const ok = kind === 'success';
      await this.#store.addResult(held, { at, ok, ms, code: exit_status });
    }
    const row = { monitor_id: id, at, kind, exit_status, rid: ping.rid };
    await addPing(trx, { ...row, method, address, agent, ms }, body);
  }
}

const counts = ({ methods }: HeartbeatSpec, method: string): boolean =>
  !methods || methods.length === 0 || methods.some((one) => one === method);

/** Returns what a ping that ends a run makes of a state. */
function stateAfter(
  state: State,
  ping: Arrived,
  { at, ms }: { readonly at: number; readonly ms: number | null },
): State {
  const ok = ping.kind === 'success';
  const says = ok ? UP : DOWN;
  return {
    ...state,
    ...{ state: says, since: state.state === says ? state.since : at, last_at: at },
    ...{ ms, code: ping.exit_status, detail: ok ? '' : reasonOf(ping) },
    fails: ok ? 0 : state.fails + 1,
    goods: ok ? state.goods + 1 : 0,
  };
}

function reasonOf({ exit_status, reason }: Arrived): string {
  const why = exit_status === null ? 'the job says that it failed' : `exit status ${exit_status}`;
  return reason === '' ? why : `${why}: ${reason}`;
}

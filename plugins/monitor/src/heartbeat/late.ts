import { setImmediate } from 'node:timers/promises';
import type { Logger } from '@svc/plugin-sdk';
import type { HeartbeatStore, HeldHeartbeat } from '../store/heartbeats.ts';
import type { MonitorStore } from '../store/monitors.ts';
import { endRun, type RunStore, runsOf } from '../store/runs.ts';
import { slices } from '../store/sql.ts';
import type { StateStore } from '../store/states.ts';
import {
  DOWN,
  type HeartbeatSpec,
  type Monitor,
  type State,
  UNKNOWN,
  UP,
  type Verdict,
} from '../types.ts';
import { type Due, dueOf, MOST_TIME, type Run } from './due.ts';
import { lateText } from './texts.ts';

/** Heartbeats of which one turn of the event loop computes when they are due. */
const SLICE = 20;
/** Time after which a heartbeat that could not be judged is looked at again. */
const FAILED_MS = 60_000;

/** Verdict of a heartbeat, which has one place, and when it has to be judged again without a ping; null: never. */
export interface JudgedHeartbeat extends Omit<Verdict, 'monitor_id' | 'version'> {
  readonly next_at: number | null;
}

export interface LateParts {
  readonly log: Logger;
  readonly store: HeartbeatStore;
  readonly monitors: Pick<MonitorStore, 'byIds'>;
  readonly states: Pick<StateStore, 'ofMonitors'>;
  readonly runs: RunStore;
}

export interface When {
  /** Unix ms. */
  readonly now: number;
  /** Unix ms until which nobody is late: pings may have been refused before now, and come again; undefined: since long. */
  readonly quietUntil: number | undefined;
}

/** Row of the state of a heartbeat, and its runs. */
interface Known {
  readonly state: State | undefined;
  readonly runs: readonly Run[];
}

/** Judge of heartbeats that did not come. */
export class Lateness {
  readonly #parts: LateParts;

  constructor(parts: LateParts) {
    this.#parts = parts;
  }

  /**
   * Turns those down that are late. @returns the verdict of each; a monitor that has gone has none
   * @throws RpcError 103
   */
  async judge(ids: readonly number[], when: When): Promise<ReadonlyMap<number, JudgedHeartbeat>> {
    const judged = new Map<number, JudgedHeartbeat>();
    for (const some of slices(ids)) await this.#judgeSome(some, when, judged);
    return judged;
  }

  async #judgeSome(
    ids: readonly number[],
    when: When,
    judged: Map<number, JudgedHeartbeat>,
  ): Promise<void> {
    const { monitors, states, runs } = this.#parts;
    const rows = new Map((await states.ofMonitors(ids)).map((row) => [row.monitor_id, row]));
    const going = await runs.ofMonitors(ids);
    for (const [at, monitor] of (await monitors.byIds(ids)).entries()) {
      if (at % SLICE === SLICE - 1) await setImmediate();
      const known = { state: rows.get(monitor.id), runs: going.get(monitor.id) ?? [] };
      const verdict = await this.#judge(monitor, known, when);
      if (verdict) judged.set(monitor.id, verdict);
    }
  }

  async #judge(
    monitor: Monitor,
    { state, runs }: Known,
    { now, quietUntil = now }: When,
  ): Promise<JudgedHeartbeat | undefined> {
    const spec = monitor.spec as unknown as HeartbeatSpec;
    if (state?.state === DOWN || !monitor.enable) return verdictOf(monitor, state, null);
    // Made while the clock was ahead: its row is set back as those that were called.
    if (!state && monitor.created_at > now)
      await this.#parts.store.byId(monitor.id, async () => {});
    const due = this.#dueOf(monitor.id, spec, {
      last_at: state?.last_at ?? monitor.created_at,
      runs,
    });
    if (!due) return verdictOf(monitor, state, now + FAILED_MS);
    const next_at = Math.max(due.late_at, quietUntil);
    if (next_at > now)
      return verdictOf(monitor, state, next_at < MOST_TIME ? Math.ceil(next_at) : null);
    // What was read before is old: a ping may have come in between.
    const told = await this.#parts.store.byId(monitor.id, (held) => this.#tell(held, now));
    return told && verdictOf(monitor, told, told.state === DOWN ? null : now);
  }

  /** Turns a held heartbeat down where it is still late, and forgets the run that did not end: it is told once. */
  async #tell(held: HeldHeartbeat, now: number): Promise<State> {
    const { trx, id, spec, state, enable } = held;
    if (state.state === DOWN || !enable) return state;
    const { last_at } = state;
    const due = this.#dueOf(id, spec, { last_at, runs: await runsOf(trx, id) });
    if (!due || due.late_at > now) return state;
    const { run, expected_at, late_at } = due;
    const text = lateText(spec, due, state.state === UNKNOWN ? undefined : last_at);
    // A ping is late from when it was expected; a run from when it should have ended, but not while another one said that all is well.
    const since = run ? Math.max(late_at, state.since) : expected_at;
    const counts = { fails: state.fails + 1, goods: 0, ms: null, code: null };
    if (run) await endRun(trx, id, run.rid);
    await this.#parts.store.addResult(held, { at: since, ok: false, ms: null, code: null });
    const next: State = { ...state, state: DOWN, since, ...counts, detail: text };
    return this.#parts.store.write(held, next, true);
  }

  /** @returns undefined where the settings of one monitor cannot be read: the others are judged all the same */
  #dueOf(
    monitor_id: number,
    spec: HeartbeatSpec,
    { last_at, runs }: { readonly last_at: number; readonly runs: readonly Run[] },
  ): Due | undefined {
    try {
      return dueOf(spec, last_at, runs);
    } catch (error) {
      this.#parts.log.error('when a heartbeat is due could not be computed', { monitor_id, error });
      return undefined;
    }
  }
}

function verdictOf(
  { created_at }: Monitor,
  row: State | undefined,
  next_at: number | null,
): JudgedHeartbeat {
  if (row?.state === UP || row?.state === DOWN) {
    const { state, since, detail } = row;
    const down = Number(state === DOWN);
    return { state, since, up: 1 - down, down, unknown: 0, detail, next_at };
  }
  const since = row?.since ?? created_at;
  return { state: UNKNOWN, since, up: 0, down: 0, unknown: 1, detail: '', next_at };
}

import type { Condition } from '@svc/conditions';
import type { Network } from '../network.ts';
import { run } from '../run.ts';
import type { CheckSpec, Clock, Outcome } from '../types.ts';
import { Isolation } from './isolation.ts';
import { judgeOutcome } from './outcome.ts';
import type { Job } from './runner.ts';
import { after } from './state.ts';
import { DOWN, type PlacedMonitor, type Result, type State, UNKNOWN, UP } from './types.ts';

/** Time by which clocks of servers may differ. */
const CLOCKS_DIFFER_MS = 60_000;
/** Time after which a target that is down says nothing about the place, ms. */
const LONG_DOWN_MS = 60_000;

/** A monitor that is checked here, with what its checks need. */
export interface Checked<M extends PlacedMonitor = PlacedMonitor> {
  readonly monitor: M;
  readonly spec: CheckSpec;
  readonly condition: Condition;
  readonly host: string;
}

/** Takes what a place saw. */
export interface Sink {
  /** Stores a result, and the state where it is another one; never rejects. @returns the state as it is now */
  seen(result: Result, from: State | undefined, to: State, outcome: Outcome): Promise<State>;
  /** Hears that this place was cut off, or is connected again. */
  isolated(isIsolated: boolean): void;
}

export interface PlaceParts<M extends PlacedMonitor = PlacedMonitor> {
  readonly clock: Clock;
  readonly log: { error(message: string, fields?: Record<string, unknown>): void };
  /** Returns the way out for the checks of a monitor: what it may reach is its owner's business. */
  readonly networkOf: (monitor: M) => Network;
  readonly place_id: number;
  readonly user_agent: string;
  readonly sink: Sink;
  /** Tells whether this place is known to be cut off, whatever its checks say. */
  readonly isAlone?: () => boolean;
}

/** Checks of one place: their results, what they say, and whether the place itself is cut off. */
export class PlaceChecks<M extends PlacedMonitor = PlacedMonitor> {
  readonly #parts: PlaceParts<M>;
  readonly #states = new Map<number, State>();
  readonly #isolation = new Isolation();
  /** Versions of the monitors from whose targets something came: only their silence is news. */
  readonly #answering = new Map<number, number>();

  constructor(parts: PlaceParts<M>) {
    this.#parts = parts;
  }

  get isolated(): boolean {
    return this.#isolation.isolated;
  }

  /** Takes what the place said before, for monitors that come to it. */
  load(states: readonly State[]): void {
    for (const state of states)
      if (state.place_id === this.#parts.place_id) this.#states.set(state.monitor_id, state);
  }

  /** Forgets monitors that are checked elsewhere now. */
  keep(ids: ReadonlySet<number>): void {
    for (const kept of [this.#states, this.#answering])
      for (const id of kept.keys()) if (!ids.has(id)) kept.delete(id);
    this.#isolation.keep(ids);
  }

  jobOf(checked: Checked<M>): Job {
    const { id, version, interval_s } = checked.monitor;
    return {
      ...{ monitor_id: id, version, interval_ms: interval_s * 1_000 },
      ...{ host: checked.host, owner: checked.monitor.owner ?? null },
      check: (planned, signal) => this.#check(checked, planned, signal),
    };
  }

  async #check(checked: Checked<M>, planned: number, signal: AbortSignal) {
    const { clock, log, networkOf, user_agent } = this.#parts;
    const { monitor, spec } = checked;
    const network = networkOf(monitor);
    const timeout_ms = monitor.timeout_s * 1_000;
    try {
      const outcome = await run(spec, { network, timeout_ms, signal, clock, user_agent });
      // A server that stops says nothing about its targets.
      if (signal.aborted) return undefined;
      // A process that stood still measured itself: once more.
      if (outcome.wasPaused) return clock.now();
      return await this.#take(checked, planned, outcome);
    } catch (error) {
      log.error('a check could not be judged', { monitor_id: monitor.id, error });
      return undefined;
    }
  }

  /** @returns the Unix ms of a retry; undefined: the next planned check will do */
  async #take({ monitor, condition, host }: Checked<M>, planned: number, outcome: Outcome) {
    const { clock, place_id, sink } = this.#parts;
    const judged = judgeOutcome(outcome, condition, monitor.upside_down);
    const before = notAhead(this.#states.get(monitor.id), planned);
    // Without an answer of the target it may be this place that is cut off.
    const reached = outcome.heard === undefined && !outcome.isUnknown;
    if (reached) this.#answering.set(monitor.id, monitor.version);
    if (reached || (outcome.heard === 'nothing' && this.#isNews(monitor, before, planned))) {
      const { id: monitor_id, owner = null } = monitor;
      const change = this.#isolation.add({
        ...{ monitor_id, owner, host, at: clock.monotonic(), reached },
      });
      if (change !== undefined) sink.isolated(change);
    }
    const isCutOff = this.#isolation.isolated || (this.#parts.isAlone?.() ?? false);
    const isUnknown = outcome.isUnknown || (isCutOff && !reached);
    const ok = isUnknown ? null : judged.ok;
    const result: Result = { monitor_id: monitor.id, place_id, at: planned, ...judged, ok };
    const to = after(before, result, this.#rulesOf(monitor, before, reached));
    const state = await sink.seen(result, before, to, outcome);
    this.#states.set(monitor.id, state);
    return state.fails > 0 && state.state !== DOWN
      ? clock.now() + monitor.retry_s * 1_000
      : undefined;
  }

  /** Tells whether the silence of a target may be that of this place: it answered before, and has not long been down. */
  #isNews({ id, version, upside_down }: M, before: State | undefined, planned: number): boolean {
    if (before?.state === DOWN && planned - before.since > LONG_DOWN_MS) return false;
    if (this.#answering.get(id) === version) return true;
    return !upside_down && (before?.state === UP || before?.state === UNKNOWN);
  }

  /** While this place may just be losing its connection, nothing turns down: the failures are kept, and count afterwards. */
  #rulesOf(monitor: M, before: State | undefined, reached: boolean) {
    const at = this.#parts.clock.monotonic();
    const waits = !reached && before?.state !== DOWN && this.#isolation.isDoubtful(monitor.id, at);
    return {
      retries: waits ? Number.MAX_SAFE_INTEGER : monitor.retries,
      recover_after: monitor.recover_after,
    };
  }
}

/** Returns a state as it counts at this time: what was seen before the clock was set back is not newer than what comes. */
function notAhead(state: State | undefined, at: number): State | undefined {
  if (!state || state.last_at - at < CLOCKS_DIFFER_MS) return state;
  return { ...state, since: Math.min(state.since, at - 1), last_at: at - 1 };
}

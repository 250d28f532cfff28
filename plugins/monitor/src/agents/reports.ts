import { after } from '@svc/checks';
import type { Agent } from '@svc/plugin-agent-uuid/api';
import { type Clock, RpcError } from '@svc/plugin-sdk';
import { KeyedQueue } from '@svc/plugin-sdk/util';
import type { KnownMonitors } from '../engine/known.ts';
import type { CertificateStore } from '../store/certificates.ts';
import type { DensityStore } from '../store/density.ts';
import type { ResultStore } from '../store/results.ts';
import type { ListedMonitor } from '../store/rows.ts';
import type { StateStore } from '../store/states.ts';
import { DOWN, type Result, type State } from '../types.ts';
import { gapOf, plausible } from './density.ts';
import type { Placing } from './placing.ts';
import type { Reported } from './wire.ts';

/** Age up to which results are taken: agents keep them while they cannot send them, ms. */
const LATE_MS = 6 * 3_600_000;
/** Time by which the clock of an agent may go before that of the server, ms. */
const AHEAD_MS = 10_000;
/** What a place saw last is written this often at least, where it says the same. */
const PROGRESS_MS = 60_000;
const INTERVALS = 1.5;
/** Another server may take a report of the same agent at the same time. */
const ATTEMPTS = 4;

export interface ReportParts {
  readonly clock: Clock;
  readonly known: Pick<KnownMonitors, 'byId'>;
  readonly placing: Pick<Placing, 'monitorsOf'>;
  readonly results: Pick<ResultStore, 'add'>;
  readonly states: Pick<StateStore, 'change' | 'ofMonitors' | 'progress'>;
  readonly certificates: Pick<CertificateStore, 'put'>;
  readonly density: Pick<DensityStore, 'around'>;
}

/** Takes what agents measured. */
export class Reports {
  readonly #parts: ReportParts;
  readonly #queue = new KeyedQueue();

  constructor(parts: ReportParts) {
    this.#parts = parts;
  }

  /** Stores results of an agent; those that are there already change nothing. @returns how many are not taken @throws RpcError 103, 999 */
  take(agent: Agent, reported: readonly Reported[]): Promise<{ taken: number; refused: number }> {
    return this.#queue.run(agent.uuid, async () => {
      const good = await this.#good(agent, reported);
      if (good.length > 0) await this.#store(agent, good);
      return { taken: good.length, refused: reported.length - good.length };
    });
  }

  /** Returns results of monitors that are placed at the agent, in the order of their times. */
  async #good({ id }: Agent, reported: readonly Reported[]): Promise<Reported[]> {
    const { clock, density, known, placing } = this.#parts;
    const now = clock.now();
    const own = placing.monitorsOf(id);
    const good = reported.flatMap((one) => {
      const { at, monitor: monitor_id } = one;
      const monitor = own.has(monitor_id) ? known.byId(monitor_id) : undefined;
      const isInTime = at <= now + AHEAD_MS && at >= now - LATE_MS;
      return monitor && isInTime ? [[one, gapOf(monitor)] as const] : [];
    });
    if (good.length === 0) return [];
    const sorted = good.sort(([a], [b]) => a.at - b.at);
    return plausible(density, id, sorted);
  }

  async #store({ id: place_id }: Agent, good: readonly Reported[]): Promise<void> {
    const { certificates, results } = this.#parts;
    await results.add(good.map((one) => resultOf(one, place_id)));
    for (const { monitor: monitor_id, at, certificate } of good)
      if (certificate)
        await certificates.put({ monitor_id, place_id, at, inspection: certificate });
    let ids = [...new Set(good.map(({ monitor }) => monitor))];
    for (let attempt = 0; ids.length > 0; attempt++) {
      if (attempt === ATTEMPTS)
        throw RpcError.other('the states of these places change; try again');
      ids = await this.#judge(place_id, ids, good);
    }
  }

  /** @returns monitors whose state another server changed in between */
  async #judge(place_id: number, ids: readonly number[], good: readonly Reported[]) {
    const { known, states } = this.#parts;
    const stored = await states.ofMonitors(ids);
    const before = new Map(
      stored.flatMap((one) => (one.place_id === place_id ? [[one.monitor_id, one]] : [])),
    );
    const progress: State[] = [];
    const changes: { readonly from: State | undefined; readonly to: State }[] = [];
    for (const id of ids) {
      const monitor = known.byId(id);
      const from = before.get(id);
      const to = monitor && last(monitor, from, good, place_id);
      if (!monitor || !to || to === from) continue;
      if (isOther(from, to)) changes.push({ from, to });
      else if (isDue(from, to, monitor)) progress.push(to);
    }
    if (progress.length > 0) await states.progress(progress);
    const made = await states.change(changes);
    return changes.flatMap(({ to }, at) =>
      made[at]?.made || !made[at]?.state ? [] : to.monitor_id,
    );
  }
}

const resultOf = ({ monitor, at, ok, ms, code, detail }: Reported, place_id: number): Result => ({
  ...{ monitor_id: monitor, place_id, at, ok, ms, code, detail },
});

/** Returns what a place says after its results. */
function last(
  { id, retries, recover_after }: ListedMonitor,
  from: State | undefined,
  good: readonly Reported[],
  place_id: number,
): State | undefined {
  let state = from;
  for (const one of good) {
    if (one.monitor !== id) continue;
    const waits = one.doubtful && one.ok === false && state?.state !== DOWN;
    const rules = { retries: waits ? Number.MAX_SAFE_INTEGER : retries, recover_after };
    state = after(state, resultOf(one, place_id), rules);
  }
  return state;
}

/** Tells whether a state has to be written with its version; one that was silent for long is judged again by that. */
const isOther = (from: State | undefined, to: State): boolean =>
  !from ||
  from.state !== to.state ||
  from.since !== to.since ||
  to.last_at - from.last_at > 180_000;

/** Failures, and good results after them, are counted in the row. */
const isDue = (from: State | undefined, to: State, { interval_s }: ListedMonitor): boolean =>
  to.fails > 0 ||
  to.state === DOWN ||
  to.last_at - (from?.last_at ?? 0) >= Math.min(PROGRESS_MS, INTERVALS * interval_s * 1_000);

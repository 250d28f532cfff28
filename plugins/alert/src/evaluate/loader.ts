import type { Kernel } from '@svc/plugin-sdk';
import { Throttle } from '@svc/plugin-sdk/util';
import type { Rules, Transitions } from '../types.ts';
import type { AgentState } from './agent-state.ts';
import { ClockOffset } from './clock-offset.ts';
import type { ClockStore } from './store.ts';

/** Agents of one statement. */
const BATCH = 200;
/** Pause after a failure, ms. */
const PAUSE_MS = 5_000;

interface Sources {
  readonly transitions: Transitions;
  readonly rules: Pick<Rules, 'usesReports'>;
  readonly clocks: ClockStore;
  /** Hears of agents that were read for the first time, or again. */
  readonly onLoaded: (state: AgentState) => void;
}

/** Reads the alerts of agents, many at a time. */
export class Loader {
  readonly #kernel: Pick<Kernel, 'clock' | 'log'>;
  readonly #sources: Sources;
  readonly #wanted = new Set<AgentState>();
  readonly #warnings: Throttle;
  #running: Promise<void> | undefined;
  #notBefore = -Infinity;

  constructor(kernel: Pick<Kernel, 'clock' | 'log'>, sources: Sources) {
    this.#kernel = kernel;
    this.#sources = sources;
    this.#warnings = new Throttle(kernel.clock);
  }

  want(state: AgentState): void {
    if (this.#kernel.clock.monotonic() < this.#notBefore) return;
    this.#wanted.add(state);
    this.#running ??= this.#run();
  }

  async settled(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    await new Promise(setImmediate);
    while (this.#wanted.size > 0) {
      const batch = [...this.#wanted].slice(0, BATCH);
      for (const state of batch) this.#wanted.delete(state);
      try {
        await this.#load(batch);
      } catch (error) {
        // The next report of each asks again.
        this.#wanted.clear();
        this.#notBefore = this.#kernel.clock.monotonic() + PAUSE_MS;
        const more = this.#warnings.pass();
        if (more !== undefined) this.#kernel.log.warn('alerts could not be read', { error, more });
      }
    }
    this.#running = undefined;
  }

  async #load(batch: readonly AgentState[]): Promise<void> {
    const { transitions, rules, clocks, onLoaded } = this.#sources;
    const since = this.#kernel.clock.monotonic();
    const fresh = batch.filter(({ loadedAt }) => loadedAt === undefined);
    const [rows, offsets] = await Promise.all([
      transitions.load(
        'agent',
        batch.map(({ agent }) => agent.uuid),
      ),
      fresh.length > 0 ? clocks.read(fresh.map(({ agent }) => agent.id)) : undefined,
    ]);
    const { clock } = this.#kernel;
    const moment = { at: clock.now(), now: clock.monotonic(), since };
    // Progress of other rules' holds is stored by the server that judges them.
    const own = rows.filter(({ rule_id }) => rules.usesReports(rule_id));
    const byAgent = Map.groupBy(own, ({ subject_id }) => subject_id);
    for (const state of fresh) state.clock = new ClockOffset(offsets?.get(state.agent.id));
    for (const state of batch) {
      state.loaded(byAgent.get(state.agent.uuid) ?? [], moment);
      onLoaded(state);
    }
  }
}

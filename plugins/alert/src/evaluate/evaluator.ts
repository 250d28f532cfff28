import { SUMMARY_COLUMNS } from '@svc/plugin-agent/api';
import type { Agent } from '@svc/plugin-agent-uuid/api';
import { Throttle } from '@svc/plugin-sdk/util';
import type { LoadedRule } from '../types.ts';
import { AgentState, type Arrived } from './agent-state.ts';
import type { Bench, EvaluatorCounts, EvaluatorParts } from './bench.ts';
import { Changes } from './changes.ts';
import { Costs } from './costs.ts';
import { judgeFull, judgeSummary, learnCores } from './judging.ts';
import { Loader } from './loader.ts';
import { storeProgress } from './progress.ts';
import { Refill } from './refill.ts';
import { ClockStore } from './store.ts';
import type { Row } from './variables.ts';

/** Work of one turn of the event loop, ms. */
const SLICE_MS = 4;
/** Reports that wait to be judged: beyond, the newest are left out and counted. */
const MOST_ROWS = 20_000;
/** Time after which alerts are read again: another server, or a person, may have changed them. */
const COPY_MS = 60_000;
/** Conditions that need full reports although they are about the machine. */
const CORES = /\bcores\b/;
const TICK_MS = 10_000;
/** Distance of two warnings about a rule that cannot be evaluated, ms. */
const ERROR_MS = 3_600_000;
/** Time without a report after which an agent's state leaves the memory. */
const IDLE_MS = 20 * 60_000;

/** Judges committed reports by the rules of their agents. */
export class Evaluator implements Bench {
  readonly counts: EvaluatorCounts = { reports: 0, evaluations: 0, late: 0, left: 0 };
  readonly costs: Costs;
  readonly changes: Changes;
  readonly errors: Throttle;
  readonly #parts: EvaluatorParts;
  readonly #clocks: ClockStore;
  readonly #loader: Loader;
  readonly #refill: Refill;
  readonly #states = new Map<number, AgentState>();
  readonly #agents = new Map<number, Agent>();
  readonly #removes: (() => void)[] = [];
  #queue: Arrived[] = [];
  #isPumping = false;
  #usesCores = false;
  #removeFull: (() => void) | undefined;

  constructor(parts: EvaluatorParts) {
    const { kernel, transitions, slow_ms = () => 1 } = parts;
    this.#parts = parts;
    this.#clocks = new ClockStore(kernel.db);
    this.costs = new Costs(parts, slow_ms);
    this.changes = new Changes(kernel, transitions);
    this.errors = new Throttle(kernel.clock, ERROR_MS);
    this.#loader = new Loader(kernel, {
      ...{ transitions, rules: parts.rules, clocks: this.#clocks },
      onLoaded: (state) => this.#catchUp(state),
    });
    this.#refill = new Refill(kernel, parts.buckets);
  }

  get parts(): EvaluatorParts {
    return this.#parts;
  }

  start(): void {
    const { kernel, registry, rules, stored } = this.#parts;
    for (const agent of registry.list()) this.#agents.set(agent.id, agent);
    this.#removes.push(
      registry.onChange((agent) => this.#learn(agent)),
      rules.onChange(() => this.#rulesChanged()),
      stored.listen((rows) => this.#take(rows, false)),
    );
    this.#rulesChanged();
    kernel.every('progress of alerts', TICK_MS, () => this.tick());
  }

  /** Resolves when what was judged is stored. */
  async stop(): Promise<void> {
    for (const remove of this.#removes.splice(0)) remove();
    this.#removeFull?.();
    this.#queue = [];
    await this.settled();
  }

  /** Resolves when nothing is being read or written. */
  async settled(): Promise<void> {
    while (this.#isPumping) await new Promise(setImmediate);
    await this.#loader.settled();
    // Reports that waited for the loader are judged, and may want minutes that are stored.
    while (this.#isPumping) await new Promise(setImmediate);
    await this.#refill.settled();
    await this.changes.settled();
  }

  /** Stores how far holds have come, and what is known of clocks; forgets agents that are gone. */
  async tick(): Promise<void> {
    const { kernel, transitions } = this.#parts;
    const states = [...this.#states.values()];
    await storeProgress({ states, transitions, changes: this.changes, now: kernel.clock.now() });
    const offsets = states.flatMap(({ agent, clock }) => {
      const offset = clock.toStore();
      return offset === undefined ? [] : [{ uuid_id: agent.id, offset_ms: Math.round(offset) }];
    });
    await this.#clocks.write(offsets);
    const now = kernel.clock.monotonic();
    for (const [id, { heardAt }] of this.#states) {
      if (now - heardAt > IDLE_MS) this.#states.delete(id);
    }
  }

  #learn(agent: Agent): void {
    this.#agents.set(agent.id, agent);
    if (agent.soft_delete) this.#states.delete(agent.id);
  }

  #rulesChanged(): void {
    const { rules, full } = this.#parts;
    this.costs.keep(rules.list());
    this.#usesCores = rules
      .list()
      .some(({ condition, clear }) => CORES.test(`${condition} ${clear}`));
    if (rules.anyParts || this.#usesCores)
      this.#removeFull ??= full.listen((rows) => this.#take(rows, true));
    else {
      this.#removeFull?.();
      this.#removeFull = undefined;
    }
  }

  #take(rows: readonly Row[], isFull: boolean): void {
    const now = this.#parts.kernel.clock.monotonic();
    for (const row of rows) {
      if (this.#queue.length < MOST_ROWS) this.#queue.push({ row, now, isFull });
      else this.counts.left++;
    }
    this.#begin();
  }

  #begin(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    setImmediate(() => this.#pump());
  }

  /** Judges reports in slices that leave the event loop to others. */
  #pump(): void {
    const queue = this.#queue;
    const end = performance.now() + SLICE_MS;
    let done = 0;
    while (done < queue.length) {
      this.#accept(queue[done++] as Arrived);
      if (performance.now() > end) break;
    }
    this.#queue = done < queue.length ? queue.slice(done) : [];
    if (this.#queue.length > 0) setImmediate(() => this.#pump());
    else this.#isPumping = false;
  }

  #accept(arrived: Arrived): void {
    const id = arrived.row[SUMMARY_COLUMNS.uuid_id] as number;
    const known = this.#states.get(id);
    if (arrived.isFull && this.#usesCores && known) learnCores(known, arrived);
    const rules = this.#rulesFor(id, arrived.isFull);
    if (rules.length === 0) return;
    const state = this.#stateOf(id);
    if (!state) return;
    state.heardAt = arrived.now;
    if (state.loadedAt === undefined) {
      state.wait(arrived);
      this.#loader.want(state);
      return;
    }
    if (arrived.now - state.loadedAt > COPY_MS) this.#loader.want(state);
    this.#judge(state, rules, arrived);
  }

  #rulesFor(id: number, isFull: boolean): readonly LoadedRule[] {
    const { rules } = this.#parts;
    return isFull ? rules.ofParts(id) : rules.ofMachine(id);
  }

  #stateOf(id: number): AgentState | undefined {
    const known = this.#states.get(id);
    if (known) return known;
    const agent = this.#agents.get(id);
    if (!agent || agent.soft_delete) return undefined;
    const state = new AgentState(agent);
    this.#states.set(id, state);
    return state;
  }

  #judge(state: AgentState, rules: readonly LoadedRule[], arrived: Arrived): void {
    if (arrived.isFull) judgeFull(this, state, { rules, arrived });
    else judgeSummary(this, state, { rules, arrived });
    this.#refill.want(state);
  }

  /** Takes up what waited for the alerts of its agent. */
  #catchUp(state: AgentState): void {
    this.#queue.push(...state.waiting.splice(0));
    this.#begin();
  }
}

import type { Outcome, Sink } from '@svc/checks';
import type { Clock, Logger } from '@svc/plugin-sdk';
import { Throttle } from '@svc/plugin-sdk/util';
import type { Answer, AnswerStore } from '../store/answers.ts';
import type { CertificateStore } from '../store/certificates.ts';
import type { ResultStore } from '../store/results.ts';
import type { MadeState, StateChange, StateStore } from '../store/states.ts';
import type { Result, State } from '../types.ts';

/** Results that wait for the database at most; beyond, the oldest are lost. */
const MOST_WAITING = 20_000;
/** What a place saw last is written this often at least, where it says the same; sooner for short intervals. */
const PROGRESS_MS = 60_000;
const INTERVALS = 1.5;
/** A place that was silent for so many intervals is heard again: its monitors have to be judged. */
const SILENT_INTERVALS = 3;

export interface RecorderParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly results: Pick<ResultStore, 'add'>;
  readonly states: Pick<StateStore, 'change' | 'progress'>;
  readonly certificates: Pick<CertificateStore, 'put'>;
  readonly answers: Pick<AnswerStore, 'put'>;
  readonly intervalOf: (monitor_id: number) => number;
  readonly isolated: (isIsolated: boolean) => void;
}

interface Waiting {
  readonly change: StateChange;
  readonly done: (made: MadeState | undefined) => void;
}

/** Stores what this server sees: results each second, changed states at once, the others from time to time. */
export class Recorder implements Sink {
  readonly #parts: RecorderParts;
  readonly #failures: Throttle;
  readonly counts = { up: 0, failed: 0, unknown: 0 };
  #results: Result[] = [];
  #lost = 0;
  /** Last answers that were not good, by monitor. */
  readonly #answers = new Map<number, Answer>();
  #changes: Waiting[] = [];
  #isChanging = false;
  /** Monitors whose state differs from that of the database. */
  readonly #unsaved = new Set<number>();
  /** Last time of each state that was written, and states that are to be written, by monitor. */
  readonly #written = new Map<number, number>();
  readonly #progress = new Map<number, State>();

  constructor(parts: RecorderParts) {
    this.#parts = parts;
    this.#failures = new Throttle(parts.clock);
  }

  /** Results that were lost because the database was away for too long. */
  get lost(): number {
    return this.#lost;
  }

  async seen(
    result: Result,
    from: State | undefined,
    to: State,
    { certificate: inspection, sample }: Outcome,
  ): Promise<State> {
    this.counts[result.ok === null ? 'unknown' : result.ok ? 'up' : 'failed']++;
    this.#results.push(result);
    const { monitor_id, place_id, at } = result;
    if (result.ok === false && sample)
      this.#answers.set(monitor_id, { monitor_id, place_id, at, text: sample });
    if (inspection)
      await this.#parts.certificates
        .put({ monitor_id, place_id, at, inspection })
        .catch((error: unknown) => this.#failed('a certificate', error));
    const isOther = !from || from.state !== to.state || from.since !== to.since;
    if (isOther || this.#wasSilent(from, to) || this.#unsaved.has(monitor_id))
      return this.#change(from, to);
    this.#note(to);
    return to;
  }

  isolated(isIsolated: boolean): void {
    this.#parts.isolated(isIsolated);
  }

  /** Forgets monitors that are checked elsewhere now. */
  keep(ids: ReadonlySet<number>): void {
    for (const kept of [this.#unsaved, this.#written, this.#progress])
      for (const id of kept.keys()) if (!ids.has(id)) kept.delete(id);
  }

  /** Writes what waits: each second, and before the server ends. */
  async flush(): Promise<void> {
    const results = this.#results;
    const states = [...this.#progress.values()];
    const answers = [...this.#answers.values()];
    this.#results = [];
    this.#progress.clear();
    this.#answers.clear();
    try {
      if (results.length > 0) await this.#parts.results.add(results);
    } catch (error) {
      this.#failed('results', error);
      const all = [...results, ...this.#results];
      this.#lost += Math.max(0, all.length - MOST_WAITING);
      this.#results = all.slice(-MOST_WAITING);
    }
    try {
      if (states.length > 0) await this.#parts.states.progress(states);
    } catch (error) {
      // The next result of each is written at once.
      for (const { monitor_id } of states) this.#written.delete(monitor_id);
      this.#failed('states', error);
    }
    // One that is lost comes again with the next failure.
    if (answers.length > 0)
      await this.#parts.answers
        .put(answers)
        .catch((error: unknown) => this.#failed('answers', error));
  }

  #wasSilent({ monitor_id, last_at }: State, to: State): boolean {
    const written = this.#written.get(monitor_id) ?? last_at;
    return to.last_at - written >= SILENT_INTERVALS * this.#parts.intervalOf(monitor_id);
  }

  /** Remembers to write when a place saw something last, where that was long ago. */
  #note(state: State): void {
    const { monitor_id, last_at } = state;
    const every = Math.min(PROGRESS_MS, INTERVALS * this.#parts.intervalOf(monitor_id));
    if (Math.abs(last_at - (this.#written.get(monitor_id) ?? 0)) < every) return;
    this.#written.set(monitor_id, last_at);
    this.#progress.set(monitor_id, state);
  }

  async #change(from: State | undefined, to: State): Promise<State> {
    const { monitor_id } = to;
    this.#progress.delete(monitor_id);
    const made = await new Promise<MadeState | undefined>((done) => {
      this.#changes.push({ change: { from, to }, done });
      void this.#write();
    });
    if (!made) {
      this.#unsaved.add(monitor_id);
      return to;
    }
    this.#unsaved.delete(monitor_id);
    // Another server was first, or the monitor has gone: judging goes on from what is there.
    const state = made.state ?? to;
    this.#written.set(monitor_id, state.last_at);
    return state;
  }

  /** Writes changes; those that come meanwhile are written together by the next statement. */
  async #write(): Promise<void> {
    if (this.#isChanging) return;
    this.#isChanging = true;
    while (this.#changes.length > 0) {
      const some = this.#changes;
      this.#changes = [];
      let made: readonly MadeState[] = [];
      try {
        made = await this.#parts.states.change(some.map(({ change }) => change));
      } catch (error) {
        this.#failed('states', error);
      }
      for (const [at, { done }] of some.entries()) done(made[at]);
    }
    this.#isChanging = false;
  }

  #failed(what: string, error: unknown): void {
    if (this.#failures.pass(what) !== undefined)
      this.#parts.log.error(`${what} of monitors could not be stored; tried again`, { error });
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import type { Clock, Logger } from '@svc/plugin-sdk';
import { Throttle, within } from '@svc/plugin-sdk/util';
import type { Entry } from './entry.ts';

/** Rows of one transaction, and the characters of their targets. */
const BATCH_ROWS = 200;
const BATCH_CHARS = 262_144;
/** Time that events wait for others. */
const GATHER_MS = 50;
/** Most events that wait while the database does not answer; further ones are counted. */
const MOST_ROWS = 10_000;
const MOST_CHARS = 16_777_216;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** Longest wait of a reader, or of the stop, for earlier events. */
const FLUSH_MS = 5_000;

/** Queue of events on their way to the chain, written in batches, apart from the calls that they record. */
export class Recorder {
  readonly #append: (entries: readonly Entry[]) => Promise<void>;
  readonly #lostEntry: (count: number) => Entry;
  readonly #log: Logger;
  readonly #stopping: AbortSignal;
  readonly #queue: Entry[] = [];
  #chars = 0;
  /** Number of lost events that no row records yet. */
  #lost = 0;
  readonly #lossWarnings: Throttle;
  readonly #failureWarnings: Throttle;
  #work: Promise<void> | undefined;
  #isStopped = false;
  /** Number of waiting readers. */
  #hurries = 0;
  #wake: (() => void) | undefined;

  constructor(options: {
    readonly append: (entries: readonly Entry[]) => Promise<void>;
    /** Row that records lost events. */
    readonly lost: (count: number) => Entry;
    readonly clock: Clock;
    readonly log: Logger;
    readonly stopping: AbortSignal;
  }) {
    this.#append = options.append;
    this.#lostEntry = options.lost;
    this.#lossWarnings = new Throttle(options.clock);
    this.#failureWarnings = new Throttle(options.clock);
    this.#log = options.log;
    this.#stopping = options.stopping;
  }

  add(entry: Entry): void {
    const chars = entry.target.length;
    if (this.#queue.length >= MOST_ROWS || this.#chars + chars > MOST_CHARS) this.#lose();
    else {
      this.#queue.push(entry);
      this.#chars += chars;
    }
    this.#work ??= this.#run();
  }

  /** Resolves when everything that was added before is stored, or after five seconds. */
  async flush(): Promise<void> {
    this.#hurries++;
    this.#wake?.();
    if (this.#work) await within(FLUSH_MS, this.#work);
    this.#hurries--;
  }

  /** Makes the last attempt to store waiting events. */
  async stop(): Promise<void> {
    await this.flush();
    this.#isStopped = true;
    const lost = this.#queue.length + this.#lost;
    if (lost > 0) this.#log.error('changes are not recorded: the server stopped first', { lost });
  }

  /** Stores until nothing waits any more, or until the server stops and the database refuses. */
  async #run(): Promise<void> {
    await this.#pause(GATHER_MS);
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        await this.#batches();
        break;
      } catch (error) {
        this.#tellFailure(error);
      }
      if (this.#stopping.aborted || this.#isStopped) break;
      await this.#pause(pause);
    }
    this.#work = undefined;
  }

  async #batches(): Promise<void> {
    while (this.#queue.length > 0 || this.#lost > 0) {
      const batch = this.#nextBatch();
      const lost = this.#lost;
      await this.#append(lost > 0 ? [...batch, this.#lostEntry(lost)] : batch);
      this.#lost -= lost;
      this.#queue.splice(0, batch.length);
      for (const { target } of batch) this.#chars -= target.length;
      if (this.#queue.length > 0 && this.#queue.length < BATCH_ROWS) await this.#pause(GATHER_MS);
    }
  }

  #nextBatch(): Entry[] {
    let chars = 0;
    let rows = 0;
    for (const { target } of this.#queue) {
      chars += target.length;
      if (rows === BATCH_ROWS || (rows > 0 && chars > BATCH_CHARS)) break;
      rows++;
    }
    return this.#queue.slice(0, rows);
  }

  #lose(): void {
    this.#lost++;
    if (this.#lossWarnings.pass() === undefined) return;
    this.#log.error('changes are not recorded: the queue of the audit is full', {
      lost: this.#lost,
    });
  }

  #tellFailure(error: unknown): void {
    if (this.#failureWarnings.pass() === undefined) return;
    const waiting = this.#queue.length;
    this.#log.error('changes wait to be recorded: the database does not take them', {
      waiting,
      error,
    });
  }

  /** Waits for further events; ends early for a reader, and when the server stops. */
  async #pause(ms: number): Promise<void> {
    if (ms === GATHER_MS && this.#hurries > 0) return;
    const wake = new AbortController();
    this.#wake = () => wake.abort();
    const signal = AbortSignal.any([this.#stopping, wake.signal]);
    await delay(ms, undefined, { signal }).catch(() => undefined);
  }
}

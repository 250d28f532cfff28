import type { Outcome, Sandbox } from '../api.ts';

/** Runs that may wait for one context (js-worker.md §1). */
const MOST_WAITING = 256;
export const QUEUE_FULL = 'Worker queue full, request rejected';

export const WAITED_TOO_LONG = 'Worker busy, request waited too long';

/** How a run may be treated while it waits. */
export interface Queueing {
  /** Nothing is lost when it goes to the context's thread before its turn. */
  readonly ahead?: boolean;
  /** Given up when its turn has not come by then, ms. */
  readonly wait_ms?: number;
}

interface Waiting {
  readonly ahead: boolean;
  run(sandbox: Sandbox): Promise<Outcome>;
  settle(outcome: Outcome): void;
}

export interface PooledOptions {
  /** Of the row that the context was made from. */
  readonly version: number;
  readonly heap: number;
  readonly now: () => number;
  readonly open: () => Promise<Sandbox>;
  /** @returns calls it off */
  readonly after: (ms: number, work: () => void) => () => void;
}

/** The long-lived context of one worker and the runs that wait for it: one at a time, in order. */
export class Pooled {
  readonly version: number;
  readonly heap: number;
  readonly #options: PooledOptions;
  readonly #waiting: Waiting[] = [];
  #sandbox: Sandbox | undefined;
  #running = 0;
  #retired = false;
  /** Some run was tried; before, the context is only there in advance. */
  used = false;
  /** Unix ms. */
  lastUsed: number;
  /** ms as stored, of the latest run; null: never cleaned. */
  clean_ms: number | null = null;

  constructor(options: PooledOptions, sandbox?: Sandbox) {
    this.#options = options;
    this.#sandbox = sandbox;
    this.version = options.version;
    this.heap = options.heap;
    this.lastUsed = options.now();
  }

  /** Running and waiting. */
  get requests(): number {
    return this.#waiting.length + this.#running;
  }

  run(run: Waiting['run'], { ahead = false, wait_ms }: Queueing = {}): Promise<Outcome> {
    this.used = true;
    // One that was handed over ahead still waits.
    if (this.requests - Math.min(1, this.#running) >= MOST_WAITING)
      return Promise.resolve(failure(QUEUE_FULL));
    return new Promise((settle) => {
      const waiting = { ahead, run, settle };
      this.#waiting.push(waiting);
      this.#advance();
      if (wait_ms !== undefined && this.#waiting.at(-1) === waiting) this.#bound(waiting, wait_ms);
    });
  }

  /** No new runs; those that wait still execute, or end with this text. */
  retire(cancel?: string): void {
    this.#retired = true;
    if (cancel !== undefined)
      for (const { settle } of this.#waiting.splice(0)) settle(failure(cancel));
    if (this.#running === 0) this.#dispose();
  }

  #dispose(): void {
    this.#sandbox?.dispose();
    this.#sandbox = undefined;
  }

  #bound(waiting: Waiting, wait_ms: number): void {
    const { run, settle } = waiting;
    const stop = this.#options.after(wait_ms, () => {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      settle(failure(WAITED_TOO_LONG));
    });
    waiting.run = (sandbox) => {
      stop();
      return run(sandbox);
    };
    waiting.settle = (outcome) => {
      stop();
      settle(outcome);
    };
  }

  #advance(): void {
    while (this.#mayStart()) {
      const next = this.#waiting.shift() as Waiting;
      this.#running++;
      void this.#one(next).then((outcome) => {
        this.#running--;
        this.lastUsed = this.#options.now();
        // The next one first: its thread waits, a response does not.
        this.#advance();
        next.settle(outcome);
        if (this.#retired && this.#running === 0) this.#dispose();
      });
    }
  }

  #mayStart(): boolean {
    const [next] = this.#waiting;
    if (!next || this.#running === 0) return next !== undefined;
    return this.#running === 1 && next.ahead && this.#sandbox?.takesAhead === true;
  }

  async #one({ run }: Waiting): Promise<Outcome> {
    try {
      this.#sandbox ??= await this.#options.open();
      return await run(this.#sandbox);
    } catch (error) {
      return failure((error as Error).message);
    }
  }
}

export const failure = (detail: string): Outcome => ({ kind: 'failure', detail, late: false });

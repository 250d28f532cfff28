import type { Outcome, Sandbox } from '@svc/plugin-script-quickjs/api';

/** Runs that may wait for one context (js-worker.md §1). */
const MOST_WAITING = 256;
export const QUEUE_FULL = 'Worker queue full, request rejected';

export const WAITED_TOO_LONG = 'Worker busy, request waited too long';

/** How a run may be treated while it waits. */
export interface Queueing {
  /** Nothing is lost when it goes to the context's thread before its turn. */
  readonly ahead?: boolean;
  /** Given up when it has not begun by then, ms. */
  readonly wait_ms?: number;
}

/** What becomes of a run while it waits for its context and for a thread. */
export interface Turn {
  /** False: its caller does not wait for it any more. */
  isWanted: boolean;
  hasBegun: boolean;
  /** Takes it back from the thread where it waits, unless it has begun. */
  withdraw: (() => boolean) | undefined;
  /** It is a thread's now. */
  begun(): void;
}

export type PooledRun = (sandbox: Sandbox, turn: Turn) => Promise<Outcome>;

interface Waiting extends Turn {
  readonly ahead: boolean;
  readonly run: PooledRun;
  settle(outcome: Outcome): void;
  stop: (() => void) | undefined;
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
  /** At a thread, or on the way there. */
  readonly #handed = new Set<Waiting>();
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
    return this.#waiting.length + this.#handed.size;
  }

  run(run: PooledRun, { ahead = false, wait_ms }: Queueing = {}): Promise<Outcome> {
    this.used = true;
    // One that was handed over ahead still waits.
    if (this.requests - Math.min(1, this.#handed.size) >= MOST_WAITING)
      return Promise.resolve(failure(QUEUE_FULL));
    return new Promise((settle) => {
      const waiting = waitingFor({ ahead, run, settle });
      this.#waiting.push(waiting);
      this.#advance();
      if (wait_ms !== undefined && !waiting.hasBegun) this.#bound(waiting, wait_ms);
    });
  }

  /** No new runs; those that wait still execute, or end with this text. */
  retire(cancel?: string): void {
    this.#retired = true;
    if (cancel !== undefined) {
      const unbegun = [...this.#handed].filter(({ withdraw }) => withdraw?.());
      for (const waiting of [...unbegun, ...this.#waiting.splice(0)]) end(waiting, failure(cancel));
    }
    if (this.#handed.size === 0) this.#dispose();
  }

  #dispose(): void {
    this.#sandbox?.dispose();
    this.#sandbox = undefined;
  }

  #bound(waiting: Waiting, wait_ms: number): void {
    waiting.stop = this.#options.after(wait_ms, () => {
      const at = this.#waiting.indexOf(waiting);
      if (at >= 0) this.#waiting.splice(at, 1);
      else if (waiting.withdraw && !waiting.withdraw()) return;
      waiting.isWanted = false;
      waiting.settle(failure(WAITED_TOO_LONG));
    });
  }

  #advance(): void {
    while (this.#mayStart()) {
      const next = this.#waiting.shift() as Waiting;
      this.#handed.add(next);
      void this.#one(next).then((outcome) => {
        this.#handed.delete(next);
        this.lastUsed = this.#options.now();
        // The next one first: its thread waits, a response does not.
        this.#advance();
        end(next, outcome);
        if (this.#retired && this.#handed.size === 0) this.#dispose();
      });
    }
  }

  #mayStart(): boolean {
    const [next] = this.#waiting;
    if (!next || this.#handed.size === 0) return next !== undefined;
    return next.ahead && this.#sandbox?.takesAhead === true;
  }

  async #one(waiting: Waiting): Promise<Outcome> {
    try {
      this.#sandbox ??= await this.#options.open();
      return await waiting.run(this.#sandbox, waiting);
    } catch (error) {
      return failure((error as Error).message);
    }
  }
}

const waitingFor = (given: Pick<Waiting, 'ahead' | 'run' | 'settle'>): Waiting => ({
  ...given,
  isWanted: true,
  hasBegun: false,
  withdraw: undefined,
  stop: undefined,
  begun() {
    this.hasBegun = true;
    this.withdraw = undefined;
    this.stop?.();
  },
});

function end({ stop, settle }: Waiting, outcome: Outcome): void {
  stop?.();
  settle(outcome);
}

export const failure = (detail: string): Outcome => ({ kind: 'failure', detail, late: false });

import type { Worker } from 'node:worker_threads';
import { Ahead } from './ahead.ts';
import type { Outcome } from './api.ts';
import type { FromThread, Over, RunMessage, ThreadData, ToThread } from './messages.ts';
import { Pulse, type Signs } from './pulse.ts';
import { startScripts } from './start-worker.ts';
import { Watch } from './watch.ts';

/** A context is made and its script compiled within this time, ms. */
const LOAD_MS = 15_000;
/** A thread is ready within this time, ms. */
const BOOT_MS = 60_000;
/** A context that is dropped while something of it is left ends within this time, ms. */
const DROP_MS = 100;
const ENDED = '[js_runner] the script thread ended unexpectedly';

export type ScriptThreadData = Omit<ThreadData, 'pulse'>;

/** One run as its thread sees it. */
export interface ActiveRun {
  readonly id: number;
  readonly context: number;
  readonly limit_ms: number;
  settle(outcome: Outcome): void;
  op(message: Extract<FromThread, { t: 'op' }>): void;
  released(body: number): void;
  log(message: Extract<FromThread, { t: 'log' }>): void;
  /** Called when it was posted ahead, and is the present one now. */
  begun(): void;
  /** Called when nothing of the run is left. */
  quiet(lost: boolean): void;
  /** Called when nothing of it has run, and it has to go elsewhere; `lost`: its context is. */
  gone(body: Uint8Array | undefined, lost: boolean): void;
}

/** A worker thread for scripts: at most one context of it has a run, so ending it ends no other run. */
export class ScriptThread {
  readonly contexts = new Set<number>();
  readonly #worker: Worker;
  readonly #watch: Watch;
  readonly #onFree: () => void;
  readonly #onGone: (thread: ScriptThread, error: Error | undefined) => void;
  /** Runs of one context: the last one, and earlier ones that left work behind. */
  readonly #runs = new Map<number, ActiveRun>();
  readonly #loads = new Map<number, (failure: string | null) => void>();
  #current: ActiveRun | undefined;
  /** Posted already; each begins when the one before it has settled. */
  readonly #ahead: Ahead<ActiveRun>;
  #reserved = false;
  /** Gives back the place that its present work holds. */
  #freePlace: (() => void) | undefined;
  ready = false;
  /** Was ready once. */
  started = false;
  gone = false;
  /** Resolves when it has really ended, once it is `gone`. */
  ended: Promise<unknown> = Promise.resolve();
  /** Time since which nothing runs, ms of the machine's monotonic clock. */
  idleSince = performance.now();

  constructor(
    data: ScriptThreadData,
    onFree: () => void,
    onGone: (thread: ScriptThread, error: Error | undefined) => void,
  ) {
    this.#onFree = onFree;
    this.#onGone = onGone;
    const pulse = new Pulse();
    this.#ahead = new Ahead(pulse);
    this.#worker = startScripts({ ...data, pulse: pulse.buffer });
    this.#watch = new Watch(pulse, (signs) => this.#overdue(signs));
    this.#watch.after(BOOT_MS, () => this.#end(new Error('the thread does not start')));
    this.#worker.on('message', (message: FromThread) => this.#receive(message));
    this.#worker.on('error', (error) => this.#end(error));
    this.#worker.on('exit', () => this.#end(new Error('the thread ended')));
  }

  get busy(): boolean {
    return this.#current !== undefined || this.#reserved;
  }

  /** Tells whether only work that this context's last run left behind is under way. */
  lingersFor(context: number | undefined): boolean {
    return !this.#reserved && this.#current?.context === context && this.#isSettled;
  }
  #isSettled = false;

  /** Reserves the thread before its run is known. `freePlace` is called when it is free again. */
  reserve(freePlace: () => void): void {
    this.#reserved = true;
    this.#freePlace = freePlace;
  }

  releasePlace(): void {
    this.#freePlace?.();
    this.#freePlace = undefined;
  }

  release(): void {
    this.#reserved = false;
    if (!this.#current) this.#free();
  }

  /** Buffers in `transfer` are given away. */
  post(message: ToThread, transfer: readonly ArrayBuffer[] = []): void {
    if (!this.gone) this.#worker.postMessage(message, transfer);
  }

  /** @returns why the script does not compile; null: it does */
  load(message: Extract<ToThread, { t: 'load' }>): Promise<string | null> {
    this.contexts.add(message.context);
    return new Promise((resolve) => {
      const late = setTimeout(() => this.kill(), LOAD_MS);
      this.#loads.set(message.context, (failure) => {
        clearTimeout(late);
        resolve(failure);
      });
      this.post(message);
    });
  }

  run(run: ActiveRun, message: RunMessage): void {
    this.#reserved = false;
    this.#current = run;
    this.#isSettled = false;
    this.#runs.set(run.id, run);
    this.#watch.run(run);
    const body = message.call.body?.buffer;
    this.post(message, body instanceof ArrayBuffer ? [body] : []);
  }

  /** One more run of this context may be posted: its present one has not settled. */
  acceptsAhead(context: number): boolean {
    const isFree = !this.#reserved && this.#ahead.hasRoom;
    return isFree && this.ready && this.#current?.context === context && !this.#isSettled;
  }

  /** @returns takes it back, unless it has begun */
  runAhead(run: ActiveRun, message: RunMessage): () => boolean {
    this.post({ ...message, turn: this.#ahead.add(run) });
    return () => this.#ahead.withdraw(run);
  }

  /** Others wait for a thread: only the next run stays in this one. */
  recall(): void {
    for (const run of this.#ahead.recall(1)) run.gone(undefined, false);
  }

  drop(context: number): void {
    this.contexts.delete(context);
    this.post({ t: 'drop', context });
    if (this.#current?.context !== context) return;
    this.#finish('[js_runner] JavaScript runtime was disposed', false);
    // The script may be computing: the thread takes no other run until it has said that it is not.
    this.#watch.after(DROP_MS, () => this.kill());
  }

  /** Ends the thread with whatever runs in it. */
  kill(): void {
    this.#end(undefined);
  }

  #overdue({ isInside }: Signs): void {
    const limit = this.#current?.limit_ms;
    const why = isInside ? `exceeded max_run_time_ms=${limit}` : 'timed out';
    this.#finish(`[js_runner] JavaScript execution ${why}`, true);
    this.kill();
  }

  #finish(detail: string, late: boolean): void {
    if (!this.#isSettled) this.#current?.settle({ kind: 'failure', detail, late });
    this.#isSettled = true;
  }

  /** Handles a message so that whatever a script makes its thread say hurts this thread only. */
  #receive(message: FromThread): void {
    try {
      this.#handle(message);
    } catch (error) {
      this.#end(error as Error);
    }
  }

  #handle(message: FromThread): void {
    switch (message.t) {
      case 'ready':
        this.#watch.stop();
        this.ready = true;
        this.started = true;
        this.#free();
        break;
      case 'loaded':
        this.#loads.get(message.context)?.(message.failure);
        this.#loads.delete(message.context);
        break;
      case 'op':
        this.#runs.get(message.run)?.op(message);
        break;
      case 'released':
        this.#runs.get(message.run)?.released(message.body);
        break;
      case 'gone':
        this.#moveOn(message);
        break;
      case 'log':
        if (this.#current?.context === message.context) this.#current.log(message);
        break;
      default:
        this.#ended(message);
    }
  }

  #ended(message: Extract<FromThread, { t: 'done' | 'quiet' }>): void {
    const current = this.#current;
    if (current?.id !== message.run) {
      this.#runs.get(message.run)?.quiet(false);
      this.#runs.delete(message.run);
      return;
    }
    if (message.t === 'done') {
      if (!this.#isSettled) current.settle(message.outcome);
      this.#isSettled = true;
    }
    const over: Over | undefined = message.t === 'done' ? message.over : message;
    if (over?.lost) this.contexts.delete(message.context);
    if (over) this.#clear(over.lost);
    else this.#advance();
  }

  #advance(): boolean {
    const next = this.#ahead.shift();
    if (!next) return false;
    this.#current = next;
    this.#isSettled = false;
    next.begun();
    this.#runs.set(next.id, next);
    this.#watch.run(next);
    return true;
  }

  /** The runs that were to follow go elsewhere; of one that has begun nothing more will be heard. */
  #returned(): void {
    for (const run of this.#ahead.recall(0)) run.gone(undefined, true);
    for (let run = this.#ahead.shift(); run; run = this.#ahead.shift()) {
      run.settle({ kind: 'failure', detail: ENDED, late: false });
      run.quiet(true);
    }
  }

  #moveOn({ context, run, body }: Extract<FromThread, { t: 'gone' }>): void {
    const current = this.#current;
    if (current?.id !== run) return;
    const wasSettled = this.#isSettled;
    this.contexts.delete(context);
    this.#runs.delete(run);
    this.#clear(true);
    if (!wasSettled) current.gone(body, true);
  }

  #clear(lost: boolean): void {
    this.#watch.stop();
    this.#current = undefined;
    for (const run of this.#runs.values()) run.quiet(lost);
    this.#runs.clear();
    if (!lost && this.#advance()) return;
    this.#free();
    this.#returned();
  }

  #free(): void {
    this.idleSince = performance.now();
    this.releasePlace();
    if (!this.gone) this.#onFree();
  }

  #end(error: Error | undefined): void {
    if (this.gone) return;
    this.gone = true;
    this.ready = false;
    this.releasePlace();
    this.#watch.stop();
    this.#finish(ENDED, false);
    for (const settle of this.#loads.values()) settle('InternalError: compilation takes too long');
    this.#loads.clear();
    this.#current = undefined;
    for (const run of this.#runs.values()) run.quiet(true);
    this.#runs.clear();
    this.ended = this.#worker.terminate();
    this.#onGone(this, error);
    this.#returned();
  }
}

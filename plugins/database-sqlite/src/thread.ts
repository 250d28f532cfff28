import type { ResourceLimits, TransferListItem, Worker } from 'node:worker_threads';
import type { Logger } from '@svc/plugin-sdk';
import { within } from '@svc/plugin-sdk/driver';
import { mark, startWorker } from '@svc/plugin-sdk/util';
import { takeAhead } from './ahead.ts';
import { type Answer, FATAL, fromPlain } from './answer.ts';

export interface ThreadOptions {
  /** Source of the entry module, next to this one: `./writer-thread.ts`. */
  readonly entry: string;
  readonly data: object;
  readonly limits: ResourceLimits;
  readonly log: Logger;
}

/** The thread ended before it answered; the request may have been done or not. */
export class ThreadLost extends Error {
  override readonly name = 'ThreadLost';
}

interface Pending {
  readonly worker: Worker;
  readonly timer: NodeJS.Timeout;
  resolve(result: never): void;
  reject(error: Error): void;
}

/** Longest time that an ended thread may take to hand over its last answers. A statement in progress cannot be interrupted. */
const END_TIMEOUT_MS = 2_000;

/**
 * Requests and answers over one worker thread, which is started by the first request.
 * A thread that dies, or outlasts a request's deadline, fails all its open requests; the next one starts another.
 */
export class Thread {
  readonly #options: ThreadOptions;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #next = 1;
  /** Tells whether the thread has answered. Until then the first caller reports a failure, for example of a file that is no database. */
  #hasAnswered = false;
  /** Changes when the thread is gone, and with it what was begun in it. */
  generation = 0;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  get busy(): boolean {
    return this.#pending.size > 0;
  }

  /** @throws ThreadLost when the thread ended first; `late()` when the deadline passed, which ends the thread */
  request<T>(
    message: object,
    options: { timeout_ms: number; late: () => Error; transfer?: readonly TransferListItem[] },
  ): Promise<T> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const id = this.#next++;
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => this.#expire(id, options.late()), options.timeout_ms);
      this.#pending.set(id, { worker, timer, resolve, reject });
      try {
        worker.postMessage({ id, ...message }, options.transfer);
      } catch (error) {
        this.#removePending(id)?.reject(error as Error);
      }
    });
  }

  /** Ends the thread; its open requests fail with `error`. */
  async kill(error: Error): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    this.#forget();
    // Answers that were already sent still arrive while the thread ends: they count.
    await within(END_TIMEOUT_MS, worker.terminate());
    this.#fail(worker, error);
  }

  #start(): Worker {
    const { entry, data, limits } = this.#options;
    const worker =
      takeAhead(entry, data) ??
      startWorker(import.meta.url, entry, { workerData: data, resourceLimits: limits });
    worker.on('message', (answer: Answer) => {
      if (answer.id === FATAL && 'error' in answer) this.#lost(worker, fromPlain(answer.error));
      else this.#settle(answer);
    });
    worker.on('messageerror', (error) => this.#lost(worker, error));
    worker.on('error', (error) => this.#lost(worker, error));
    worker.on('exit', () => this.#lost(worker, new Error('it ended')));
    return worker;
  }

  #forget(): void {
    this.#worker = undefined;
    this.generation++;
  }

  #settle(answer: Answer): void {
    mark();
    this.#hasAnswered = true;
    const pending = this.#removePending(answer.id);
    if (!pending) return;
    if ('error' in answer) pending.reject(fromPlain(answer.error));
    else pending.resolve(answer.result as never);
  }

  #lost(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#forget();
    const { entry: thread, log } = this.#options;
    if (this.#hasAnswered) log.error('A database thread ended unexpectedly.', { thread, error });
    this.#fail(
      worker,
      new ThreadLost(`the database thread ended: ${error.message}`, { cause: error }),
    );
    void worker.terminate();
  }

  #expire(id: number, error: Error): void {
    const pending = this.#removePending(id);
    if (!pending) return;
    this.#options.log.error('A database thread was ended at a deadline.', {
      thread: this.#options.entry,
      error,
    });
    pending.reject(error);
    if (this.#worker === pending.worker)
      void this.kill(new ThreadLost(`the database thread was ended: ${error.message}`));
  }

  #fail(worker: Worker, error: Error): void {
    for (const [id, pending] of this.#pending) {
      if (pending.worker === worker) this.#removePending(id)?.reject(error);
    }
  }

  #removePending(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    if (pending) clearTimeout(pending.timer);
    this.#pending.delete(id);
    return pending;
  }
}

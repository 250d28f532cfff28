import type { Clock } from './clock.ts';

export interface Limit {
  readonly clock: Clock;
  /** Names the work, in the timer and in the error. */
  readonly label: string;
  readonly ms: number;
  /** A second signal that ends the work. */
  readonly parent: AbortSignal;
}

/**
 * Runs `work` with a signal that aborts after `ms`, or together with `parent`. Rejects at that moment, even
 * when the work ends later.
 */
export async function withLimit<T>(
  { clock, label, ms, parent }: Limit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const { signal } = controller;
  const stop = () => controller.abort(parent.reason);
  const late = () => controller.abort(new Error(`${label} took longer than ${ms / 1000} s`));
  if (parent.aborted) stop();
  parent.addEventListener('abort', stop);
  const cancel = clock.after(label, ms, late);
  try {
    signal.throwIfAborted();
    return await untilAborted(signal, work(signal));
  } finally {
    cancel();
    parent.removeEventListener('abort', stop);
  }
}

/** The outcome of `work`, or the signal's reason as soon as it aborts. */
export function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    const settle = (act: () => void) => {
      signal.removeEventListener('abort', stop);
      act();
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    work.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
  });
}

/** Runs at most `size` pieces of work at a time. The others wait, first come, first served. */
export class Slots {
  readonly #queue: (() => void)[] = [];
  #free: number;

  constructor(size: number) {
    this.#free = size;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** Runs the work in its turn. Rejects with the signal's reason when the signal aborts before that. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#turn(signal);
    try {
      return await work();
    } finally {
      const next = this.#queue.shift();
      if (next) next();
      else this.#free += 1;
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      if (this.#free > 0) {
        this.#free -= 1;
        return resolve();
      }
      const abandon = () => {
        this.#queue.splice(this.#queue.indexOf(start), 1);
        reject(signal.reason);
      };
      const start = () => {
        signal.removeEventListener('abort', abandon);
        resolve();
      };
      signal.addEventListener('abort', abandon, { once: true });
      this.#queue.push(start);
    });
  }
}

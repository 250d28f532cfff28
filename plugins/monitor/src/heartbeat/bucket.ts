import type { Clock } from '@svc/plugin-sdk';

export interface Flow {
  /** Takes a second. */
  readonly rate: number;
  /** Takes at once. */
  readonly burst: number;
}

/** Bucket that bounds how often something is done. */
export class Bucket {
  readonly #flow: Flow;
  #level: number;
  /** Monotonic ms. */
  #at = Number.NEGATIVE_INFINITY;

  constructor(flow: Flow) {
    this.#flow = flow;
    this.#level = flow.burst;
  }

  /** @returns false: it is empty */
  take(clock: Pick<Clock, 'monotonic'>): boolean {
    const { rate, burst } = this.#flow;
    const now = clock.monotonic();
    this.#level = Math.min(burst, this.#level + ((now - this.#at) * rate) / 1_000);
    this.#at = now;
    if (this.#level < 1) return false;
    this.#level--;
    return true;
  }
}

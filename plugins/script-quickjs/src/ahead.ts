import type { Pulse } from './pulse.ts';

/** Runs that wait in the thread: with fewer it would often sleep and be woken, which takes longer than a short run. */
const MOST = 8;

interface Waiting<Run> {
  readonly run: Run;
  readonly turn: number;
}

/**
 * Runs that were posted to a thread before their turn, in order. Whoever claims one first has it: the thread begins it, or
 * the main thread takes it back.
 */
export class Ahead<Run> {
  readonly #pulse: Pulse;
  readonly #waiting: Waiting<Run>[] = [];
  #last = 0;

  constructor(pulse: Pulse) {
    this.#pulse = pulse;
  }

  get hasRoom(): boolean {
    return this.#waiting.length < MOST;
  }

  /** @returns the number by which the thread claims it */
  add(run: Run): number {
    this.#last = (this.#last % 2 ** 30) + 1;
    this.#pulse.offer(this.#last);
    this.#waiting.push({ run, turn: this.#last });
    return this.#last;
  }

  /** The one that begins now. */
  shift(): Run | undefined {
    return this.#waiting.shift()?.run;
  }

  /** @returns false when it has begun */
  withdraw(run: Run): boolean {
    const at = this.#waiting.findIndex((one) => one.run === run);
    if (at < 0 || !this.#claim(at)) return false;
    this.#waiting.splice(at, 1);
    return true;
  }

  /** Takes those back that have not begun, except for the first `kept`. */
  recall(kept: number): Run[] {
    const back: Run[] = [];
    for (let at = this.#waiting.length - 1; at >= kept; at--)
      if (this.#claim(at)) back.unshift(...this.#waiting.splice(at, 1).map(({ run }) => run));
    return back;
  }

  #claim(at: number): boolean {
    return this.#pulse.claim((this.#waiting[at] as Waiting<Run>).turn);
  }
}

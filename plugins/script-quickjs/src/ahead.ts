import type { Pulse } from './pulse.ts';

/** Runs that wait in the thread: with fewer it would often sleep and be woken, which takes longer than a short run. */
const MOST = 8;

interface Waiting<Run> {
  readonly run: Run;
  readonly turn: number;
}

/**
 * Runs that were posted to a thread before their turn, in order. The first that claims one has it: the thread begins it, or
 * the main thread takes it back.
 */
export class Ahead<Run> {
  readonly #pulse: Pulse;
  readonly #waiting: Waiting<Run>[] = [];
  /** Numbers of the run that was posted last, and of the last one that the thread cannot come to any more. */
  #last = 0;
  #passed = 0;

  constructor(pulse: Pulse) {
    this.#pulse = pulse;
  }

  /** Tells whether one more may be posted. A run that was taken back counts until the thread has passed it. */
  get hasRoom(): boolean {
    return this.#last - this.#passed < MOST;
  }

  /** @returns the number by which the thread claims it */
  add(run: Run): number {
    const turn = ++this.#last;
    this.#pulse.offer(turn);
    this.#waiting.push({ run, turn });
    return turn;
  }

  /** The one that begins now, as the one before it has settled. */
  shift(): Run | undefined {
    const next = this.#waiting.shift();
    this.#passed = next?.turn ?? this.#last;
    return next?.run;
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

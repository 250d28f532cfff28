import type { Measured } from './wire.ts';

/** Results that wait for a server; beyond, the oldest are dropped. */
const MOST_WAITING = 10_000;
/** Results of one report, and characters of their texts. */
const MOST_SENT = 500;
const MOST_CHARACTERS = 256 * 1024;

interface Waiting {
  readonly measured: Measured;
  /** The target sent an answer, whatever it was. */
  readonly isReached: boolean;
}

/** Results that a server has not got yet, in memory. */
export class Results {
  #waiting: Waiting[] = [];
  #dropped = 0;
  /** Results that the next report takes. */
  #most = MOST_SENT;

  get size(): number {
    return this.#waiting.length;
  }

  /** Tells whether as many wait as the next report takes. */
  get isMuch(): boolean {
    return this.#waiting.length >= this.#most;
  }

  add(measured: Measured, isReached: boolean): void {
    this.#waiting.push({ measured, isReached });
    if (this.#waiting.length <= MOST_WAITING) return;
    this.#waiting.shift();
    this.#dropped++;
  }

  /** Returns how many were dropped since the last call. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  /** Returns the oldest results, as many as one report takes. */
  next(): readonly Measured[] {
    const next: Measured[] = [];
    let characters = 0;
    for (const { measured } of this.#waiting) {
      characters += JSON.stringify(measured).length;
      if (next.length > 0 && (next.length === this.#most || characters > MOST_CHARACTERS)) break;
      next.push(measured);
    }
    return next;
  }

  /** Forgets results that the server has. */
  taken(sent: readonly Measured[]): void {
    this.#remove(sent);
    this.#most = Math.min(MOST_SENT, this.#most * 2);
  }

  /**
   * Hears that the server will never take these together: the next report has half of them, until one alone is refused, which
   * is dropped. @returns whether there are fewer to be sent at once
   */
  refused(sent: readonly Measured[]): boolean {
    this.#most = Math.max(1, Math.ceil(sent.length / 2));
    if (sent.length > 1) return true;
    this.#remove(sent);
    this.#dropped += sent.length;
    return false;
  }

  #remove(sent: readonly Measured[]): void {
    const gone = new Set(sent);
    this.#waiting = this.#waiting.filter(({ measured }) => !gone.has(measured));
  }

  /**
   * Hears that nothing came from the server since this time (Unix ms of the server). Unless some target answered since then, it
   * was this agent that had no connection: failures of that time say nothing.
   */
  doubtSince(time: number): void {
    const late = this.#waiting.filter(({ measured }) => measured.at >= time);
    if (late.some(({ isReached }) => isReached)) return;
    this.#waiting = this.#waiting.map((one) =>
      one.measured.at >= time && one.measured.ok === false
        ? { ...one, measured: { ...one.measured, ok: null } }
        : one,
    );
  }
}

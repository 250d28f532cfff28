/**
 * Lateness of the rounds of a timer. A process that slept, or got no processor, heard no one meanwhile: code that concludes
 * something from silence, for example that an agent has gone, takes this time off.
 */
export class Lateness {
  readonly #period_ms: number;
  #last: number;

  /** `now`: the time of a clock that goes on while the machine sleeps, ms. */
  constructor(period_ms: number, now: number) {
    this.#period_ms = period_ms;
    this.#last = now;
  }

  /** Measures one round, and is called in each. @returns by how much it is late, ms; 0 up to two periods after the last round */
  next(now: number): number {
    const passed = now - this.#last;
    this.#last = now;
    return passed > 2 * this.#period_ms ? passed - this.#period_ms : 0;
  }
}

/** An interval whose rounds know the time, of `performance.now()`, and by how much they are late, both ms. */
export function rounds(
  period_ms: number,
  round: (now: number, late_ms: number) => void,
): NodeJS.Timeout {
  const lateness = new Lateness(period_ms, performance.now());
  return setInterval(() => {
    const now = performance.now();
    round(now, lateness.next(now));
  }, period_ms);
}

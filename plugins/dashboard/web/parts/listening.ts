/** Time without a report after which a machine is offline, ms: agents report every second. */
export const SILENT_MS = 30_000;
/** A page draws at least so often while it is not held up, ms. */
const PERIOD_MS = 1_000;
/** Time in which delayed reports arrive, ms. */
const AGAIN_MS = 30_000;

/**
 * Time up to which a page can have reports. A machine that slept, or a page that the browser held up, received none: for half a
 * minute afterwards time counts as if it had stood still, so that no agent looks gone for it.
 */
export class Listening {
  #last = Date.now();
  #late_ms = 0;
  #until = 0;

  /** A timer or a message came. `isHidden`: the page is, and browsers run its timers once a minute. */
  sign(isHidden: boolean): void {
    const now = Date.now();
    const passed = now - this.#last;
    this.#last = now;
    const isLate = passed > 2 * (isHidden ? 60 : 1) * PERIOD_MS;
    if (isLate) [this.#late_ms, this.#until] = [passed, now + AGAIN_MS];
  }

  /** Unix ms. */
  now(): number {
    const now = Date.now();
    return now < this.#until ? now - this.#late_ms : now;
  }
}

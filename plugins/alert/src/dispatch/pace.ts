import type { Clock } from '@svc/plugin-sdk';

/** Times between two looks without any sign, ms: alone, and where changes of other servers may come without a message. */
const ALONE_MS = 10_000;
const TOGETHER_MS = 2_000;

/** Decides when there may be something to tell: after changes, at the next time that is known, and now and then. */
export class Pace {
  readonly #clock: Clock;
  readonly #longest_ms: number;
  #isWoken = true;
  #nextAt = Number.POSITIVE_INFINITY;
  /** Monotonic. */
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, severalServers: boolean) {
    this.#clock = clock;
    this.#longest_ms = severalServers ? TOGETHER_MS : ALONE_MS;
  }

  /** Notes that something changed, on whichever server. */
  wake(): void {
    this.#isWoken = true;
  }

  /** Does a round when it is time. @param round returns the Unix ms at which something is due next; undefined: nothing waits */
  async look(now: number, round: () => Promise<number | undefined>): Promise<void> {
    const passed = this.#clock.monotonic() - this.#lookedAt;
    if (!this.#isWoken && now < this.#nextAt && passed < this.#longest_ms) return;
    this.#isWoken = false;
    this.#lookedAt = this.#clock.monotonic();
    try {
      this.#nextAt = (await round()) ?? Number.POSITIVE_INFINITY;
    } catch (error) {
      this.#isWoken = true;
      throw error;
    }
  }
}

/** Messages that an agent takes at once (clients.md §8). */
const BURST = 10;
/** An agent takes a message each 25 ms. What is left of that is for the answers to its reports, which are not counted. */
const INTERVAL_MS = 30;
/** An agent keeps so many messages and drops the oldest: none is left of what is older. */
const RING = 32;

/** Pace of one agent: tells when it is ready for its next message. Times are of the monotonic clock, ms. */
export class Pace {
  /** The agent has taken all that was sent by then. */
  #idleAt = -Infinity;
  /** Answers that may go at any moment. */
  #owed = 0;

  /** @returns how long the next task must wait; 0: it may be sent now */
  wait(now: number): number {
    const before = Math.max(0, this.#idleAt - now) + this.#owed * INTERVAL_MS;
    return Math.max(0, before - (BURST - 1) * INTERVAL_MS);
  }

  /** Counts a message to the agent: a task, or the answer to an upload. */
  sent(now: number): void {
    const idleAt = Math.max(this.#idleAt, now) + INTERVAL_MS;
    this.#idleAt = Math.min(idleAt, now + RING * INTERVAL_MS);
  }

  /**
   * Counts the answer to an upload from now on: after a slow moment of the database many go at once.
   * @returns the answer goes now
   */
  owe(): (now: number) => void {
    this.#owed++;
    return (now) => {
      this.#owed--;
      this.sent(now);
    };
  }
}

import { isDiskFull } from '../disk-full.ts';
import type { Logger } from '../log.ts';
import type { Clock } from '../plugin.ts';

const PAUSE_MS = 60_000;

/** Says that the disk is full once a minute, with the number of writes that have failed since it was said last. */
export class FullAlarm {
  readonly #log: Logger;
  readonly #clock: Clock;
  #quiet_until = 0;
  #failed = 0;

  constructor(log: Logger, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** Waits for a write. @throws what it throws */
  async watch<T>(write: Promise<T>): Promise<T> {
    try {
      return await write;
    } catch (error) {
      if (isDiskFull(error)) this.#raise();
      throw error;
    }
  }

  #raise(): void {
    this.#failed++;
    const now = this.#clock.now();
    if (now < this.#quiet_until) return;
    this.#log.error(
      'The disk of the database is full: nothing new is stored. Free some space, or delete data.',
      { failed_writes: this.#failed },
    );
    this.#quiet_until = now + PAUSE_MS;
    this.#failed = 0;
  }
}

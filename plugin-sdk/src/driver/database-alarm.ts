import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';
import { isDatabaseAway } from '../util/database-away.ts';
import { isDiskFull } from '../util/disk-full.ts';
import { Throttle } from '../util/throttle.ts';

const ALARMS = [
  {
    matches: isDiskFull,
    text: 'The disk of the database is full: nothing new is stored. Free some space, or delete data.',
    count: 'failed_writes',
  },
  {
    matches: isDatabaseAway,
    text: 'The database does not answer: calls that need it fail, and reports wait.',
    count: 'failures',
  },
];

/** Says that the disk is full, or that the database does not answer, once a minute, however many calls fail. */
export class DatabaseAlarm {
  readonly #log: Logger;
  readonly #throttle: Throttle;
  readonly #isOpen: () => boolean;

  /** `isOpen`: until then a failure ends the start, which says so itself. */
  constructor(log: Logger, clock: Clock, isOpen = () => true) {
    this.#log = log;
    this.#throttle = new Throttle(clock);
    this.#isOpen = isOpen;
  }

  /** Waits for the database. @throws what it throws */
  async watch<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      this.raise(error);
      throw error;
    }
  }

  /** Counts a failure, and says so where that is due. Other errors are ignored. */
  raise(error: unknown): void {
    const alarm = ALARMS.find(({ matches }) => matches(error));
    if (!alarm || !this.#isOpen()) return;
    const suppressed = this.#throttle.pass(alarm.text);
    if (suppressed === undefined) return;
    const { cause, message } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    this.#log.error(alarm.text, { reason, [alarm.count]: suppressed + 1 });
  }
}

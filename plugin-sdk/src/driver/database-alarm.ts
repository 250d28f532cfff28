import type { Clock } from '../clock.ts';
import { isDatabaseAway } from '../database-away.ts';
import { isDiskFull } from '../disk-full.ts';
import type { Logger } from '../log.ts';

const PAUSE_MS = 60_000;

/** What is said once a minute, with the number of failures since it was said last. */
interface Alarm {
  readonly of: (error: unknown) => boolean;
  readonly text: string;
  readonly count: string;
  quiet_until: number;
  failed: number;
}

/** Says that the disk is full, or that the database does not answer, once a minute, however many calls fail. */
export class DatabaseAlarm {
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #isOpen: () => boolean;
  readonly #alarms: readonly Alarm[] = [
    {
      of: isDiskFull,
      text: 'The disk of the database is full: nothing new is stored. Free some space, or delete data.',
      count: 'failed_writes',
      quiet_until: 0,
      failed: 0,
    },
    {
      of: isDatabaseAway,
      text: 'The database does not answer: calls that need it fail, and reports wait.',
      count: 'failures',
      quiet_until: 0,
      failed: 0,
    },
  ];

  /** `isOpen`: until then a failure ends the start, which says so itself. */
  constructor(log: Logger, clock: Clock, isOpen = () => true) {
    this.#log = log;
    this.#clock = clock;
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

  /** Counts a failure, and says so where that is due. Others than its own it leaves alone. */
  raise(error: unknown): void {
    const alarm = this.#alarms.find(({ of }) => of(error));
    if (!alarm || !this.#isOpen()) return;
    alarm.failed++;
    const now = this.#clock.now();
    if (now < alarm.quiet_until) return;
    const { cause, message } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    this.#log.error(alarm.text, { reason, [alarm.count]: alarm.failed });
    alarm.quiet_until = now + PAUSE_MS;
    alarm.failed = 0;
  }
}

import type { Integer } from '@svc/plugin-sdk/sql';
import { BoundedCache } from '@svc/plugin-sdk/util';
import { parseCron } from './cron/parse.ts';
import type { Schedule } from './cron/schedule.ts';
import type { Job } from './job.ts';
import { storedJobType } from './job-type.ts';
import type { JobRow } from './store/jobs.ts';

/** Bounded cache of what jobs do, however many there are and however long they are. */
const BYTES = 16 * 2 ** 20;
/** A parsed expression: numbers for each of its seconds, minutes, hours and days. */
const SCHEDULE_BYTES = 4_000;
const YEAR_BYTES = 40;

/** The job of a row. @throws CronError, or Error when the type is unreadable */
export function jobOf(row: JobRow): Job {
  const type = storedJobType(row.cron_type);
  if (!type) throw new Error('the stored type is unreadable');
  parseCron(row.cron_expression);
  return { ...row, type };
}

/** Parsed jobs and expressions that were used last. */
export class Contents {
  readonly #jobs = new BoundedCache<Integer, Job>({
    most: 20_000,
    bytes: BYTES,
    weigh: ({ cron_type, cron_expression }) =>
      1_000 + cron_type.length * 4 + cron_expression.length * 2,
  });
  readonly #schedules = new BoundedCache<string, Schedule>({
    most: 2_000,
    bytes: BYTES / 2,
    weigh: ({ calendar }) => SCHEDULE_BYTES + (calendar.years?.size ?? 0) * YEAR_BYTES,
  });

  /** Returns the job of the row with this version. */
  get(id: Integer, version: number): Job | undefined {
    const job = this.#jobs.get(id);
    return job?.version === version ? job : undefined;
  }

  put(job: Job): void {
    this.#jobs.set(job.id, job);
  }

  drop(id: Integer): void {
    this.#jobs.delete(id);
  }

  /** `digest`: that of the job's expression, which is the key; a whole one may be long. @throws CronError */
  scheduleOf(digest: string, expression: string): Schedule {
    const cached = this.#schedules.get(digest);
    if (cached) return cached;
    const made = parseCron(expression);
    this.#schedules.set(digest, made);
    return made;
  }
}

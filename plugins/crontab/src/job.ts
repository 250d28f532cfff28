import { parseCron } from './cron/parse.ts';
import type { Schedule } from './cron/schedule.ts';
import { type JobType, storedJobType } from './job-type.ts';
import type { JobRow } from './store/jobs.ts';

/** A job as the scheduler holds it: its row, parsed. */
export interface Job extends JobRow {
  readonly type: JobType;
  readonly schedule: Schedule;
  /** When it runs next, Unix ms; infinite: never, or while it is disabled. */
  readonly due: number;
}

/** A row's time may lie this far ahead of this clock: the clocks of servers differ. */
const SKEW_MS = 60_000;

/** What else decides when a job is due. */
export interface Moment {
  readonly now: number;
  /** Start of this server: a job that never ran does not run for times before it. */
  readonly startedAt: number;
  /** A time further ahead than this was written by a wrong clock; default: 60 s, by which servers may differ. */
  readonly ahead_ms?: number;
}

/** The job of a row. @throws CronError, or Error when the type is unreadable */
export function jobOf(row: JobRow, moment: Moment): Job {
  const type = storedJobType(row.cron_type);
  if (!type) throw new Error('the stored type is unreadable');
  const schedule = parseCron(row.cron_expression);
  return { ...row, type, schedule, due: dueOf(row, schedule, moment) };
}

/** The same job after a run, or on another clock. */
export const jobAt = (job: Job, moment: Moment): Job => ({
  ...job,
  due: dueOf(job, job.schedule, moment),
});

/**
 * The first match after the last run that does not lie before the start of counting (crontab.md §2.1).
 * The second of that start itself counts.
 */
function dueOf(row: JobRow, schedule: Schedule, moment: Moment): number {
  if (!row.enable) return Number.POSITIVE_INFINITY;
  const { now, startedAt, ahead_ms = SKEW_MS } = moment;
  const start = Number(row.start_time) - 1000;
  const last = row.last_run_time === null ? startedAt - 1000 : Number(row.last_run_time);
  const base = Math.max(start, last);
  const after = base > now + ahead_ms ? now : base;
  return schedule.next(after) ?? Number.POSITIVE_INFINITY;
}

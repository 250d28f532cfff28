import { hash } from 'node:crypto';
import type { Schedule } from './cron/schedule.ts';
import type { JobType } from './job-type.ts';
import type { JobRow, PlanRow } from './store/jobs.ts';

/** Columns of a row that decide when the job runs; a few hundred bytes, however long its expression is. */
export interface Timed extends Omit<PlanRow, 'cron_expression'> {
  /** `digestOf` the expression. */
  readonly digest: string;
  /** An expression of the same times, 700 characters at most. */
  readonly times: string;
}

/** Timing of a job: all that the scheduler holds of each. */
export interface Planned extends Timed {
  /** Time of the next run, Unix ms; infinite: never, or while it is disabled. */
  readonly due: number;
}

/** A job with what it does, read when it runs. */
export interface Job extends JobRow {
  readonly type: JobType;
}

/** Expressions up to this length are kept as they are. */
const SHORT = 64;

/** Equal for equal expressions, and short. */
export const digestOf = (expression: string): string =>
  expression.length <= SHORT ? expression : hash('sha256', expression, 'base64url');

/** A row's time may lie this far ahead of this clock: the clocks of servers differ. */
const SKEW_MS = 60_000;

/** Circumstances that also decide when a job is due. */
export interface Moment {
  readonly now: number;
  /** Start of this server: a job that never ran does not run for times before it. */
  readonly startedAt: number;
  /** A time further ahead than this was written by a wrong clock; default: 60 s, by which servers may differ. */
  readonly ahead_ms?: number;
}

/**
 * The first match after the last run that does not lie before the start of counting (crontab.md §2.1).
 * The second of that start itself counts.
 */
export function dueOf(row: Timed, schedule: Schedule, moment: Moment): number {
  if (!row.enable) return Number.POSITIVE_INFINITY;
  const { now, startedAt, ahead_ms = SKEW_MS } = moment;
  const start = Number(row.start_time) - 1000;
  const last = row.last_run_time === null ? startedAt - 1000 : Number(row.last_run_time);
  const base = Math.max(start, last);
  const after = base > now + ahead_ms ? now : base;
  return schedule.next(after) ?? Number.POSITIVE_INFINITY;
}

import { isDiskFull } from './disk-full.ts';

/** `error.data` of a call that failed because the database does not answer. The driver raises an alarm for all of them together. */
export const DATABASE_AWAY = 'the database does not answer';

/** Set by the driver on its own errors: other connections fail with the same codes. The same in every copy of this package. */
const AWAY = Symbol.for('svc.database-away');

/** Marks an error of the driver, for the error that callers get and for the log. */
export const markAway = <T extends object>(error: T): T => Object.assign(error, { [AWAY]: true });

/** Tells whether the error, or one of its causes, says that the database does not answer. */
export function isDatabaseAway(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    if (AWAY in at || (at as { data?: unknown }).data === DATABASE_AWAY) return true;
  return false;
}

/** Tells whether the driver's alarm reports a failure: the log needs no line for each. */
export const isTold = (error: unknown): boolean => isDiskFull(error) || isDatabaseAway(error);

import { hasCode } from './code-of.ts';

/** `error.data` of a call that failed because a disk is full. The driver raises an alarm for all of them together. */
export const DISK_FULL = 'the disk is full';

const codes = new Set(['SQLITE_FULL', '53100', 'ENOSPC', 'EDQUOT']);

/** Tells whether the error, or one of its causes, says that a disk is full. */
export const isDiskFull = (error: unknown): boolean =>
  hasCode(error, codes) || (error as { data?: unknown } | null | undefined)?.data === DISK_FULL;

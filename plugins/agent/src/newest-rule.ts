import type { Integer } from '@svc/plugin-sdk/sql';
import { type Row, STORAGE_TIME, TIMESTAMP } from './kinds.ts';

/** Limit of a `timestamp` after the arrival of its report, ms: a later one comes from a clock that is ahead. */
export const AHEAD_MS = 60_000;
/**
 * Limit for a time that is ahead of the server's clock, ms: a report that counts as of a later one arrived while that
 * clock was ahead itself. Clocks of servers differ.
 */
export const FUTURE_MS = 2 * AHEAD_MS;

/**
 * Returns the time as of which a report counts where the newest one is asked for: its `timestamp`, but for one from a
 * clock that is ahead its arrival (agent.md §3.2).
 */
export function countedTime(timestamp: Integer, storage_time: Row[number] | undefined): Integer {
  const arrived = storage_time as Integer | null | undefined;
  if (arrived === null || arrived === undefined) return timestamp;
  return timestamp > Number(arrived) + AHEAD_MS ? arrived : timestamp;
}

/** Tells whether a row replaces another one of its agent that arrived before it and counts as of `counted`. */
export function isNewer(next: Row, counted: Integer): boolean {
  const arrived = next[STORAGE_TIME];
  if (countedOf(next) >= counted) return true;
  return arrived !== null && counted > Number(arrived) + FUTURE_MS;
}

export const countedOf = (row: Row): Integer =>
  countedTime(row[TIMESTAMP] as Integer, row[STORAGE_TIME]);

import { canonicalUuid } from '@svc/plugin-sdk';
import {
  type Building,
  type Integer,
  isEmptyRange,
  membersOf,
  narrow,
  type TimeRange,
  timesOf,
} from '@svc/plugin-sdk/sql';
import type { Condition } from './schemas/conditions.ts';

/** A condition list, read once (agent.md §3). */
export interface Filter {
  /** Distinct agents in first-seen order; several match nothing, for a row has one agent. */
  readonly uuids: readonly string[];
  readonly timestamp: TimeRange;
  readonly storage: TimeRange;
  /** Rows at most, newest first; undefined: no limit was given. `last` is 1. */
  readonly limit: Integer | undefined;
}

/** Reads a list that passed `Conditions`. */
export function filterOf(conditions: readonly Condition[]): Filter {
  const uuids = new Set<string>();
  const timestamp: Building<TimeRange> = { from: undefined, to: undefined };
  const storage: Building<TimeRange> = { from: undefined, to: undefined };
  let last = false;
  let limit: Integer | undefined;
  for (const [name, value] of membersOf(conditions)) {
    if (name === 'last') last = true;
    else if (name === 'uuid') uuids.add(canonicalUuid(value as string));
    else if (name === 'limit') limit = value as Integer;
    else narrow(name.startsWith('timestamp') ? timestamp : storage, timesOf(name, value));
  }
  return { uuids: [...uuids], timestamp, storage, limit: last ? 1 : limit };
}

/** Tells whether no row can match, whatever the table holds. */
export const matchesNothing = ({ uuids, timestamp, storage, limit }: Filter): boolean =>
  uuids.length > 1 || limit === 0 || isEmptyRange(timestamp) || isEmptyRange(storage);

/** Tells whether every row matches, of one agent or of all. */
export const matchesAll = ({ uuids, timestamp, storage, limit }: Filter): boolean =>
  uuids.length < 2 &&
  limit === undefined &&
  [timestamp.from, timestamp.to, storage.from, storage.to].every((bound) => bound === undefined);

/** Tells whether the time lies between the bounds. */
export const covers = ({ from, to }: TimeRange, time: Integer): boolean =>
  (from === undefined || time >= from) && (to === undefined || time <= to);

import { canonicalUuid } from '@svc/plugin-sdk';
import type { Condition } from './schemas/conditions.ts';

/** 64-bit times: BigInt where a double cannot hold them. */
export type Time = number | bigint;

/** Bounds of one time column, both ends included; undefined is open. */
export interface Range {
  readonly from: Time | undefined;
  readonly to: Time | undefined;
}

/** A condition list, read once (agent.md §3). */
export interface Filter {
  /** Distinct agents in first-seen order; several match nothing, for a row has one agent. */
  readonly uuids: readonly string[];
  readonly timestamp: Range;
  readonly storage: Range;
  /** Rows at most, newest first; undefined: no limit was given. `last` is 1. */
  readonly limit: Time | undefined;
}

/** Reads a list that passed `Conditions`. */
export function filterOf(conditions: readonly Condition[]): Filter {
  const uuids = new Set<string>();
  const timestamp: Bounds = { from: undefined, to: undefined };
  const storage: Bounds = { from: undefined, to: undefined };
  let last = false;
  let limit: Time | undefined;
  for (const condition of conditions) {
    if (typeof condition === 'string' || 'last' in condition) last = true;
    else if ('uuid' in condition) uuids.add(canonicalUuid(condition.uuid));
    else if ('limit' in condition) limit = condition.limit;
    else if ('timestamp_from_to' in condition) narrow(timestamp, ...condition.timestamp_from_to);
    else if ('timestamp_from' in condition) narrow(timestamp, condition.timestamp_from, undefined);
    else if ('timestamp_to' in condition) narrow(timestamp, undefined, condition.timestamp_to);
    else if ('storage_time_from_to' in condition)
      narrow(storage, ...condition.storage_time_from_to);
    else if ('storage_time_from' in condition)
      narrow(storage, condition.storage_time_from, undefined);
    else if ('storage_time_to' in condition) narrow(storage, undefined, condition.storage_time_to);
  }
  return { uuids: [...uuids], timestamp, storage, limit: last ? 1 : limit };
}

/** True when no row can match, whatever the table holds. */
export const matchesNothing = ({ uuids, timestamp, storage, limit }: Filter): boolean =>
  uuids.length > 1 || limit === 0 || isEmpty(timestamp) || isEmpty(storage);

/** True when the time lies between the bounds. */
export const covers = ({ from, to }: Range, time: Time): boolean =>
  (from === undefined || time >= from) && (to === undefined || time <= to);

type Bounds = { -readonly [K in keyof Range]: Range[K] };

function narrow(bounds: Bounds, from: Time | undefined, to: Time | undefined): void {
  if (from !== undefined && (bounds.from === undefined || from > bounds.from)) bounds.from = from;
  if (to !== undefined && (bounds.to === undefined || to < bounds.to)) bounds.to = to;
}

const isEmpty = ({ from, to }: Range): boolean =>
  from !== undefined && to !== undefined && from > to;

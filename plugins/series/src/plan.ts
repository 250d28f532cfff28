import { RpcError } from '@svc/plugin-sdk';
import { DAY_MS, floorTo, MINUTE, QUARTER, type Step } from './steps.ts';

/** Stored reports that one call reads at most. */
export const MOST_ROWS = 200_000;
/** Buckets of all series of one answer. */
export const MOST_BUCKETS = 300_000;

export type Source = 'raw' | Step['source'];

/** Request of a caller; times in ms, `to` lies after the range. */
export interface Asked {
  readonly from: number;
  readonly to: number;
  readonly points: number;
  /** undefined: whichever fits. */
  readonly source: Source | undefined;
}

/** Source of an answer. */
export interface Plan {
  /** Begin of the first bucket. */
  readonly from: number;
  readonly to: number;
  readonly step_ms: number;
  /** Rollups; undefined: stored reports alone. */
  readonly step: Step | undefined;
  /** Time from which stored reports are read. */
  readonly rawFrom: number;
}

export interface Facts {
  readonly now: number;
  /** Rollups cover times before; a multiple of a quarter-hour. */
  readonly rolledTo: number;
  readonly keepMinutes_days: number;
  /** Stored reports from one time until before the other, counted up to one more than `MOST_ROWS`. */
  readonly count: (from: number, to: number) => Promise<number>;
}

/** Chooses the source. @throws RpcError 108 with the nearest range that is allowed */
export async function planOf(asked: Asked, facts: Facts): Promise<Plan> {
  const { from, to, points, source } = asked;
  const width = Math.ceil((to - from) / points);
  if (source === 'raw' || (source === undefined && width < MINUTE.ms)) {
    const rows = await facts.count(from, to);
    const isKept = rows > 0 || from >= facts.rolledTo;
    if (source === 'raw' ? rows <= MOST_ROWS : rows <= MOST_ROWS && isKept) {
      return { from, to, step_ms: width, step: undefined, rawFrom: from };
    }
    if (source === 'raw') throw tooMany(asked);
  }
  const step = source === undefined ? stepFor(asked, width, facts) : stepOf(source);
  const begin = floorTo(from, step.ms);
  const step_ms = Math.ceil((to - begin) / points / step.ms) * step.ms;
  const rawFrom = Math.max(begin, facts.rolledTo);
  await demandFew(rawFrom, to, facts);
  return { from: begin, to, step_ms, step, rawFrom };
}

/** @throws RpcError 108 when too many reports would be read in addition to the rollups */
async function demandFew(from: number, to: number, { count }: Facts): Promise<void> {
  let end = to;
  while (from < end && (await count(from, end)) > MOST_ROWS) {
    end = from + Math.floor((end - from) / 2);
  }
  if (end >= to || from >= to) return;
  throw RpcError.invalid(
    `more than ${MOST_ROWS} reports from ${from} on are not rolled up yet; the nearest allowed range ends with to = ${end}, or has fewer agents`,
  );
}

const stepOf = (source: Source): Step => (source === 'quarter_hour' ? QUARTER : MINUTE);

function stepFor({ from }: Asked, width: number, { now, keepMinutes_days }: Facts): Step {
  return width >= QUARTER.ms || from < now - keepMinutes_days * DAY_MS ? QUARTER : MINUTE;
}

function tooMany({ from, to }: Asked): RpcError {
  const points = Math.max(1, Math.floor((to - from) / MINUTE.ms));
  return RpcError.invalid(
    `the range holds more than ${MOST_ROWS} reports; the nearest allowed is source 'minute' with at most ${points} points, or a shorter range`,
  );
}

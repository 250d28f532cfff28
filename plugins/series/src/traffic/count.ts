import type { CounterRow, ReportBuckets } from '@svc/plugin-agent/api';
import { type Kernel, RpcError } from '@svc/plugin-sdk';
import type { StateStore } from '../store/state.ts';
import type { TrafficDay, TrafficStore } from '../store/traffic.ts';
import { perDay } from './days.ts';
import { type Counted, goesOn, growthOf } from './growth.ts';

/** Reports of the same time of arrival may be committed so much later. */
const GRACE_MS = 120_000;
/** Arrivals of one step. */
const LEAST_MS = 120_000;
/** Period in which the time of the last step is stored without reports. */
const QUIET_MS = 3_600_000;
const MOST_MS = 300_000;
/** Agents whose counters are read at a time. */
const CHUNK = 100;

export interface CountParts {
  readonly kernel: Pick<Kernel, 'clock' | 'signal'>;
  readonly buckets: ReportBuckets;
  readonly state: StateStore;
  readonly store: TrafficStore;
}

/**
 * Counts what arrived since the last step, once, whichever server does it. In the first step of a database nothing is counted
 * yet: it begins with the reports of the last `history_ms`.
 * @returns whether there may be more to do
 */
export async function countTraffic(
  { kernel, buckets, state, store }: CountParts,
  history_ms: number,
): Promise<boolean> {
  const now = kernel.clock.now();
  const countedTo = await state.countedTo();
  const since = countedTo ?? now - history_ms;
  const done = now - GRACE_MS;
  if (done - since < LEAST_MS) return false;
  // Times without arrivals are passed over.
  const from = Math.min((await buckets.firstArrival('summary', since)) ?? done, done);
  const { rows, to } = await readSlice(buckets, [from, done], kernel.signal);
  if (rows.length === 0 && from >= done && done - since < QUIET_MS) return false;
  const byAgent = Map.groupBy(rows, ({ id }) => id);
  const days: TrafficDay[] = [];
  const counters = new Map<number, Counted>();
  const ids = [...byAgent.keys()];
  for (let at = 0; at < ids.length; at += CHUNK) {
    const before = await store.counters(ids.slice(at, at + CHUNK));
    for (const id of ids.slice(at, at + CHUNK)) {
      const counted = countAgent(before.get(id), byAgent.get(id) ?? [], days);
      if (counted) counters.set(id, counted);
    }
  }
  return (await store.add({ from: countedTo, to, days, counters })) && to < done;
}

/** Reads what arrived from a time on: five minutes, or as much of them as one answer holds. */
async function readSlice(
  buckets: ReportBuckets,
  [from, done]: readonly [number, number],
  signal: AbortSignal,
): Promise<{ rows: Awaited<ReturnType<ReportBuckets['counters']>>; to: number }> {
  let ms = Math.min(MOST_MS, done - from);
  for (;;) {
    const to = from + ms;
    try {
      return { rows: ms > 0 ? await buckets.counters(from, to, signal) : [], to };
    } catch (error) {
      const isTooBig = error instanceof RpcError && error.code === RpcError.responseTooBig(0).code;
      if (!isTooBig || ms <= 1) throw error;
      ms = Math.ceil(ms / 4);
    }
  }
}

/** Adds an agent's rows, in the order of their arrival, to the days. @returns the last of them */
function countAgent(
  last: Counted | undefined,
  rows: readonly (CounterRow & { readonly id: number })[],
  days: TrafficDay[],
): Counted | undefined {
  let counted = last;
  const sums = new Map<number, { received: number; transmitted: number }>();
  const add = (which: 'received' | 'transmitted', parts: ReturnType<typeof perDay>) => {
    for (const [day, bytes] of parts) {
      const sum = sums.get(day) ?? { received: 0, transmitted: 0 };
      sum[which] += bytes;
      sums.set(day, sum);
    }
  };
  for (const row of rows) {
    const before = counted;
    // What the counters said in a report that comes late is in those that came before it.
    if (before && row.time < before.time && !goesOn(before, row)) continue;
    if (!before) {
      counted = { ...row, away: [[], []] };
      continue;
    }
    const growth = row.follows ? plain(before, row) : growthOf(before, row);
    add('received', perDay(growth.received, before.time, row.time));
    add('transmitted', perDay(growth.transmitted, before.time, row.time));
    counted = growth.counted;
  }
  const id = rows[0]?.id ?? 0;
  for (const [day, sum] of sums) days.push({ id, day, ...sum });
  return counted;
}

/** Reports in between that grew as usual are left out. */
function plain(before: Counted, row: CounterRow) {
  const received = row.received - before.received;
  const transmitted = row.transmitted - before.transmitted;
  if (received < 0 || transmitted < 0) return growthOf(before, row);
  return { received, transmitted, counted: { ...row, away: before.away } };
}

import type { DensityStore } from '../store/density.ts';
import { HOUR_MS } from '../store/pack.ts';
import type { ListedMonitor } from '../store/rows.ts';
import type { Reported } from './wire.ts';

/** Checks may be asked for at any time: seldom ones have this time between them as well, ms. */
const MOST_GAP_MS = 20_000;
/** Times between two checks before and after a result, and other results that may lie within: at least twice as many as planned ones. */
const SPAN = 5;
const MOST_NEAR = 20;

/** Returns the time between two checks of a monitor that fails, ms. */
export const gapOf = ({ interval_s, retry_s }: ListedMonitor): number =>
  Math.min(interval_s * 1_000, retry_s * 1_000, MOST_GAP_MS);

/**
 * Returns those results, given in the order of their times, that checks can have made: others come closer together than the
 * monitor is checked, with its retries and what people ask for. Those that are stored already stay. @throws RpcError 103
 */
export async function plausible(
  store: Pick<DensityStore, 'around'>,
  place_id: number,
  results: readonly (readonly [one: Reported, gap_ms: number])[],
): Promise<Reported[]> {
  const spots = results.map(([{ monitor: monitor_id, at }, gap_ms]) => ({
    ...{ monitor_id, at, span_ms: SPAN * gap_ms },
  }));
  const stored = await store.around(place_id, spots, MOST_NEAR);
  const added = new Map<number, number[]>();
  return results.flatMap(([one, gap_ms], n) => {
    const { monitor, at } = one;
    const { near = 0, itself = 0, packed = 0 } = stored[n] ?? {};
    const own = added.get(monitor) ?? [];
    if (itself > 0 || own.at(-1) === at) return one;
    const fresh = own.length - 1 - own.findLastIndex((time) => time <= at - SPAN * gap_ms);
    if (near + fresh >= MOST_NEAR || packed >= (2 * HOUR_MS) / gap_ms) return [];
    added.set(monitor, own);
    own.push(at);
    return one;
  });
}

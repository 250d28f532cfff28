import type { Clock } from './clock.ts';
import type { Logger } from './log.ts';

/**
 * Calls `tick` with 1, 2, 3 … at whole multiples of `ms` from now. A multiple that passes while a tick still runs is
 * skipped (monitoring-data.md §9). Returns a function that ends it.
 */
export function schedule(
  clock: Clock,
  ms: number,
  log: Logger,
  tick: (index: number) => Promise<void>,
): () => void {
  const start = clock.steady();
  let stopped = false;
  let cancel = () => {};
  const arm = (index: number) => {
    const wait = Math.max(0, start + index * ms - clock.steady());
    cancel = clock.after('report', wait, () => void run(index));
  };
  const run = async (index: number) => {
    try {
      await tick(index);
    } catch (error) {
      log.error('a report failed', { reason: String(error) });
    }
    const passed = Math.floor((clock.steady() - start) / ms);
    if (!stopped) arm(Math.max(index, passed) + 1);
  };
  arm(1);
  return () => {
    stopped = true;
    cancel();
  };
}

import type { RetentionLimits } from '@svc/plugin-kv/api';
import type { Clock } from '@svc/plugin-sdk';
import { filterOf } from './conditions.ts';
import type { ResultStore } from './store/results.ts';

/** Deletes records older than the key `database_limit_crontab_result` says (crontab.md §7). */
export function keepWithinLimit(
  retention: RetentionLimits,
  results: Pick<ResultStore, 'remove'>,
  clock: Clock,
): void {
  retention.every('crontab_result', async (limits, signal) => {
    const limit_ms = limits.of();
    if (limit_ms === undefined) return 0;
    const old = filterOf([{ run_time_to: Math.floor(clock.now() - limit_ms) }]);
    return results.remove(old, () => signal.throwIfAborted());
  });
}

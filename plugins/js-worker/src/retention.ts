import type { RetentionLimits } from '@svc/plugin-kv/api';
import type { Clock } from '@svc/plugin-sdk';
import { filterOf } from './conditions.ts';
import type { ResultStore } from './store/results.ts';

/** Deletes results older than the key `database_limit_js_result` says (js-worker.md §5.5). */
export function keepWithinLimit(
  retention: RetentionLimits,
  results: Pick<ResultStore, 'remove'>,
  clock: Clock,
): void {
  retention.every('js_result', async (limits, signal) => {
    const limit_ms = limits.of();
    if (limit_ms === undefined) return 0;
    const old = filterOf([{ start_time_to: Math.floor(clock.now() - limit_ms) }]);
    return results.remove(old, 'all', () => signal.throwIfAborted());
  });
}

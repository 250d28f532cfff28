import type { Clock } from '@svc/plugin-sdk';
import type { Completions } from './completions.ts';
import type { TaskStore } from './store/tasks.ts';

const LONGEST_MS = 60_000;
const SHORTEST_MS = 1_000;

/** Time between two runs: a task fails at most a quarter of the configured time later than configured, or a minute. */
export const failOldPeriod = (age_ms: number): number =>
  age_ms === 0 ? LONGEST_MS : Math.min(LONGEST_MS, Math.max(SHORTEST_MS, age_ms / 4));

/** Fails tasks whose agent never answered, so that they are seen and cleaned up (task.md §5). An age of 0 leaves them running. */
export function createFailOld(
  store: TaskStore,
  completions: Completions,
  { clock, age_ms }: { readonly clock: Clock; readonly age_ms: () => number },
): () => Promise<void> {
  return async () => {
    const age = age_ms();
    if (age === 0) return;
    const message = `No result came from the agent within ${age} ms; the server gave the task up`;
    for (;;) {
      const now = clock.now();
      const failed = await store.failOld(now - age, message, now);
      if (failed.length === 0) return;
      completions.ended(failed);
    }
  };
}

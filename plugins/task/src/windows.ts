import { setImmediate } from 'node:timers/promises';
import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { type Limits, RetentionLimits } from '@svc/plugin-kv/api';
import type { Integer, Kernel } from '@svc/plugin-sdk';
import type { Filter } from './conditions.ts';
import { openAges } from './store/ages.ts';
import type { ListStore } from './store/lists.ts';

/** Agents that are cleaned in one turn of the event loop. */
const SLICE = 32;
const LEAST_TIME = -(2n ** 63n);
const nothing: ReadonlySet<never> = new Set();

/**
 * Deletes the ended tasks of an agent that are older than the limit, counted from the agent's newest ended task (kv.md §6).
 * Without a plugin that knows the limits nothing is deleted.
 */
export function keepWindows(
  { db, useOptional }: Pick<Kernel, 'db' | 'useOptional'>,
  registry: AgentRegistry,
  lists: ListStore,
): void {
  const ages = openAges(db);
  const clean = async (limits: Limits, signal: AbortSignal): Promise<number> => {
    let deleted = 0;
    for (const [index, { uuid }] of registry.list().entries()) {
      const limit = limits.of(uuid);
      if (limit === undefined) continue;
      if (signal.aborted) break;
      const { oldest, newest } = await ages(uuid);
      const to = newest === null ? undefined : lastBefore(newest, limit);
      if (to !== undefined && oldest !== null && oldest <= to) {
        deleted += await lists.remove(endedUpTo(uuid, to), {
          without: undefined,
          proceed: () => signal.throwIfAborted(),
        });
      }
      if (index % SLICE === SLICE - 1) await setImmediate();
    }
    return deleted;
  };
  useOptional(RetentionLimits)?.every('task', clean);
}

/** A running task has no timestamp, so no time condition matches it. */
const endedUpTo = (uuid: string, to: Integer): Filter => ({
  ids: nothing,
  uuids: new Set([uuid]),
  types: nothing,
  cronSources: nothing,
  states: nothing,
  from: undefined,
  to,
  limit: undefined,
});

/** The last time outside a window of `limit` ms that ends at `newest`; undefined when every time lies inside. */
function lastBefore(newest: Integer, limit: number): bigint | undefined {
  const to = BigInt(newest) - BigInt(limit) - 1n;
  return to < LEAST_TIME ? undefined : to;
}

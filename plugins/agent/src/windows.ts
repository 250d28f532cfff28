import { setImmediate } from 'node:timers/promises';
import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { type Limits, RetentionLimits } from '@svc/plugin-kv/api';
import type { Kernel } from '@svc/plugin-sdk';
import type { Time } from './conditions.ts';
import { KINDS, type Kind } from './kinds.ts';
import type { Delete } from './queries.ts';
import { openAges, type ReadAges } from './store/ages.ts';

/** Agents looked at in one turn of the event loop. */
const CHUNK = 32;
const LEAST_TIME = -(2n ** 63n);

/**
 * Keeps of each agent the window that ends with its newest row, so that a silent agent keeps its last one (kv.md §6).
 * Nothing is done without a plugin that knows the limits.
 */
export function keepWindows(
  { db, useOptional }: Pick<Kernel, 'db' | 'useOptional'>,
  registry: AgentRegistry,
  kinds: { readonly [K in Kind['name']]: { readonly remove: Delete } },
): void {
  const retention = useOptional(RetentionLimits);
  for (const kind of KINDS) {
    const ages = openAges(db, kind);
    const { remove } = kinds[kind.name];
    retention?.every(kind.permission, (limits, signal) =>
      clean(limits, { registry, ages, remove, signal }),
    );
  }
}

interface Round {
  readonly registry: AgentRegistry;
  readonly ages: ReadAges;
  readonly remove: Delete;
  readonly signal: AbortSignal;
}

/** @returns rows deleted */
async function clean(limits: Limits, { registry, ages, remove, signal }: Round): Promise<number> {
  const agents = registry.list().flatMap(({ id, uuid }) => {
    const limit = limits.of(uuid);
    return limit === undefined ? [] : [{ id, uuid, limit }];
  });
  let deleted = 0;
  for (let at = 0; at < agents.length && !signal.aborted; at += CHUNK) {
    const some = new Map(agents.slice(at, at + CHUNK).map((agent) => [agent.id, agent]));
    for (const { id, oldest, newest } of await ages([...some.keys()])) {
      const agent = some.get(id);
      const to = agent && lastBefore(newest, agent.limit);
      if (!agent || to === undefined || oldest > to) continue;
      const open = { from: undefined, to: undefined };
      const timestamp = { from: undefined, to };
      deleted += await remove({ uuids: [agent.uuid], timestamp, storage: open, limit: undefined });
    }
    await setImmediate();
  }
  return deleted;
}

/** The last time outside a window of `limit` ms that ends at `newest`; undefined when every time lies inside. */
function lastBefore(newest: Time, limit: number): bigint | undefined {
  const to = BigInt(newest) - BigInt(limit) - 1n;
  return to < LEAST_TIME ? undefined : to;
}

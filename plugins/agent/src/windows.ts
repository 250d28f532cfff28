import { setImmediate } from 'node:timers/promises';
import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { type Limits, RetentionLimits } from '@svc/plugin-kv/api';
import type { Integer, Kernel } from '@svc/plugin-sdk';
import { KINDS, type Kind } from './kinds.ts';
import type { Cleanable } from './retention.ts';
import { openAges, type ReadAges } from './store/ages.ts';

/** Agents looked at in one turn of the event loop. */
const CHUNK = 32;
const LEAST_TIME = -(2n ** 63n);

/**
 * Keeps of each agent the window that ends with its newest row, so that a silent agent keeps its last one (kv.md §6).
 * Nothing is done without a plugin that knows the limits.
 */
export function keepWindows(
  { clock, db, useOptional }: Pick<Kernel, 'clock' | 'db' | 'useOptional'>,
  registry: AgentRegistry,
  kinds: { readonly [K in Kind['name']]: Cleanable },
): void {
  const retention = useOptional(RetentionLimits);
  for (const kind of KINDS) {
    const ages = openAges(db, kind, () => clock.now());
    retention?.every(kind.permission, (limits, signal) =>
      clean(limits, { registry, ages, rows: kinds[kind.name], signal }),
    );
  }
}

interface Round {
  readonly registry: AgentRegistry;
  readonly ages: ReadAges;
  readonly rows: Cleanable;
  readonly signal: AbortSignal;
}

/** An agent with rows outside its window: those up to `to`. */
interface Old {
  readonly uuid: string;
  readonly oldest: Integer;
  readonly to: bigint;
}

/** @returns rows deleted; those of dropped partitions are not counted */
async function clean(limits: Limits, round: Round): Promise<number> {
  const old = await outside(limits, round);
  // Newest rows only become newer meanwhile, and with them the ends of the windows.
  const goes = ({ id, newest }: { id: number; newest: Integer }) =>
    newest <= (old.get(id)?.to ?? LEAST_TIME);
  const ends = [...old.values()].map(({ to }) => Number(to));
  if (ends.length > 0) await round.rows.drop({ upTo: Math.max(...ends), goes });
  let deleted = 0;
  for (const { uuid, oldest, to } of old.values()) {
    if (round.signal.aborted) break;
    if (oldest > to) continue;
    const open = { from: undefined, to: undefined };
    const timestamp = { from: undefined, to };
    deleted += await round.rows.remove({
      uuids: [uuid],
      timestamp,
      storage: open,
      limit: undefined,
    });
  }
  return deleted;
}

/** Agents with a window, by id. */
async function outside(limits: Limits, { registry, ages, rows, signal }: Round) {
  const every = registry.list().map(({ id, uuid }) => ({ id, uuid, limit: limits.of(uuid) }));
  const agents = every.flatMap(({ id, uuid, limit }) =>
    limit === undefined ? [] : [{ id, uuid, limit }],
  );
  const longest = agents.reduce((most, { limit }) => Math.max(most, limit), 0);
  rows.keeps('agents', agents.length > 0 && agents.length === every.length ? longest : undefined);
  const old = new Map<number, Old>();
  for (let at = 0; at < agents.length && !signal.aborted; at += CHUNK) {
    const some = new Map(agents.slice(at, at + CHUNK).map((agent) => [agent.id, agent]));
    for (const { id, oldest, newest } of await ages([...some.keys()])) {
      const agent = some.get(id);
      const to = agent && lastBefore(newest, agent.limit);
      if (agent && to !== undefined) old.set(id, { uuid: agent.uuid, oldest, to });
    }
    await setImmediate();
  }
  return old;
}

/** The last time outside a window of `limit` ms that ends at `newest`; undefined when every time lies inside. */
function lastBefore(newest: Integer, limit: number): bigint | undefined {
  const to = BigInt(newest) - BigInt(limit) - 1n;
  return to < LEAST_TIME ? undefined : to;
}

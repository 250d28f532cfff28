import { setImmediate } from 'node:timers/promises';
import type { Limits } from '@svc/plugin-kv/api';
import type { Kernel } from '@svc/plugin-sdk';
import type { Integer } from '@svc/plugin-sdk/sql';
import type { AgentRows, ExplicitTable, HistoryTable } from './api.ts';

/** Agents looked at in one turn of the event loop. */
const CHUNK = 32;
const LEAST_TIME = -(2n ** 63n);

type Server = Pick<Kernel, 'clock' | 'signal'>;

/** An agent with rows outside its window: those up to `to`. */
interface Old {
  readonly uuid: string;
  readonly oldest: Integer;
  readonly to: bigint;
}

/** Deletes the rows of a table that are beyond the explicit limits (kv.md §6). @returns how many; those of partitions are not counted */
export async function removeBeyond(
  table: ExplicitTable,
  limits: Limits,
  server: Server,
): Promise<number> {
  if (table.agents) return removeOfAgents(table.agents, limits, server.signal);
  return removeOlder(table, limits.of(), server);
}

/** Deletes the rows that are beyond the limits of their owners' own configuration. */
export async function removeConfigured(
  tables: readonly HistoryTable[],
  server: Server & Pick<Kernel, 'log'>,
): Promise<void> {
  for (const table of tables) {
    try {
      const rows = await removeOlder(table, table.limit_ms?.(), server);
      if (rows > 0) server.log.info('old reports deleted', { table: table.table, rows });
    } catch (error) {
      // A stop in the middle is no failure: the next start goes on.
      if (!server.signal.aborted) throw error;
    }
  }
}

/** Deletes the rows of a table that are older than this, whole partitions first. @returns how many; those of partitions are not counted */
async function removeOlder(
  { agents, removeUpTo }: ExplicitTable,
  kept_ms: number | undefined,
  { clock, signal }: Server,
): Promise<number> {
  if (kept_ms === undefined || !removeUpTo) return 0;
  const upTo = Math.floor(clock.now() - kept_ms);
  await agents?.drop?.({ upTo, goes: () => true });
  return removeUpTo(upTo, () => signal.throwIfAborted());
}

/** Keeps of each agent the window that ends with its newest row, so that a silent agent keeps its last one. */
async function removeOfAgents(
  rows: AgentRows,
  limits: Limits,
  signal: AbortSignal,
): Promise<number> {
  const old = await outside(rows, limits, signal);
  // Newest rows only become newer meanwhile, and with them the ends of the windows.
  const goes = ({ id, newest }: { id: number; newest: Integer }) =>
    newest <= (old.get(id)?.to ?? LEAST_TIME);
  const ends = [...old.values()].map(({ to }) => Number(to));
  if (ends.length > 0) await rows.drop?.({ upTo: Math.max(...ends), goes });
  let deleted = 0;
  for (const { uuid, oldest, to } of old.values()) {
    if (signal.aborted) break;
    if (oldest <= to) deleted += await rows.remove(uuid, to, () => signal.throwIfAborted());
  }
  return deleted;
}

/** Agents with a window, by id. */
async function outside(rows: AgentRows, limits: Limits, signal: AbortSignal) {
  const every = rows.list().map(({ id, uuid }) => ({ id, uuid, limit: limits.of(uuid) }));
  const agents = every.flatMap(({ id, uuid, limit }) =>
    limit === undefined ? [] : [{ id, uuid, limit }],
  );
  const longest = agents.reduce((most, { limit }) => Math.max(most, limit), 0);
  rows.keeps?.(agents.length > 0 && agents.length === every.length ? longest : undefined);
  const old = new Map<number, Old>();
  for (let at = 0; at < agents.length && !signal.aborted; at += CHUNK) {
    const some = new Map(agents.slice(at, at + CHUNK).map((agent) => [agent.id, agent]));
    for (const { id, oldest, newest } of await rows.ages([...some.values()])) {
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

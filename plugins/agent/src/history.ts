import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { History, type Slice } from '@svc/plugin-retention/api';
import type { Kernel } from '@svc/plugin-sdk';
import { KINDS, type Kind } from './kinds.ts';
import type { Cleanable, RetentionConfig } from './retention.ts';

/** Rows of one statement, which takes some milliseconds. */
const BATCH_ROWS = 100;

/** Names the three tables to the plugin that bounds history by the time of arrival. */
export function keepHistory(
  { config, use }: Pick<Kernel<RetentionConfig>, 'config' | 'use'>,
  registry: AgentRegistry,
  kinds: { readonly [K in Kind['name']]: Cleanable },
): void {
  for (const { name, permission, table } of KINDS) {
    const rows = kinds[name];
    use(History).keep({
      table,
      kind: permission,
      limited: () => config[`database_limit_${permission}`] > 0,
      keeps: (kept_ms) => rows.keeps('history', kept_ms),
      remove: (slice) => remove(slice, rows, registry),
    });
  }
}

/** Drops partitions whose rows are all that old, then deletes rows. */
async function remove(
  { from, before, lag_ms, except, proceed }: Slice,
  rows: Cleanable,
  registry: AgentRegistry,
): Promise<number> {
  const stay = new Set(except);
  const ids = registry.list().flatMap(({ id, uuid }) => (stay.has(uuid) ? [id] : []));
  const goes = ({ id }: { readonly id: number }) => !ids.includes(id);
  const dropped = await rows.drop({ upTo: before - 1, goes, storedBefore: before });
  const storage = { from, to: before - 1 - (rows.isPartitioned ? lag_ms : 0) };
  const timestamp = { from: undefined, to: undefined };
  const filter = { uuids: [], timestamp, storage, limit: undefined };
  return dropped + (await rows.remove(filter, { except: ids, batch: BATCH_ROWS, proceed }));
}

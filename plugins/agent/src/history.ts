import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { History, type Slice } from '@svc/plugin-retention/api';
import type { Kernel } from '@svc/plugin-sdk';
import { filterOf } from './conditions.ts';
import type { Partitions } from './keep-partitions.ts';
import { KINDS, type Kind } from './kinds.ts';
import type { Delete } from './queries.ts';
import type { RetentionConfig } from './retention.ts';
import { openAges } from './store/ages.ts';

/** Rows of one statement, which takes some milliseconds. */
const BATCH_ROWS = 100;

const OPEN = { from: undefined, to: undefined };

/** Parts of one kind of reports that retention works with. */
interface Cleanable extends Pick<Partitions, 'keeps' | 'drop'> {
  readonly remove: Delete;
  /** Tells whether whole partitions can be dropped. */
  readonly isPartitioned: boolean;
}

/** Names the three tables to the plugin that bounds history. */
export function keepHistory(
  { clock, config, db, use }: Pick<Kernel<RetentionConfig>, 'clock' | 'config' | 'db' | 'use'>,
  registry: AgentRegistry,
  kinds: { readonly [K in Kind['name']]: Cleanable },
): void {
  for (const kind of KINDS) {
    const { name, permission, table } = kind;
    const rows = kinds[name];
    const ages = openAges(db, kind, () => clock.now());
    use(History).keep({
      table,
      kind: permission,
      limit_ms: () => config[`database_limit_${permission}`] || undefined,
      removeUpTo: (timestamp_to) => rows.remove(filterOf([{ timestamp_to }])),
      keeps: (kept_ms) => rows.keeps('history', kept_ms),
      remove: (slice) => remove(slice, rows, registry),
      agents: {
        list: () => registry.list(),
        ages: (agents) => ages(agents.map(({ id }) => id)),
        keeps: (longest_ms) => rows.keeps('agents', longest_ms),
        drop: rows.drop,
        remove: (uuid, to) =>
          rows.remove({
            uuids: [uuid],
            timestamp: { from: undefined, to },
            storage: OPEN,
            limit: undefined,
          }),
      },
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
  const filter = { uuids: [], timestamp: OPEN, storage, limit: undefined };
  return dropped + (await rows.remove(filter, { except: ids, batch: BATCH_ROWS, proceed }));
}

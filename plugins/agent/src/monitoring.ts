import { setImmediate } from 'node:timers/promises';
import type { Agent, AgentRegistry } from '@svc/plugin-agent-uuid/api';
import type { Kernel } from '@svc/plugin-sdk';
import type { AppenderOptions, Integer } from '@svc/plugin-sdk/sql';
import type { LastReports } from './api.ts';
import { filterOf } from './conditions.ts';
import { createHashes } from './hashes.ts';
import { keepPartitions, type Over, PLAIN } from './keep-partitions.ts';
import {
  columnsOf,
  DYNAMIC,
  type Kind,
  STATIC,
  STORAGE_TIME,
  SUMMARY,
  timeTableOf,
} from './kinds.ts';
import { LastValues } from './last-values.ts';
import { multiLast } from './multi-last.ts';
import { deletes, queries } from './queries.ts';
import { dynamicReports, staticReports, summaryReports } from './reports.ts';
import type { RetentionConfig } from './retention.ts';
import { DeleteStore } from './store/delete.ts';
import { openReadStore } from './store/read.ts';
import { openStaticStore } from './store/static.ts';
import { StoredRows } from './stored-rows.ts';
import { keepInSync } from './sync.ts';

/** Section `[monitoring_buffer]` (agent.md §8). */
export interface BufferConfig {
  readonly flush_interval_ms: number;
  readonly max_batch_size: number;
  readonly channel_capacity: number;
}

/** Longest wait of a report for others that share its commit (agent.md §8). */
const LONGEST_WAIT_MS = 200;

/** Agents read ahead in one turn of the event loop. */
const WARM_CHUNK = 32;

export type Monitoring = ReturnType<typeof createMonitoring>;

/** Wires stores, caches and the other servers together; the methods are a thin layer over the result. */
export function createMonitoring(
  kernel: Kernel<RetentionConfig>,
  registry: AgentRegistry,
  buffer: BufferConfig,
) {
  const { clock, db } = kernel;
  const now = () => clock.now();
  const hashes = createHashes();
  const open = (kind: Kind) =>
    openReadStore(db, kind, (column: string) => registry.uuidSql(column), now);
  const stores = { static: open(STATIC), dynamic: open(DYNAMIC), summary: open(SUMMARY) };
  const last = {
    static: new LastValues(stores.static.newest),
    dynamic: new LastValues(stores.dynamic.newest),
    summary: new LastValues(stores.summary.newest, columnsOf(SUMMARY).length),
  };
  const sync = keepInSync(kernel, last, () => hashes.forget());
  registry.onChange(({ id, soft_delete }) => {
    if (!soft_delete) return;
    hashes.forget(id);
    for (const values of Object.values(last)) values.forget([id]);
  });
  const shared = { kernel, registry, stores, last, hashes, sync };
  const tracks = {
    static: track(shared, STATIC),
    dynamic: track(shared, DYNAMIC),
    summary: track(shared, SUMMARY),
  };
  const reporting = { registry, now };
  const summaries = db.appender({ ...rowsOf(SUMMARY, buffer), wait_ms: waitOf(buffer) });
  const appenders = {
    dynamic: db.appender({ ...rowsOf(DYNAMIC, buffer), with: summaries }),
    summary: summaries,
  };
  const committed = { dynamic: new StoredRows(kernel), summary: new StoredRows(kernel) };
  const writes = { store: openStaticStore(db), hashes };
  return {
    ...tracks,
    reports: {
      static: staticReports(reporting, tracks.static, writes),
      dynamic: dynamicReports(
        reporting,
        { ...tracks.dynamic, committed: committed.dynamic },
        appenders.dynamic,
      ),
      summary: summaryReports(
        reporting,
        { ...tracks.summary, committed: committed.summary },
        appenders.summary,
      ),
    },
    appenders,
    committed,
    last,
    lastReports: {
      ...lastReports(registry, [last.summary, last.dynamic]),
      lost: () => appenders.dynamic.refused + appenders.summary.refused,
    },
    warm: () => warm(kernel, registry, Object.values(last)),
  };
}

function lastReports(
  registry: AgentRegistry,
  kinds: readonly LastValues[],
): Omit<LastReports, 'lost'> {
  const heard = async (agents: readonly Agent[]): Promise<(number | undefined)[]> => {
    const ids = agents.map(({ id }) => id);
    const times: (number | undefined)[] = agents.map(() => undefined);
    for (const values of kinds) {
      const rows = values.get(ids);
      for (const [at, row] of (rows instanceof Promise ? await rows : rows).entries()) {
        if (row) times[at] = Math.max(times[at] ?? 0, Number(row[STORAGE_TIME] ?? 0));
      }
    }
    return times;
  };
  return {
    heard,
    async heardAt(uuid) {
      const agent = registry.known(uuid);
      return agent && (await heard([agent]))[0];
    },
  };
}

interface SharedParts {
  readonly kernel: Kernel<RetentionConfig>;
  readonly registry: AgentRegistry;
  readonly stores: { readonly [K in Kind['name']]: ReturnType<typeof openReadStore> };
  readonly last: { readonly [K in Kind['name']]: LastValues };
  readonly hashes: ReturnType<typeof createHashes>;
  readonly sync: ReturnType<typeof keepInSync>;
}

/** Creates the parts that the methods and the retention of one kind of reports work with. */
function track({ kernel, registry, stores, last, hashes, sync }: SharedParts, kind: Kind) {
  const { clock, config, db, signal } = kernel;
  const store = new DeleteStore(db, kind, () => clock.now());
  const values = last[kind.name];
  const gone = (id: number | undefined, storedTo?: Integer) => {
    if (kind === STATIC) hashes.forget(id);
    sync.changed(kind, id, storedTo);
  };
  const partitions =
    db.timePartitions && kind !== STATIC
      ? keepPartitions(
          kernel,
          kind.table,
          db.timePartitions(timeTableOf(kind)),
          () => config[`database_limit_${kind.permission}`] || undefined,
        )
      : PLAIN;
  return {
    last: values,
    changed: (id: number) => sync.changed(kind, id),
    query: queries(registry, stores[kind.name]),
    newest: multiLast(kind, registry, values),
    remove: deletes(registry, { store, last: values, gone, signal }),
    keeps: partitions.keeps,
    isPartitioned: partitions !== PLAIN,
    drop: async (which: Over) => {
      const dropped = await partitions.drop(which);
      if (dropped === 0) return 0;
      const { upTo, storedBefore = Infinity } = which;
      const to = Number.isFinite(storedBefore) ? storedBefore - 1 : undefined;
      values.deleted(
        { ...filterOf([{ timestamp_to: upTo }]), storage: { from: undefined, to } },
        undefined,
      );
      gone(undefined, to);
      return dropped;
    },
  };
}

const rowsOf = (kind: Kind, buffer: BufferConfig): AppenderOptions => ({
  table: kind.table,
  columns: columnsOf(kind),
  id: 'id',
  maxBatchRows: buffer.max_batch_size,
  capacityRows: buffer.channel_capacity,
});

/** Wait for other reports, ms: files of former versions say 500, which had no effect. */
const waitOf = ({ flush_interval_ms }: BufferConfig): number =>
  Math.min(flush_interval_ms, LONGEST_WAIT_MS);

/** Reads the last values of all agents, so that the first dashboard finds them. Ends early when the server stops. */
async function warm(
  { log, signal }: Kernel,
  registry: AgentRegistry,
  all: readonly LastValues[],
): Promise<void> {
  const ids = registry.list().flatMap(({ id, soft_delete }) => (soft_delete ? [] : [id]));
  try {
    for (const values of all) {
      for (let at = 0; at < ids.length && !signal.aborted; at += WARM_CHUNK) {
        await values.get(ids.slice(at, at + WARM_CHUNK));
        await setImmediate();
      }
    }
  } catch (error) {
    log.warn('last values could not be read ahead', { error });
  }
}

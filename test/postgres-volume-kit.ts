import { randomUUID } from 'node:crypto';
import type { Database } from '@svc/plugin-sdk';
import type { DatabaseHandle, PartitionRange } from '@svc/plugin-sdk/sql';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import { migrate } from '../kernel/src/db/migrate.ts';
import { filterOf } from '../plugins/agent/src/conditions.ts';
import { selectionOf } from '../plugins/agent/src/fields.ts';
import { SUMMARY, timeTableOf } from '../plugins/agent/src/kinds.ts';
import { migrations } from '../plugins/agent/src/migrations/index.ts';
import { DAY_MS, floorTo } from '../plugins/agent/src/partitions.ts';
import { openReadStore } from '../plugins/agent/src/store/read.ts';
import { memoryLog } from './kernel/database-kit.ts';
import { A } from './protocol/agent-kit.ts';

export const TABLES = ['dynamic_monitoring', 'dynamic_monitoring_summary'] as const;
export const MINUTE_MS = 60_000;
/** Between two rounds that make partitions and delete old reports. */
export const ROUND_MS = 10 * MINUTE_MS;

/** Makes it noon for this process, so that no test runs over midnight. @returns the way back */
export function noon(): () => void {
  const { now } = Date;
  const by_ms = floorTo(now(), DAY_MS) + DAY_MS / 2 - now();
  Date.now = () => now() + by_ms;
  return () => {
    Date.now = now;
  };
}

/** Midnight, so many days from today. */
export const day = (days: number): number => floorTo(Date.now(), DAY_MS) + days * DAY_MS;

/** The end of a partition's name that begins so many days from today. */
export const nameOf = (days: number) =>
  `p${new Date(day(days)).toISOString().slice(0, 10).replaceAll('-', '')}`;

/** The tables as they were before partitions, on an empty database. */
export async function oldSchema(db: DatabaseHandle): Promise<void> {
  const [create] = migrations;
  if (!create) throw new Error('there is no first step');
  await migrate(db, [{ plugin: 'agent', migration: create }], memoryLog());
}

/** A server on this database. */
export const bootOn = (url: string, config: Record<string, any> = {}, more: string[] = []) =>
  bootForTest(
    ['token', 'agent-uuid', 'agent', ...more],
    {
      server_uuid: randomUUID(),
      ...config,
      database: { database_url: url, ...config['database'] },
    },
    { dialect: 'postgres', clock: true },
  ) as Promise<TestApp>;

export interface Part {
  readonly name: string;
  readonly bound: string;
}

/** Partitions of a table as the database sees them. */
export async function partsOf(app: Pick<TestApp, 'sql'>, table: string): Promise<Part[]> {
  const rows = await app.sql(
    `select c.relname::text as name, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = '${table}'::regclass order by 1`,
  );
  return rows as unknown as Part[];
}

/** Name of the partition that holds the summary of this time. */
export async function homeOf(app: Pick<TestApp, 'sql'>, timestamp: number | bigint) {
  const rows = await app.sql(
    `select tableoid::regclass::text as home from dynamic_monitoring_summary where timestamp = ${timestamp}`,
  );
  return rows.map(({ home }) => String(home).replace('dynamic_monitoring_summary_', ''));
}

/** Gives summaries day partitions from `from` days ago until today; everything older is the past. */
export async function makeDays(db: DatabaseHandle, from: number): Promise<void> {
  const create: PartitionRange[] = [{ from: -Infinity, to: day(-from) }];
  for (let at = -from; at <= 1; at++) create.push({ from: day(at), to: day(at + 1) });
  await db.timePartitions?.(timeTableOf(SUMMARY)).change(async ({ partitions }) => ({
    drop: partitions.filter(({ from: start }) => start === -Infinity),
    create,
  }));
}

/** Time stamps of the summaries that a query of the protocol finds, ascending. */
export async function summaries(app: TestApp, condition: object[] = []): Promise<number[]> {
  const query = { fields: ['uptime'], condition };
  const rows = await app.call('agent_query_dynamic_summary', [app.superToken, query]);
  return rows.map(({ timestamp }: { timestamp: number }) => timestamp);
}

export const report = (app: TestApp, uuid: string, time: number | bigint): Promise<any> =>
  app.call('agent_report_dynamic_summary', [app.superToken, { uuid, time, uptime: 1 }]);

/** Partitions that a query of the store opens. */
export async function opened(
  db: DatabaseHandle,
  conditions: object[],
  agent?: number,
): Promise<string[]> {
  let plan = '';
  const spy = {
    ...db,
    dialect: 'postgres',
    jsonArray: async (sql: string, params: any[]) => {
      const rows = await db.all<{ 'QUERY PLAN': string }>(`explain (costs off) ${sql}`, params);
      plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      return { text: '[]' };
    },
  } as unknown as Database;
  const store = openReadStore(spy, SUMMARY, (column) => `cast(${column} as text)`, Date.now);
  const named = agent === undefined ? undefined : { id: agent, uuid: A };
  const options = { maxBytes: 1e6, signal: new AbortController().signal, share: '' };
  await store.query(filterOf(conditions as any), named, selectionOf(SUMMARY, []), options);
  return [
    ...new Set(plan.match(/(?<=dynamic_monitoring_summary_)(?:p\d{8}|past|far|default)\b/g)),
  ].sort();
}

import type { Agent, AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { canonicalUuid, RpcError } from '@svc/plugin-sdk';
import { RawJson, stringifyJson } from '@svc/plugin-sdk/json';
import type { Appender, SqlValue } from '@svc/plugin-sdk/sql';
import { after, Committing } from '@svc/plugin-sdk/util';
import type { Hashes } from './hashes.ts';
import type { Row } from './kinds.ts';
import type { LastValues } from './last-values.ts';
import { checkText, holdsText, pickerOf } from './report-text.ts';
import { type DynamicReport, dynamicParts } from './schemas/dynamic.ts';
import { type StaticReport, staticParts } from './schemas/static.ts';
import type { SummaryReport } from './schemas/summary.ts';
import type { StaticStore } from './store/static.ts';
import type { StoredRows } from './stored-rows.ts';

/** Answer to a report (agent.md §5). */
export const BUFFERED = new RawJson('{"status":"buffered"}');
export const SKIPPED = new RawJson('{"status":"skipped","reason":"duplicate_hash"}');

/** Destinations of the rows of one kind. */
export interface Track {
  readonly last: LastValues;
  /** Tells the other servers. */
  readonly changed: (id: number) => void;
  /** Hands committed rows to other plugins. */
  readonly committed?: StoredRows;
}

/** Common to all reports: the registry of agents and the server's clock. */
export interface Reporting {
  readonly registry: AgentRegistry;
  readonly now: () => number;
}

type Reported = RawJson | Committing<RawJson>;
export type Report<T> = (report: T) => Reported | Promise<Reported>;

/** Stores a summary; answers after the commit. @throws RpcError 102, 103, 108 */
export function summaryReports(
  { registry, now }: Reporting,
  track: Track,
  appender: Appender,
): Report<SummaryReport> {
  return (report) => {
    const time = timestampOf(report.time);
    return after(registry.admit(canonicalUuid(report.uuid)), (agent) =>
      agent ? append(summaryRow(agent.id, time, now(), report), appender, track) : BUFFERED,
    );
  };
}

/** Row of a summary. Each name is written out: a loop over names costs five times as much, half of the time that parsing the report takes. */
const summaryRow = (
  id: number,
  time: SqlValue,
  storage_time: number,
  report: SummaryReport,
): SqlValue[] => [
  id,
  time,
  storage_time,
  report.cpu_usage ?? null,
  report.gpu_usage ?? null,
  report.used_swap ?? null,
  report.total_swap ?? null,
  report.used_memory ?? null,
  report.total_memory ?? null,
  report.available_memory ?? null,
  report.load_one ?? null,
  report.load_five ?? null,
  report.load_fifteen ?? null,
  report.uptime ?? null,
  report.boot_time ?? null,
  report.process_count ?? null,
  report.total_space ?? null,
  report.available_space ?? null,
  report.read_speed ?? null,
  report.write_speed ?? null,
  report.tcp_connections ?? null,
  report.udp_connections ?? null,
  report.total_received ?? null,
  report.total_transmitted ?? null,
  report.transmit_speed ?? null,
  report.receive_speed ?? null,
];

/** Stores a full report; answers after the commit. @throws RpcError 102, 103, 108 */
export function dynamicReports(
  { registry, now }: Reporting,
  track: Track,
  appender: Appender,
): Report<DynamicReport> {
  const texts = partTexts(dynamicParts);
  return (report) => {
    const time = timestampOf(report.time);
    const parts = texts(report);
    return after(registry.admit(canonicalUuid(report.uuid)), (agent) =>
      agent ? append([agent.id, time, now(), ...parts], appender, track) : BUFFERED,
    );
  };
}

/** Stores a static report unless its hash is stored already; then that row gets the later time. @throws RpcError 102, 103, 108 */
export function staticReports(
  { registry, now }: Reporting,
  { last, changed }: Track,
  { store, hashes }: { readonly store: StaticStore; readonly hashes: Hashes },
): Report<StaticReport> {
  const texts = partTexts(staticParts);
  return async (report) => {
    const time = timestampOf(report.time);
    const parts = texts(report);
    const agent: Agent | undefined = await registry.admit(canonicalUuid(report.uuid));
    if (!agent) return BUFFERED;
    const row = [agent.id, time, now(), ...parts];
    // Read beforehand, so that a duplicate refreshes the latest value although the table keeps the first content.
    await last.get([agent.id]);
    const { epoch } = last;
    const isNew = await write(row, Buffer.from(report.data_hash));
    last.stored(row, epoch);
    changed(agent.id);
    return isNew ? BUFFERED : SKIPPED;
  };

  /** Bumps the row, else inserts it, else bumps the row that another server has inserted meanwhile. */
  async function write(row: Row, hash: Buffer): Promise<boolean> {
    const [id, time, storage_time] = row as [number, SqlValue, number];
    const stored = hashes.repeated(id, hash) ?? hash;
    if (await store.touch(id, stored, time, storage_time)) {
      hashes.set(id, stored);
      return false;
    }
    const isNew = await store.insert(row, hash);
    if (!isNew) await store.touch(id, hash, time, storage_time);
    hashes.set(id, hash);
    return isNew;
  }
}

/** Appends a row. Only one promise follows that of the row: each further one costs noticeably here. */
function append(
  row: Row,
  appender: Appender,
  { last, changed, committed }: Track,
): Committing<RawJson> {
  const { epoch } = last;
  const stored = appender.append(row).then(() => {
    last.stored(row, epoch);
    committed?.add(row);
    changed(row[0] as number);
    return BUFFERED;
  });
  return new Committing(stored, appender);
}

/** JSON texts of a report's parts, in order, without unknown members. */
function partTexts<T extends typeof staticParts | typeof dynamicParts>(schemas: T) {
  const parts = Object.entries(schemas).map(([name, schema]) => ({
    name: name as keyof T,
    pick: pickerOf(schema) ?? ((value: unknown) => value),
    hasText: holdsText(schema),
  }));
  return (report: { readonly [K in keyof T]: unknown }): string[] =>
    parts.map(({ name, pick, hasText }) => {
      const text = stringifyJson(pick(report[name] as never));
      if (hasText) checkText(String(name), text);
      return text;
    });
}

const INT64_MAX = 2n ** 63n - 1n;

/** Checks `time`, which is unsigned on the wire and signed in the table. @throws RpcError 108 from 2^63 up */
function timestampOf(time: number | bigint): number | bigint {
  if (typeof time === 'bigint' && time > INT64_MAX) {
    throw RpcError.invalid(`time ${time} is larger than ${INT64_MAX}`);
  }
  return time;
}

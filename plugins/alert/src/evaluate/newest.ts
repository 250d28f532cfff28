import { SUMMARY_COLUMNS } from '@svc/plugin-agent/api';
import type { Kernel } from '@svc/plugin-sdk';
import { RawJson } from '@svc/plugin-sdk/json';
import { rowOf } from './stored-row.ts';
import type { Row } from './variables.ts';

const HEAD = new Set(['uuid_id', 'timestamp', 'storage_time']);
const FIELDS = Object.keys(SUMMARY_COLUMNS).filter((name) => !HEAD.has(name));

/** Newest summary of each of these machines that has one, from memory; at most 500 at a time. @throws RpcError 103 */
export async function newestRows(
  { call, system }: Pick<Kernel, 'call' | 'system'>,
  uuids: readonly string[],
): Promise<{ readonly uuid: string; readonly row: Row }[]> {
  const answer = await call(
    'agent_dynamic_summary_multi_last_query',
    { uuids, fields: FIELDS },
    system,
  );
  const reports = (answer instanceof RawJson ? parsed(answer) : answer) as Report[];
  return reports.map((report) => ({
    uuid: report.uuid,
    row: rowOf(FIELDS, (name) => report[name]),
  }));
}

interface Report {
  readonly uuid: string;
  readonly [field: string]: string | number | null | undefined;
}

const parsed = ({ text }: RawJson): unknown =>
  JSON.parse(typeof text === 'string' ? text : Buffer.from(text).toString());

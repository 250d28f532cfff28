import { SUMMARY_COLUMNS } from '@svc/plugin-agent/api';
import type { Kernel } from '@svc/plugin-sdk';
import { rowOf } from './stored-row.ts';
import type { Row } from './variables.ts';

const HEAD = new Set(['uuid_id', 'timestamp', 'storage_time']);
const FIELDS = Object.keys(SUMMARY_COLUMNS).filter((name) => !HEAD.has(name));

/** Newest summary of each of these machines that has one, from memory; at most 500 at a time. @throws RpcError 103 */
export async function newestRows(
  { call, system }: Pick<Kernel, 'call' | 'system'>,
  uuids: readonly string[],
): Promise<{ readonly uuid: string; readonly row: Row }[]> {
  const asked = { uuids, fields: FIELDS };
  const reports = await call('agent_dynamic_summary_multi_last_query', asked, system);
  return (reports as readonly Report[]).map((report) => ({
    uuid: report.uuid,
    row: rowOf(FIELDS, (name) => report[name]),
  }));
}

interface Report {
  readonly uuid: string;
  readonly [field: string]: string | number | null | undefined;
}

import { type Methods, RpcError } from '@svc/client';
import type { Server } from '../../frame/index.ts';

export type Row = Methods['task_query']['result'][number];
type Condition = Methods['task_query']['params']['task_data_query']['condition'][number];

export interface TaskFilter {
  /** UUID; empty: all. */
  readonly machine: string;
  readonly kind: string;
  /** `is_success` and so on; empty: all. */
  readonly state: string;
  /** Exact name; empty: all. */
  readonly job: string;
  /** Leaves out tasks that jobs made; with a job named, its own are shown. */
  readonly isManual: boolean;
  /** Unix ms, its last. */
  readonly until?: number;
}

/** Rows of one page. */
export const PAGE = 100;

function conditionsOf(
  { machine, kind, state, job, isManual, until }: TaskFilter,
  limit: number,
  before = until,
): Condition[] {
  return [
    ...(machine === '' ? [] : [{ uuid: machine }]),
    ...(kind === '' ? [] : [{ type: kind }]),
    ...(['is_success', 'is_failure', 'is_running'].includes(state) ? [state as 'is_success'] : []),
    ...(job === '' ? [] : [{ cron_source: job }]),
    ...(isManual ? (['is_manual'] as const) : []),
    ...(before === undefined ? [] : [{ timestamp_to: before }]),
    { limit },
  ];
}

interface Page {
  readonly rows: readonly Row[];
  /** Number of rows that the server gave; some of them may be left out here. */
  readonly given: number;
}

const INVALID_PARAMS = -32602;

/** The newest rows of a filter. A server that cannot filter out what jobs made gives all, and those are left out here. */
export async function newest(
  server: Server,
  filter: TaskFilter,
  limit = PAGE,
  before = filter.until,
): Promise<Page> {
  const query = (wanted: TaskFilter) =>
    server.call('task_query', {
      task_data_query: { condition: conditionsOf(wanted, limit, before) },
    });
  try {
    const rows = await query(filter);
    return { rows, given: rows.length };
  } catch (error) {
    if (!filter.isManual || !(error instanceof RpcError) || error.code !== INVALID_PARAMS)
      throw error;
  }
  const rows = await query({ ...filter, isManual: false });
  return { rows: rows.filter(({ cron_source }) => cron_source === null), given: rows.length };
}

/**
 * The rows that follow. The wire has no offset: it is asked for what is not newer than the last one, and those that are there already
 * are left out; `limit` has room for those of the same millisecond. Tasks that run have no time, and come after all others.
 */
export async function older(
  server: Server,
  filter: TaskFilter,
  rows: readonly Row[],
): Promise<{ readonly found: readonly Row[]; readonly isLast: boolean }> {
  const last = rows.findLast(({ timestamp }) => timestamp !== null)?.timestamp;
  if (last === undefined || last === null) return { found: [], isLast: true };
  const present = new Set(rows.map(({ task_id }) => String(task_id)));
  const same = rows.filter(({ timestamp }) => timestamp === last).length;
  const limit = PAGE + same;
  const page = await newest(server, filter, limit, Number(last));
  return {
    found: page.rows.filter(({ task_id }) => !present.has(String(task_id))),
    isLast: page.given < limit,
  };
}

import type { Methods } from '@svc/client';
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
  /** Unix ms, its last. */
  readonly until?: number;
}

/** Rows of one page. */
export const PAGE = 100;

export function conditionsOf(
  { machine, kind, state, job, until }: TaskFilter,
  limit: number,
  before = until,
): Condition[] {
  return [
    ...(machine === '' ? [] : [{ uuid: machine }]),
    ...(kind === '' ? [] : [{ type: kind }]),
    ...(['is_success', 'is_failure', 'is_running'].includes(state) ? [state as 'is_success'] : []),
    ...(job === '' ? [] : [{ cron_source: job }]),
    ...(before === undefined ? [] : [{ timestamp_to: before }]),
    { limit },
  ];
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
  const known = new Set(rows.map(({ task_id }) => String(task_id)));
  const same = rows.filter(({ timestamp }) => timestamp === last).length;
  const limit = PAGE + same;
  const condition = conditionsOf(filter, limit, Number(last));
  const answer = await server.call('task_query', { task_data_query: { condition } });
  return {
    found: answer.filter(({ task_id }) => !known.has(String(task_id))),
    isLast: answer.length < limit,
  };
}

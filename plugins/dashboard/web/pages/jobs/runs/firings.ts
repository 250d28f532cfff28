import type { Methods } from '@svc/client';
import type { Server } from '../../../frame/index.ts';
import { type Job, workOf } from '../model.ts';

export type Dispatch = Methods['crontab-result_query']['result'][number];

/** One firing: records of the same moment, one a machine. */
export interface Firing {
  /** Unix ms. */
  readonly at: number;
  readonly records: readonly Dispatch[];
}

/** Records that are farther apart belong to two firings; jobs fire once a second at most. */
const APART_MS = 900;

/** Newest first, as the records are. */
export function firingsOf(records: readonly Dispatch[]): Firing[] {
  const groups: Dispatch[][] = [];
  let last = Number.POSITIVE_INFINITY;
  for (const record of records) {
    const at = Number(record.run_time ?? 0);
    if (last - at > APART_MS) groups.push([record]);
    else groups.at(-1)?.push(record);
    last = at;
  }
  return groups.map((list) => ({ at: Number(list.at(-1)?.run_time ?? 0), records: list }));
}

/** Firings that a strip shows. */
export const SHOWN = 24;
/** Records of one job that are read, at least and at most. */
const [LEAST, MOST] = [120, 1_500];
/** Jobs whose last runs are shown in the list. */
export const WITH_RUNS = 100;

const limitOf = ({ cron_type }: Job): number => {
  const work = workOf(cron_type);
  const each = work.kind === 'task' ? work.uuids.length : 1;
  return Math.min(MOST, Math.max(LEAST, SHOWN * each));
};

/** The last firings of these jobs. A token that may not read those of one job has none of it. */
export async function lastFirings(
  server: Server,
  jobs: readonly Job[],
): Promise<ReadonlyMap<string, readonly Firing[]>> {
  const readable = jobs.filter(({ name }) => server.covers('crontab_result', 'read', '', name));
  if (readable.length === 0) return new Map();
  const answers = await server.client.batch(
    readable.map((job) => [
      'crontab-result_query',
      { query: { condition: [{ cron_name: job.name }, { limit: limitOf(job) }] } },
    ]),
  );
  return new Map(
    readable.map((job, at) => {
      const answer = answers[at];
      const records = answer?.status === 'fulfilled' ? (answer.value as Dispatch[]) : [];
      const firings = firingsOf(records);
      // The oldest one may have been cut.
      const isCut = records.length === limitOf(job) && firings.length > 1;
      return [job.name, isCut ? firings.slice(0, -1) : firings];
    }),
  );
}

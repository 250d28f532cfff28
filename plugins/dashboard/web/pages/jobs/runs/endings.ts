import type { Server } from '../../../frame/index.ts';
import { plain } from '../../../parts/plain.ts';
import { kindOf } from '../../../parts/task-form.tsx';
import { type Job, type TaskWork, workOf } from '../model.ts';
import { type Firing, SHOWN } from './firings.ts';

/** End of the work of a record, by the number of its task or run. */
export interface Ending {
  readonly state: 'done' | 'failed' | 'running';
  readonly text: string;
  /** Result of a probe, ms. */
  readonly value?: number;
}
export type Endings = ReadonlyMap<string, Ending>;

/** Endings of the newest runs of a job. Without the right to read them there are none. */
export async function endingsOf(server: Server, job: Job): Promise<Endings> {
  const work = workOf(job.cron_type);
  try {
    if (work.kind === 'task') return await tasksOf(server, job.name, work);
    return server.holds('js_result', 'read') ? await runsOf(server, work.script) : new Map();
  } catch (error) {
    console.info('results of a job are not readable', error);
    return new Map();
  }
}

/** Rows that are read, at least and at most; those of the newest firings are among them. */
const [LEAST, MOST] = [300, 1_000];
const FIRINGS = 2;

/** Condition for the tasks of the job; undefined: the token may not read them. */
function ownTasks(server: Server, cron_source: string, { task, uuids }: TaskWork) {
  const type = kindOf(task);
  const may = (uuid: string) => server.has('task') && server.covers('task', 'read', uuid, type);
  // A list of all machines takes the right to all; the tasks of a job of one machine are asked for alone.
  const [only = ''] = uuids.length === 1 && !may('') ? uuids : [];
  if (!may(only)) return undefined;
  return [{ cron_source }, { type }, ...(only === '' ? [] : [{ uuid: only }])];
}

async function tasksOf(server: Server, name: string, work: TaskWork): Promise<Endings> {
  const own = ownTasks(server, name, work);
  if (!own) return new Map();
  const limit = Math.min(MOST, Math.max(LEAST, FIRINGS * work.uuids.length));
  const condition = [...own, { limit }];
  const rows = await server.call('task_query', { task_data_query: { condition } });
  return new Map(
    rows.map(({ task_id, success, error_message, task_event_result }) => {
      const [result] = Object.values(task_event_result ?? {});
      return [String(task_id), ending(success, error_message ?? result)];
    }),
  );
}

async function runsOf(server: Server, js_worker_name: string): Promise<Endings> {
  const condition = [{ js_worker_name }, { limit: LEAST }];
  const rows = await server.call('js-result_query', { query: { condition } });
  return new Map(
    rows.map(({ id, finish_time, error_message, result }) => [
      String(id),
      ending(finish_time === null ? null : error_message === null, error_message ?? result),
    ]),
  );
}

/** Failures of one job that its dots in the list are coloured by. */
const MOST_FAILED = 300;

interface Failed {
  readonly task_id?: unknown;
  readonly id?: unknown;
  readonly error_message: string | null;
}

/** Failures of the last firings of these jobs, by the name of the job: a list of jobs needs no results. */
export async function failuresOf(
  server: Server,
  jobs: readonly Job[],
  firings: ReadonlyMap<string, readonly Firing[]>,
): Promise<ReadonlyMap<string, Endings>> {
  const asked = jobs.flatMap((job) => {
    const oldest = firings.get(job.name)?.slice(0, SHOWN).at(-1)?.at;
    const call = oldest === undefined ? undefined : failedSince(server, job, oldest);
    return call ? [{ job, call }] : [];
  });
  if (asked.length === 0) return new Map();
  const answers = await server.client.batch(asked.map(({ call }) => call) as never[]);
  return new Map(
    asked.map(({ job }, at) => {
      const answer = answers[at] as PromiseSettledResult<readonly Failed[]> | undefined;
      const rows = answer?.status === 'fulfilled' ? answer.value : [];
      const failed = rows.map(
        ({ task_id, id, error_message }) =>
          [String(task_id ?? id), ending(false, error_message)] as const,
      );
      return [job.name, new Map(failed)];
    }),
  );
}

function failedSince(server: Server, { name, cron_type }: Job, since: number) {
  const work = workOf(cron_type);
  const limit = { limit: MOST_FAILED };
  if (work.kind === 'task') {
    const own = ownTasks(server, name, work);
    const condition = own && [...own, 'is_failure', { timestamp_from: since }, limit];
    return condition && ['task_query', { task_data_query: { condition } }];
  }
  if (!server.has('js-worker') || !server.covers('js_result', 'read', '', work.script))
    return undefined;
  const condition = [
    { js_worker_name: work.script },
    'is_failure',
    { start_time_from: since },
    limit,
  ];
  return ['js-result_query', { query: { condition } }];
}

const ending = (success: boolean | null, result: unknown): Ending => ({
  state: success === null ? 'running' : success ? 'done' : 'failed',
  text: success === false ? plain(textOf(result)) : textOf(result),
  ...(typeof result === 'number' && { value: result }),
});

const textOf = (value: unknown): string =>
  value === undefined || value === null
    ? ''
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);

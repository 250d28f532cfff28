import type { Methods } from '@svc/client';
import type { Server } from '../../frame/index.ts';
import { kindOf, type Task } from '../../parts/task-form.tsx';
import { mayRun } from '../../parts/task-rights.ts';

export type Job = Methods['crontab_get']['result'][number];
export type Dispatch = Methods['crontab-result_query']['result'][number];
export type JobType = Job['cron_type'];

/** What a job does: a task on machines, or a script. */
export type Work =
  | { readonly kind: 'task'; readonly uuids: readonly string[]; readonly task: Task }
  | { readonly kind: 'script'; readonly script: string; readonly params: unknown };

export function workOf(type: JobType): Work {
  if ('agent' in type) {
    const [uuids, { task }] = type.agent;
    return { kind: 'task', uuids, task };
  }
  const [script, params] = type.server.js_worker;
  return { kind: 'script', script, params };
}

export const typeOf = (work: Work): JobType =>
  work.kind === 'task'
    ? { agent: [[...work.uuids], { task: work.task as 'ip' }] }
    : { server: { js_worker: [work.script, work.params] } };

/** May the token change or delete the job? A script's needs the right everywhere. */
export function mayChange(
  { covers }: Server,
  { cron_type }: Job,
  verb: 'write' | 'delete',
): boolean {
  const work = workOf(cron_type);
  const places = work.kind === 'task' ? work.uuids : [''];
  return places.every((uuid) => covers('crontab', verb, uuid));
}

/** May it do once what the job does? */
export function mayStart(server: Server, { cron_type }: Job): boolean {
  const work = workOf(cron_type);
  if (work.kind === 'task')
    return work.uuids.some((uuid) => mayRun(server, uuid, kindOf(work.task)));
  const asked = { js_script_name: work.script, params: work.params };
  return server.has('js-worker') && server.may('js-worker_run', asked) !== false;
}

/** One firing: records of the same moment, one a machine. */
export interface Firing {
  /** Unix ms. */
  readonly at: number;
  readonly records: readonly Dispatch[];
  readonly isHandedOver: boolean;
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
  return groups.map((list) => ({
    at: Number(list.at(-1)?.run_time ?? 0),
    records: list,
    isHandedOver: list.every(({ success }) => success === true),
  }));
}

/** Records of a job; enough for a strip of dots even where a firing has several. */
const RECORDS = 120;
/** Jobs whose last runs are shown in the list. */
export const WITH_RUNS = 100;

/** The last records of these jobs. A token that may not read those of one job has none of it. */
export async function lastRecords(
  server: Server,
  names: readonly string[],
): Promise<ReadonlyMap<string, readonly Dispatch[]>> {
  const may = (name: string) => server.covers('crontab_result', 'read', '', name);
  const readable = names.filter(may);
  if (readable.length === 0) return new Map();
  const answers = await server.client.batch(
    readable.map((cron_name) => [
      'crontab-result_query',
      { query: { condition: [{ cron_name }, { limit: RECORDS }] } },
    ]),
  );
  return new Map(
    readable.map((name, at) => {
      const answer = answers[at];
      return [name, answer?.status === 'fulfilled' ? (answer.value as Dispatch[]) : []];
    }),
  );
}

/** How the work of a record ended, by the number of its task or run. */
export interface Ending {
  readonly state: 'done' | 'failed' | 'running';
  readonly text: string;
}

/** Endings of the newest runs of a job. Without the right to read them there are none. */
export async function endingsOf(server: Server, job: Job): Promise<ReadonlyMap<string, Ending>> {
  const work = workOf(job.cron_type);
  try {
    if (work.kind === 'task') return await tasksOf(server, job.name, work);
    return server.holds('js_result', 'read') ? await runsOf(server, work.script) : new Map();
  } catch (error) {
    console.info('results of a job are not readable', error);
    return new Map();
  }
}

const NEWEST = 300;

async function tasksOf(
  server: Server,
  cron_source: string,
  { task, uuids }: Extract<Work, { kind: 'task' }>,
): Promise<ReadonlyMap<string, Ending>> {
  const type = kindOf(task);
  const may = (uuid: string) => server.has('task') && server.covers('task', 'read', uuid, type);
  // A list of all machines takes the right to all; the tasks of a job of one machine are asked for alone.
  const [only = ''] = uuids.length === 1 && !may('') ? uuids : [];
  if (!may(only)) return new Map();
  const condition = [
    { cron_source },
    { type },
    ...(only === '' ? [] : [{ uuid: only }]),
    { limit: NEWEST },
  ];
  const rows = await server.call('task_query', { task_data_query: { condition } });
  return new Map(
    rows.map(({ task_id, success, error_message, task_event_result }) => [
      String(task_id),
      ending(success, error_message ?? textOf(Object.values(task_event_result ?? {})[0])),
    ]),
  );
}

async function runsOf(
  server: Server,
  js_worker_name: string,
): Promise<ReadonlyMap<string, Ending>> {
  const condition = [{ js_worker_name }, { limit: NEWEST }];
  const rows = await server.call('js-result_query', { query: { condition } });
  return new Map(
    rows.map(({ id, finish_time, error_message, result }) => [
      String(id),
      ending(finish_time === null ? null : error_message === null, error_message ?? textOf(result)),
    ]),
  );
}

const ending = (success: boolean | null, text: string): Ending => ({
  state: success === null ? 'running' : success ? 'done' : 'failed',
  text,
});

const textOf = (value: unknown): string =>
  value === undefined || value === null
    ? ''
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);

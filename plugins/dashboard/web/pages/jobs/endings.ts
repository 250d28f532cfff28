import type { Server } from '../../frame/index.ts';
import { kindOf } from '../../parts/task-form.tsx';
import { type Job, type Work, workOf } from './model.ts';

/** How the work of a record ended, by the number of its task or run. */
export interface Ending {
  readonly state: 'done' | 'failed' | 'running';
  readonly text: string;
  /** Of a probe, ms. */
  readonly value?: number;
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

/** Rows that are read, at least and at most; those of the newest firings are among them. */
const [LEAST, MOST] = [300, 1_000];
const FIRINGS = 2;

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
    { limit: Math.min(MOST, Math.max(LEAST, FIRINGS * uuids.length)) },
  ];
  const rows = await server.call('task_query', { task_data_query: { condition } });
  return new Map(
    rows.map(({ task_id, success, error_message, task_event_result }) => {
      const [result] = Object.values(task_event_result ?? {});
      return [String(task_id), ending(success, error_message ?? result)];
    }),
  );
}

async function runsOf(
  server: Server,
  js_worker_name: string,
): Promise<ReadonlyMap<string, Ending>> {
  const condition = [{ js_worker_name }, { limit: LEAST }];
  const rows = await server.call('js-result_query', { query: { condition } });
  return new Map(
    rows.map(({ id, finish_time, error_message, result }) => [
      String(id),
      ending(finish_time === null ? null : error_message === null, error_message ?? result),
    ]),
  );
}

const ending = (success: boolean | null, result: unknown): Ending => ({
  state: success === null ? 'running' : success ? 'done' : 'failed',
  text: textOf(result),
  ...(typeof result === 'number' && { value: result }),
});

const textOf = (value: unknown): string =>
  value === undefined || value === null
    ? ''
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);

import type { Methods } from '@svc/client';
import { useEffect, useState } from 'preact/hooks';
import { navigate, type Server, to, usePoll, useServer } from '../../frame/index.ts';
import { toast, useWork } from '../../parts/index.ts';
import { blankTask, isComplete, kindOf, type Task } from '../../parts/task-form.tsx';
import { mayRun } from '../../parts/task-rights.ts';
import { t } from '../../strings/index.ts';
import { readCron } from './cron/words.ts';

export type Job = Methods['crontab_get']['result'][number];
type JobType = Job['cron_type'];

/** Work of a job: a task on machines, or a script. */
export type Work =
  | { readonly kind: 'task'; readonly uuids: readonly string[]; readonly task: Task }
  | { readonly kind: 'script'; readonly script: string; readonly params: unknown };
export type TaskWork = Extract<Work, { kind: 'task' }>;
export type ScriptWork = Extract<Work, { kind: 'script' }>;

export function workOf(type: JobType): Work {
  if ('agent' in type) {
    const [uuids, { task }] = type.agent;
    return { kind: 'task', uuids, task };
  }
  const [script, params] = type.server.js_worker;
  return { kind: 'script', script, params };
}

/** Tells whether the token may change or delete the job; a script's needs the right everywhere. */
export function mayChange(
  { covers }: Server,
  { cron_type }: Job,
  verb: 'write' | 'delete',
): boolean {
  const work = workOf(cron_type);
  const places = work.kind === 'task' ? work.uuids : [''];
  return places.every((uuid) => covers('crontab', verb, uuid));
}

/** Tells whether the token may do once what the job does. */
export function mayStart(server: Server, { cron_type }: Job): boolean {
  const work = workOf(cron_type);
  if (work.kind === 'task')
    return work.uuids.some((uuid) => mayRun(server, uuid, kindOf(work.task)));
  const asked = { js_script_name: work.script, params: work.params };
  return server.has('js-worker') && server.may('js-worker_run', asked) !== false;
}

const EVERY_MS = 10_000;

export function useJobs() {
  const { call } = useServer();
  return usePoll('jobs', () => call('crontab_get'), { every_ms: EVERY_MS });
}

/** Deletes a job, and offers to bring it back. */
export function useDeletion(
  { name, cron_expression, cron_type, enable }: Job,
  onChanged: () => void,
) {
  const { call } = useServer();
  const restore = async () => {
    try {
      await call('crontab_create', { name, cron_expression, cron_type });
      if (!enable) await call('crontab_set_enable', { name, enable: false });
      onChanged();
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), { kind: 'bad' });
    }
  };
  return async () => {
    await call('crontab_delete', { name });
    toast(t.jobs.deleted(name), { action: { label: t.jobs.undo, run: () => void restore() } });
    navigate(to('jobs'));
    onChanged();
  };
}

/** Job as it is being edited. */
export interface Draft {
  readonly name: string;
  readonly expression: string;
  readonly kind: Work['kind'];
  readonly task: Task;
  readonly uuids: ReadonlySet<string>;
  readonly script: string;
  /** JSON as it is typed. */
  readonly params: string;
}

function draftOf(job: Job | undefined): Draft {
  const work = job && workOf(job.cron_type);
  return {
    name: job?.name ?? '',
    expression: job?.cron_expression ?? '0 0 * * * *',
    kind: work?.kind ?? 'task',
    task: work?.kind === 'task' ? work.task : blankTask('execute'),
    uuids: new Set(work?.kind === 'task' ? work.uuids : []),
    script: work?.kind === 'script' ? work.script : '',
    params: JSON.stringify(work?.kind === 'script' ? work.params : null, null, 2),
  };
}

/** Work of a draft as the server takes it; undefined: something is missing or wrong. */
function typeOf({ kind, task, uuids, script, params }: Draft): JobType | undefined {
  if (kind === 'task')
    return isComplete(task) ? { agent: [[...uuids], { task: task as 'ip' }] } : undefined;
  const parsed = parseJson(params);
  return script !== '' && parsed ? { server: { js_worker: [script, parsed.value] } } : undefined;
}

export function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    // Said below the field.
    return undefined;
  }
}

const BAD_NAME = /[/\\\p{Cc}]/u;

/** Draft of a job that is there, or of a new one. */
export function useDraft(job: Job | undefined, onSaved: () => void) {
  const { call } = useServer();
  const [draft, setDraft] = useState(() => draftOf(job));
  const { name, expression } = draft;
  const cron_type = typeOf(draft);
  const isNameWrong = BAD_NAME.test(name) || [...name].length > 128;
  const isReady =
    name !== '' &&
    !isNameWrong &&
    readCron(expression).schedule !== undefined &&
    cron_type !== undefined;
  const { run, error, isBusy } = useWork(async () => {
    if (!cron_type) return;
    const params = { name, cron_expression: expression, cron_type };
    await call(job ? 'crontab_edit' : 'crontab_create', params);
    toast(t.jobs.saved(name));
    if (!job) navigate(to('jobs', name));
  }, onSaved);
  const change = (part: Partial<Draft>) => setDraft((old) => ({ ...old, ...part }));
  return { draft, change, isNameWrong, isReady, save: () => isReady && run(), error, isBusy };
}

/** Names of the scripts that a job can run. */
export function useScripts() {
  const { call } = useServer();
  return usePoll('scripts', () => call('js-worker_list_all_js_worker'));
}

const POLL_MS = 500;

/** Runs a script once, while the component is shown, and waits for its end. */
export function useScriptRun({ script: js_script_name, params }: ScriptWork) {
  const { call } = useServer();
  const [answer, setAnswer] = useState<{ readonly text?: string; readonly error?: unknown }>({});
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const poll = async (id: number): Promise<void> => {
      const [row] = await call('js-result_query', { query: { condition: [{ id }] } });
      if (isOver) return;
      if (!row || row.finish_time === null)
        timer = setTimeout(() => void poll(id).catch(fail), POLL_MS);
      else if (row.error_message !== null) setAnswer({ error: new Error(row.error_message) });
      else setAnswer({ text: JSON.stringify(row.result, null, 2) });
    };
    const fail = (error: unknown) => !isOver && setAnswer({ error });
    call('js-worker_run', { js_script_name, params, run_type: 'cron' })
      .then(({ id }) => poll(id))
      .catch(fail);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, []);
  return answer;
}

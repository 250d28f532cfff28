import type { Methods } from '@svc/client';
import type { Server } from '../../frame/index.ts';
import { kindOf, type Task } from '../../parts/task-form.tsx';
import { mayRun } from '../../parts/task-rights.ts';

export type Job = Methods['crontab_get']['result'][number];
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

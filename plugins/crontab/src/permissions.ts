import type { Permission, Requirement, Scope } from '@svc/plugin-sdk';
import type { Filter } from './conditions.ts';
import type { JobType } from './job-type.ts';

export type JobRight = 'read' | 'write' | 'delete';

/** The kinds of jobs and of their records (crontab.md §4). */
export const permissions = {
  crontab: { words: ['read', 'write', 'delete'] },
  crontab_result: { patterns: ['read', 'delete'] },
};

/** Every listed agent; everything for a worker job and for an empty list. */
function scopesOf(type: JobType): readonly Scope[] {
  if (type.kind === 'worker' || type.agents.length === 0) return ['global'];
  return [...new Set(type.agents)].map((uuid) => ({ agent_uuid: uuid }));
}

/** The right to do this with a job of this type. */
export const mayDo = (right: JobRight, type: JobType): Requirement => ({
  scopes: scopesOf(type),
  permissions: [{ crontab: right }],
  denied: `Permission Denied: Missing Crontab ${capital(right)} permission in the required scope`,
});

/** The right to what a job of this type will do: create its tasks, or run its script. */
export function mayRun(type: JobType): Requirement {
  if (type.kind === 'agent') {
    return {
      scopes: scopesOf(type),
      permissions: [{ task: { create: type.task.name } }],
      denied: `Permission Denied: Missing Task Create permission (${type.task.name}) in the required scope`,
    };
  }
  return {
    scopes: [{ js_worker: type.worker }],
    permissions: [{ js_worker: 'run_defined_js_worker' }],
    denied: 'Permission Denied: Missing JsWorker RunDefinedJsWorker permission for this worker',
  };
}

/** A right to jobs in global scope. */
export const globally = (right: JobRight): Requirement => ({
  scopes: ['global'],
  permissions: [{ crontab: right }],
  denied: noRight(right),
});

export const noRight = (right: JobRight): string =>
  `Permission Denied: Missing Crontab ${capital(right)} permission`;

/** The right to the records of each named job, or of all. */
export const mayList = (verb: 'read' | 'delete', { names }: Filter): Requirement => ({
  scopes: ['global'],
  permissions: [...(names.size > 0 ? names : ['*'])].map(
    (name): Permission => ({ crontab_result: { [verb]: name } }),
  ),
  denied: `Permission Denied: Missing CrontabResult ${capital(verb)} permission for these jobs`,
});

const capital = (word: string): string => `${word[0]?.toUpperCase()}${word.slice(1)}`;

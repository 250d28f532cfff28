import type { Permission, Requirement } from '@svc/plugin-sdk';

export type WorkerRight = 'create' | 'read' | 'write' | 'delete' | 'run_defined_js_worker';
export type ResultRight = 'read' | 'delete';

/** The kinds of workers and results, and the scope of one worker (auth.md §5). */
export const permissions = {
  js_worker: {
    words: [
      'list_all_js_worker',
      'create',
      'read',
      'write',
      'delete',
      'run_defined_js_worker',
      'run_raw_js_worker',
    ],
  },
  js_result: { patterns: ['read', 'delete'] },
};
export const scopes = { js_worker: 'prefix' } as const;

const verbs: { readonly [right in WorkerRight]: string } = {
  create: 'Create',
  read: 'Read',
  write: 'Write',
  delete: 'Delete',
  run_defined_js_worker: 'RunDefinedJsWorker',
};

/** A right to one worker; the name as it is stored. */
export const mayDo = (right: WorkerRight, name: string): Requirement => ({
  scopes: [{ js_worker: name }],
  permissions: [{ js_worker: right }],
  denied: `Permission denied for js_worker '${name}', required permission: ${verbs[right]}`,
});

/** The right to a route of this name: that to a worker of the same name. */
export const mayClaim = (right: 'create' | 'write', route: string): Requirement => ({
  ...mayDo(right, route),
  denied: `Permission denied for route_name '${route}', required permission: ${verbs[right]} on js_worker '${route}'`,
});

/** The right to run workers, in whatever scope. */
export const RUN: Permission = { js_worker: 'run_defined_js_worker' };

/** The right to every worker there is and will be. */
export const mayWriteAll = (): Requirement => ({
  scopes: ['global'],
  permissions: [{ js_worker: 'write' }],
  denied: '',
});

/** Requirement under which `js-worker_list_all_js_worker` shows this worker. */
export const maySee = (name: string): Requirement => ({
  scopes: [{ js_worker: name }],
  permissions: [{ js_worker: 'list_all_js_worker' }],
  denied: '',
});

export const maySeePool = (): Requirement => ({
  scopes: ['global'],
  permissions: [{ svc: 'get_rt_pool' }],
  denied: 'Permission denied: missing svc.get_rt_pool permission',
});

/** The right to the results of one worker. */
export const mayResult = (right: ResultRight, name: string): Requirement => ({
  scopes: [{ js_worker: name }],
  permissions: [{ js_result: { [right]: name } }],
  denied: `Permission denied for js_result on worker '${name}', action: ${right === 'read' ? 'Read' : 'Delete'}`,
});

/** The right to the results of every worker there is. */
export const mayResults = (right: ResultRight): Requirement => ({
  scopes: ['global'],
  permissions: [{ js_result: { [right]: '*' } }],
  denied: '',
});

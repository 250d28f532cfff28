import { usePoll, useServer } from '../frame/index.ts';

interface Entry {
  readonly scopes: readonly unknown[];
  readonly permissions: readonly unknown[];
}

/** May the token do this with tasks of this kind on this machine? While that is not known: yes, and the call decides. */
export type TaskRights = (verb: 'create' | 'read', kind: string, uuid: string) => boolean;

/** From the limit of the token: `token_explain` leaves tasks to the call itself. */
export function useTaskRights(): TaskRights {
  const { call, me } = useServer();
  const record = usePoll('my token', () => call('token_get'));
  if (me.isSuper || !record.data) return () => true;
  const entries = record.data.token_limit as readonly Entry[];
  return (verb, kind, uuid) =>
    entries.some(
      ({ scopes, permissions }) =>
        scopes.some((scope) => isScope(scope, uuid)) &&
        permissions.some((permission) => isFor(permission, verb, kind)),
    );
}

const isScope = (scope: unknown, uuid: string): boolean =>
  scope === 'global' || (scope as { readonly agent_uuid?: unknown }).agent_uuid === uuid;

function isFor(permission: unknown, verb: string, kind: string): boolean {
  const task = (permission as { readonly task?: { readonly [verb: string]: unknown } }).task;
  const pattern = typeof task === 'object' ? task[verb] : undefined;
  if (typeof pattern !== 'string') return false;
  return pattern.endsWith('*') ? kind.startsWith(pattern.slice(0, -1)) : kind === pattern;
}

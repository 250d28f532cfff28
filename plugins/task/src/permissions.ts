import type { AccessContext, Auth, Requirement, Scope } from '@svc/plugin-sdk';
import { RpcError } from '@svc/plugin-sdk';
import type { Limit, Tokens } from '@svc/plugin-token/api';
import type { Filter } from './conditions.ts';

/** The kind `task` (task.md §3). */
export const permissions = {
  task: { words: ['listen'], patterns: ['create', 'read', 'write', 'delete'] },
};

/** The rights that a list without `type` needs. `self_update` is not among them: its rows need their own right. */
export const LISTED_TYPES = [
  'ping',
  'tcp_ping',
  'http_ping',
  'http_request',
  'web_shell',
  'execute',
  'read_config',
  'edit_config',
  'ip',
  'version',
  'dns',
] as const;
export const UNLISTED_TYPE = 'self_update';
/** Every type by its name. */
export const TASK_KINDS = [...LISTED_TYPES, UNLISTED_TYPE] as const;

type Verb = 'create' | 'read' | 'write' | 'delete';

/** The right to listen for the tasks of one agent. */
export const mayListen = (uuid: string): Requirement => ({
  scopes: [{ agent_uuid: uuid }],
  permissions: [{ task: 'listen' }],
  denied: 'Permission Denied: Missing Task Listen permission for this agent',
});

/** The right to do this with tasks of one type and agent. */
export const mayDo = (verb: Verb, uuid: string, type: string): Requirement => ({
  scopes: [{ agent_uuid: uuid }],
  permissions: [{ task: { [verb]: type } }],
  denied: `Permission Denied: Missing Task ${capital(verb)} permission (${type}) for this agent`,
});

/** The right to read or delete everything that a list of conditions may match. */
export function mayList(verb: 'read' | 'delete', filter: Filter): Requirement {
  const types = filter.types.size > 0 ? [...filter.types] : LISTED_TYPES;
  return {
    scopes: scopesOf(filter),
    permissions: types.map((type) => ({ task: { [verb]: type } })),
    denied: `Permission Denied: Missing Task ${capital(verb)} permission (${types.join(', ')}) in the required scope`,
  };
}

/** The right to rows of the unlisted type, for lists that name no type. */
export const mayListUnlisted = (verb: 'read' | 'delete', filter: Filter): Requirement => ({
  scopes: scopesOf(filter),
  permissions: [{ task: { [verb]: UNLISTED_TYPE } }],
  denied: '',
});

const scopesOf = ({ uuids }: Filter): readonly Scope[] =>
  uuids.size === 0 ? ['global'] : [...uuids].map((uuid) => ({ agent_uuid: uuid }));

const capital = (word: string): string => `${word[0]?.toUpperCase()}${word.slice(1)}`;

/** Authenticates, then demands each right in turn, so that the denial names the first that is missing. */
export async function demand(
  auth: Auth,
  call: AccessContext,
  requirements: readonly Requirement[],
): Promise<void> {
  const caller = await call.authenticate();
  for (const requirement of requirements) {
    if (!(await auth.allows(caller, requirement))) throw RpcError.denied(requirement.denied);
  }
}

/**
 * First check of an upload (task.md §4.5): some right to write results for this agent, so that callers without any
 * cannot find out which tasks exist. The exact check that follows looks at the validity.
 */
export async function demandSomeWrite(
  tokens: Tokens | undefined,
  call: AccessContext,
  uuid: string,
): Promise<void> {
  const caller = await authenticated(call);
  if (caller.super) return;
  const record = tokens?.record(caller);
  // A caller without a token record has no limits to look at: the exact check decides.
  if (!record || record.limits.some((limit) => writesFor(limit, uuid))) return;
  throw RpcError.denied('Permission Denied: Missing Task Write permission for this agent');
}

const writesFor = ({ scopes, permissions }: Limit, uuid: string): boolean =>
  scopes.some((scope) => scope === 'global' || scope['agent_uuid'] === uuid) &&
  permissions.some(({ task }) => typeof task === 'object' && 'write' in task);

const DENIED = 102;

/** A wrong credential carries the prefix twice here (task.md §4.5). */
async function authenticated(call: AccessContext) {
  try {
    return await call.authenticate();
  } catch (error) {
    if (error instanceof RpcError && error.code === DENIED) throw RpcError.denied(error.message);
    throw error;
  }
}

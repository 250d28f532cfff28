import { word } from './meta.ts';

/** Rights that the limit of a token gives, for menus and buttons where the server leaves the answer to the call itself. */
export interface Limit {
  /** Tells whether some entry gives the right somewhere. Without a verb: any right of that kind. */
  readonly holds: (kind: string, verb?: string) => boolean;
  /**
   * Tells whether an entry gives it for this agent (of `kv`: for its namespace). The argument of the verb, such as the kind
   * of a task, may end with `*` there.
   */
  readonly covers: (kind: string, verb: string, uuid: string, argument?: string) => boolean;
  /** The agents that it names. */
  readonly agents: readonly string[];
}

interface ListerRights extends Pick<Limit, 'holds'> {
  readonly has: (plugin: string) => boolean;
}

/** Tells whether the token may list all agents. */
export const mayList = ({ has, holds }: ListerRights): boolean =>
  has('agent-uuid') && (holds('monitoring_uuid', 'list') || holds(word, 'list_all_agent_uuid'));

interface Entry {
  readonly scopes: readonly unknown[];
  readonly permissions: readonly unknown[];
}

export const superLimit: Limit = { holds: () => true, covers: () => true, agents: [] };

export function limitOf(entries: readonly Entry[]): Limit {
  return {
    holds: (kind, verb) =>
      entries.some(({ permissions }) => permissions.some((one) => isOf(one, kind, verb))),
    covers: (kind, verb, uuid, argument) =>
      entries.some(
        ({ scopes, permissions }) =>
          scopes.some((scope) => isScope(scope, kind, uuid)) &&
          permissions.some((one) => isOf(one, kind, verb) && isFor(one, kind, verb, argument)),
      ),
    agents: [
      ...new Set(entries.flatMap(({ scopes }) => scopes.flatMap((scope) => agentOf(scope) ?? []))),
    ],
  };
}

const isScope = (scope: unknown, kind: string, uuid: string): boolean =>
  scope === 'global' || (kind === 'kv' ? namespaceOf(scope) : agentOf(scope)) === uuid;

const agentOf = (scope: unknown): string | undefined =>
  (scope as { readonly agent_uuid?: string }).agent_uuid;

const namespaceOf = (scope: unknown): string | undefined =>
  (scope as { readonly kv_namespace?: string }).kv_namespace;

function isOf(permission: unknown, kind: string, verb?: string): boolean {
  const right = (permission as { readonly [kind: string]: unknown })[kind];
  if (verb === undefined) return right !== undefined;
  return right === verb || (typeof right === 'object' && right !== null && verb in right);
}

function isFor(permission: unknown, kind: string, verb: string, argument?: string): boolean {
  const right = (permission as { readonly [kind: string]: unknown })[kind];
  if (argument === undefined || typeof right === 'string') return true;
  const pattern = String((right as { readonly [verb: string]: unknown })[verb]);
  return pattern.endsWith('*') ? argument.startsWith(pattern.slice(0, -1)) : argument === pattern;
}

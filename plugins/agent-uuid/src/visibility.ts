import { canonicalUuid, type Permission, type Principal, RpcError } from '@svc/plugin-sdk';
import type { Limit, Tokens } from '@svc/plugin-token/api';

/**
 * The agents that a caller may list (agent-uuid.md §5). A list right in global scope shows all; else those are
 * shown that one entry names with a list right and an entry names with another right.
 * @param kind the brand's permission kind
 * @throws RpcError 102 outside the validity period, or without a list right
 */
export function visibleAgents(
  caller: Principal,
  tokens: Tokens | undefined,
  kind: string,
): 'all' | ReadonlySet<string> {
  if (caller.super) return 'all';
  const validity = tokens?.validity(caller);
  if (validity === 'early') throw RpcError.denied('Token is not yet valid');
  if (validity === 'late') throw RpcError.denied('Token has expired');
  const visible = agentsFor(tokens?.record(caller)?.limits ?? [], kind);
  if (!visible)
    throw RpcError.denied(`Permission Denied: Insufficient ${kind} ListAllAgentUuid permissions`);
  return visible;
}

/** undefined: no list right names an agent. */
function agentsFor(
  limits: readonly Limit[],
  kind: string,
): ReturnType<typeof visibleAgents> | undefined {
  const isList = (permission: Permission) =>
    permission['monitoring_uuid'] === 'list' || permission[kind] === 'list_all_agent_uuid';
  const listing = limits.filter(({ permissions }) => permissions.some(isList));
  if (listing.some(({ scopes }) => scopes.includes('global'))) return 'all';
  const listed = agentsOf(listing);
  if (listed.size === 0) return undefined;
  const operated = agentsOf(limits.filter(({ permissions }) => !permissions.every(isList)));
  return new Set([...listed].filter((uuid) => operated.has(uuid)));
}

/** Agents named in the scopes of these entries. */
function agentsOf(limits: readonly Limit[]): Set<string> {
  const scopes = limits.flatMap((limit) => limit.scopes);
  const uuids = scopes.map((scope) => (scope === 'global' ? undefined : scope['agent_uuid']));
  return new Set(uuids.filter((uuid) => uuid !== undefined).map(canonicalUuid));
}

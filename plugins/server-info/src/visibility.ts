import { canonicalUuid, type Permission } from '@svc/plugin-sdk';
import type { Limit } from '@svc/plugin-token/api';

/**
 * The agents that these limits show (svc-server.md §5). A list right in global scope shows all; else those are
 * shown that one entry names beside a list right and an entry names beside another right. undefined: no list right names an agent.
 */
export function visibleAgents(
  limits: readonly Limit[],
  serverKind: string,
): 'all' | ReadonlySet<string> | undefined {
  const isList = (permission: Permission) =>
    permission['monitoring_uuid'] === 'list' || permission[serverKind] === 'list_all_agent_uuid';
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

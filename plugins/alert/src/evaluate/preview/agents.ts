import type { Agent } from '@svc/plugin-agent-uuid/api';
import { canonicalUuid, type Principal } from '@svc/plugin-sdk';
import { readsOf } from '../../rules/rights.ts';
import type { LoadedRule } from '../../types.ts';
import type { PreviewParts } from './types.ts';

const MOST_AGENTS = 1_000;

export interface Chosen {
  readonly agents: readonly Agent[];
  readonly isCut: boolean;
}

/** Returns agents of a rule's scope whose values that it reads the caller may read. */
export async function previewAgents(
  { auth, machines, registry }: PreviewParts,
  { rule: { scope, source }, condition, clear }: LoadedRule,
  { only, caller }: { readonly only: ReadonlySet<string> | undefined; readonly caller: Principal },
): Promise<Chosen> {
  const named = 'all' in scope ? undefined : new Set((scope.agents ?? []).map(canonicalUuid));
  const tags = 'all' in scope ? [] : (scope.tags ?? []);
  const isInScope = ({ uuid }: Agent) =>
    !named || named.has(uuid) || machines.tagsOf(uuid).some((tag) => tags.includes(tag));
  const permissions = readsOf(source, [...condition.variables, ...(clear?.variables ?? [])]);
  const agents: Agent[] = [];
  for (const agent of registry.list()) {
    const { uuid, soft_delete } = agent;
    if (soft_delete || (only && !only.has(uuid)) || !isInScope(agent)) continue;
    const wanted = { scopes: [{ agent_uuid: uuid }], permissions, denied: '' };
    if (!(await auth.allows(caller, wanted))) continue;
    if (agents.length === MOST_AGENTS) return { agents, isCut: true };
    agents.push(agent);
  }
  return { agents, isCut: false };
}

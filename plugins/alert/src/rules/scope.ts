import { canonicalUuid, RpcError, type Static } from '@svc/plugin-sdk';
import { namedBy } from '../patterns.ts';
import type { RuleChange } from '../schemas.ts';
import type { RuleScope } from '../types.ts';

/** Tells whether a scope names a monitor. */
export const hasMonitor = (
  scope: RuleScope,
  { name, tags }: { readonly name: string; readonly tags: readonly string[] },
): boolean =>
  'all' in scope ||
  (scope.monitors !== undefined && namedBy(scope.monitors)(name)) ||
  (scope.tags?.some((tag) => tags.includes(tag)) ?? false);

/** @throws RpcError 108 for a scope that names nothing, or all and something */
export function scopeOf(given: Static<typeof RuleChange>['scope'] & object): RuleScope {
  const { all, agents, tags, monitors } = given;
  const lists = [agents, tags, monitors].filter((list) => list && list.length > 0);
  if (all && lists.length > 0)
    throw RpcError.invalid('scope: leave out all, or leave out agents, tags and monitors');
  if (all) return { all: true };
  if (lists.length === 0)
    throw RpcError.invalid('scope: name agents or tags, or monitors, or write {"all": true}');
  return {
    ...(agents && agents.length > 0 && { agents: [...new Set(agents.map(canonicalUuid))] }),
    ...(tags && tags.length > 0 && { tags: [...new Set(tags)] }),
    ...(monitors && monitors.length > 0 && { monitors: [...new Set(monitors)] }),
  };
}

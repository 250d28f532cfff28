import type { Server } from '../../../frame/index.ts';
import { mayAll } from '../../../parts/alert/index.ts';
import type { Scope } from '../model.ts';

/** Tells whether the token may write a rule of this scope: on each machine or monitor that it names, or everywhere. */
export function mayChangeRule(server: Server, { scope }: { readonly scope: Scope }): boolean {
  if (mayAll(server, 'write')) return true;
  const { agents, ...others } = scope;
  if (scope.monitors && scope.monitors.length > 0) {
    // Names and their patterns are compared by the server alone.
    const rule = { name: '-', source: 'monitor', condition: 'ms > 0', scope } as const;
    return server.may('alert_rule_create', { rule }) === true;
  }
  if (!agents || agents.length === 0 || Object.values(others).some((one) => one != null))
    return false;
  return agents.every((uuid) => server.covers('alert', 'write', uuid));
}

import { setImmediate } from 'node:timers/promises';
import type { Condition } from '@svc/conditions';
import type { Auth, Principal } from '@svc/plugin-sdk';
import { Budget, metered } from '../evaluate/metered.ts';
import { monitorValues } from '../evaluate/monitor-values.ts';
import { verdictOf } from '../evaluate/plan.ts';
import type { KnownMonitors } from '../monitors.ts';
import type { RuleScope } from '../types.ts';
import { mayWatch } from './rights.ts';
import { hasMonitor } from './scope.ts';

/** Time of all evaluations, ms. */
const BUDGET_MS = 250;
/** Monitors of one turn of the event loop. */
const CHUNK = 200;

export interface CountParts {
  readonly auth: Auth;
  readonly monitors: Pick<KnownMonitors, 'read'>;
}

/** Counts the monitors of a scope that the caller may see, and those on which a condition holds now. @throws RpcError 103 */
export async function countMonitors(
  { auth, monitors }: CountParts,
  { scope, condition }: { readonly scope: RuleScope; readonly condition: Condition | undefined },
  caller: Principal,
  now: number,
) {
  const budget = new Budget(BUDGET_MS);
  const judged = condition && metered(condition, budget);
  const counts = { matches: 0, true_now: 0 };
  for (const [n, monitor] of (await monitors.read()).entries()) {
    if (n % CHUNK === CHUNK - 1) await setImmediate();
    if (!hasMonitor(scope, monitor)) continue;
    if (!(await auth.allows(caller, { ...mayWatch(monitor.name), denied: '' }))) continue;
    counts.matches++;
    const isKnown = monitor.state !== 'unknown' && monitor.state !== 'paused';
    if (judged && isKnown && verdictOf(judged, monitorValues(monitor, now)) === true)
      counts.true_now++;
  }
  return { ...counts, cut: budget.isSpent };
}

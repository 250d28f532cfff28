import type { Condition } from '@svc/conditions';
import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import type { Clock, Kernel } from '@svc/plugin-sdk';
import { Budget, metered } from '../evaluate/metered.ts';
import { newestRows } from '../evaluate/newest.ts';
import { planOf, type Values, valuesOf, verdictOf } from '../evaluate/plan.ts';
import { inSlices } from '../evaluate/play.ts';
import { readFacts } from '../evaluate/stored-facts.ts';
import { identityOf } from '../evaluate/variables.ts';
import { slices } from '../store/slices.ts';
import type { LoadedRule, Machines, Rule, Source } from '../types.ts';

/** Machines of one question. */
const BATCH = 500;
/** Time of all evaluations, ms. */
const BUDGET_MS = 250;

export interface NowParts {
  readonly kernel: Pick<Kernel, 'call' | 'system' | 'db'> & { readonly clock: Clock };
  readonly registry: AgentRegistry;
  readonly machines: Machines;
}

/** Machines on which a condition holds; with `isCut` the condition took too long to look at all. */
export interface TrueNow {
  readonly true_now: number;
  readonly isCut: boolean;
}

/** Counts the machines on which a condition holds by what is known now; of windows and parts nothing is. @throws RpcError 103 */
export async function countTrue(
  parts: NowParts,
  { source, condition }: { readonly source: Source; readonly condition: Condition },
  agents: readonly number[],
): Promise<TrueNow> {
  const known = new Map(parts.registry.list().map((agent) => [agent.id, agent]));
  const asked = agents.flatMap((id) => known.get(id) ?? []);
  const budget = new Budget(BUDGET_MS);
  const judged = metered(condition, budget);
  let true_now = 0;
  const add = (values: Values) => {
    if (verdictOf(judged, values) === true) true_now++;
  };
  if (source === 'presence') await inSlices(asked, ({ uuid }) => add(presenceOf(parts, uuid)));
  else if (source === 'machine' && condition.windows.length === 0) {
    const plan = planOf([{ rule: {} as Rule, condition, clear: undefined } satisfies LoadedRule]);
    for (const some of slices(asked, BATCH)) {
      if (budget.isSpent) break;
      const uuids = some.map(({ uuid }) => uuid);
      const rows = new Map(
        (await newestRows(parts.kernel, uuids)).map(({ uuid, row }) => [uuid, row]),
      );
      const factsOf = await readFacts(parts, plan.facts, some);
      const at = parts.kernel.clock.now();
      // The end of a contract is looked at whether the machine reports or not.
      const isAlways = plan.facts.includes('expires_in_days');
      await inSlices(some, (agent) => {
        const row = rows.get(agent.uuid) ?? (isAlways ? [] : undefined);
        if (row) add(valuesOf(plan, row, () => factsOf(agent, at)));
      });
    }
  }
  return { true_now, isCut: budget.isSpent };
}

function presenceOf({ kernel, machines }: NowParts, uuid: string): Values {
  const since = machines.awaySince(uuid);
  const silent_for = since === undefined ? 0 : (kernel.clock.now() - since) / 1_000;
  return { silent_for, ...identityOf(machines, uuid) };
}

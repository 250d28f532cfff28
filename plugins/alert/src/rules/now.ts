import { setImmediate } from 'node:timers/promises';
import type { Condition } from '@svc/conditions';
import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import type { Clock, Kernel } from '@svc/plugin-sdk';
import { newestRows } from '../evaluate/newest.ts';
import { planOf, valuesOf } from '../evaluate/plan.ts';
import type { LoadedRule, Machines, Rule, Source } from '../types.ts';

/** Machines of one question. */
const BATCH = 500;
export interface NowParts {
  readonly kernel: Pick<Kernel, 'call' | 'system'> & { readonly clock: Clock };
  readonly registry: AgentRegistry;
  readonly machines: Machines;
}

/** Counts the machines on which a condition holds by what is known now; of windows and parts nothing is. @throws RpcError 103 */
export async function countTrue(
  { kernel, registry, machines }: NowParts,
  { source, condition }: { readonly source: Source; readonly condition: Condition },
  agents: readonly number[],
): Promise<number> {
  const uuids = new Map(registry.list().map(({ id, uuid }) => [id, uuid]));
  const asked = agents.flatMap((id) => uuids.get(id) ?? []);
  const holds = (values: Parameters<Condition['evaluate']>[0]) =>
    condition.evaluate(values) === true;
  if (source === 'presence') {
    const now = kernel.clock.now();
    return asked.filter((uuid) => {
      const since = machines.awaySince(uuid);
      const silent_for = since === undefined ? 0 : (now - since) / 1_000;
      return holds({ silent_for, ...factsOf(machines, uuid) });
    }).length;
  }
  if (source !== 'machine' || condition.windows.length > 0) return 0;
  const plan = planOf([{ rule: {} as Rule, condition, clear: undefined } satisfies LoadedRule]);
  let count = 0;
  for (let at = 0; at < asked.length; at += BATCH) {
    for (const { uuid, row } of await newestRows(kernel, asked.slice(at, at + BATCH))) {
      const facts = () => ({
        ...factsOf(machines, uuid),
        cores: undefined,
        offset_ms: undefined,
      });
      if (holds(valuesOf(plan, row, facts))) count++;
    }
    await setImmediate();
  }
  return count;
}

const factsOf = (machines: Machines, uuid: string) => ({
  name: machines.nameOf(uuid),
  tags: machines.tagsOf(uuid),
  region: machines.regionOf(uuid),
});

import { setImmediate } from 'node:timers/promises';
import type { Condition } from '@svc/conditions';
import { SUMMARY_COLUMNS } from '@svc/plugin-agent/api';
import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import type { Clock, Kernel } from '@svc/plugin-sdk';
import { RawJson } from '@svc/plugin-sdk/json';
import { planOf, valuesOf } from '../evaluate/plan.ts';
import type { LoadedRule, Machines, Rule, Source } from '../types.ts';

/** Machines of one question. */
const BATCH = 500;
/** Fields that rows hold times ten. */
const TENFOLD = new Set(['cpu_usage', 'load_one', 'load_five', 'load_fifteen']);
const HEAD = new Set(['uuid_id', 'timestamp', 'storage_time']);
const FIELDS = Object.keys(SUMMARY_COLUMNS).filter((name) => !HEAD.has(name));

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
    for (const report of await newest(kernel, asked.slice(at, at + BATCH))) {
      const facts = () => ({
        ...factsOf(machines, report.uuid),
        cores: undefined,
        offset_ms: undefined,
      });
      if (holds(valuesOf(plan, rowOf(report), facts))) count++;
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

interface Report {
  readonly uuid: string;
  readonly [field: string]: string | number | null | undefined;
}

async function newest(
  { call, system }: Pick<Kernel, 'call' | 'system'>,
  uuids: readonly string[],
): Promise<readonly Report[]> {
  const answer = await call(
    'agent_dynamic_summary_multi_last_query',
    { uuids, fields: FIELDS },
    system,
  );
  if (!(answer instanceof RawJson)) return answer as Report[];
  const { text } = answer;
  return JSON.parse(typeof text === 'string' ? text : Buffer.from(text).toString()) as Report[];
}

function rowOf(report: Report): (number | null)[] {
  const row: (number | null)[] = [];
  for (const [name, at] of Object.entries(SUMMARY_COLUMNS)) {
    const value = report[name];
    row[at] = typeof value === 'number' ? value * (TENFOLD.has(name) ? 10 : 1) : null;
  }
  return row;
}

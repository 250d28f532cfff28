import type { Agent } from '@svc/plugin-agent-uuid/api';
import type { Kernel } from '@svc/plugin-sdk';
import { slices } from '../store/slices.ts';
import type { Machines } from '../types.ts';
import { ClockStore } from './store.ts';
import { type Facts, identityOf } from './variables.ts';

const DAY_MS = 86_400_000;
/** Machines whose full reports are asked for at once: each may name hundreds of cores. */
const BATCH = 100;

export interface FactParts {
  readonly kernel: Pick<Kernel, 'call' | 'system' | 'db'>;
  readonly machines: Machines;
}

type Subject = Pick<Agent, 'id' | 'uuid'>;

/** Reads what these names say of machines beside their summaries: cores, clocks, ends of contracts. @throws RpcError 103 */
export async function readFacts(
  { kernel, machines }: FactParts,
  names: readonly string[],
  agents: readonly Subject[],
): Promise<(agent: Subject, at: number) => Facts> {
  const cores = names.includes('cores') ? await readCores(kernel, agents) : undefined;
  const offsets = names.includes('clock_offset_s') ? await readOffsets(kernel, agents) : undefined;
  return ({ id, uuid }, at) => ({
    ...identityOf(machines, uuid),
    cores: cores?.get(uuid),
    offset_ms: offsets?.get(id),
    expires_in_days: expiresInDays(machines, uuid, at),
  });
}

/** Days from `at` until the contract of a machine ends. */
export function expiresInDays(
  machines: Pick<Machines, 'expiresAt'>,
  uuid: string,
  at: number,
): number | undefined {
  const ends = machines.expiresAt(uuid);
  return ends === undefined ? undefined : (ends - at) / DAY_MS;
}

/** Cores that the newest full report of each machine names. */
async function readCores(
  { call, system }: Pick<Kernel, 'call' | 'system'>,
  agents: readonly Subject[],
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (const some of slices(agents, BATCH)) {
    const asked = { uuids: some.map(({ uuid }) => uuid), fields: ['cpu'] };
    const reports = await call('agent_dynamic_data_multi_last_query', asked, system);
    for (const { uuid, cpu } of reports as readonly Report[])
      if (Array.isArray(cpu?.per_core)) found.set(uuid, cpu.per_core.length);
  }
  return found;
}

interface Report {
  readonly uuid: string;
  readonly cpu: { readonly per_core?: unknown } | null;
}

async function readOffsets(
  { db }: Pick<Kernel, 'db'>,
  agents: readonly Subject[],
): Promise<ReadonlyMap<number, number>> {
  const store = new ClockStore(db);
  const found = new Map<number, number>();
  for (const some of slices(agents, BATCH))
    for (const [id, offset] of await store.read(some.map(({ id }) => id))) found.set(id, offset);
  return found;
}

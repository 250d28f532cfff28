import { type Agent, AgentList } from '@svc/plugin-agent-uuid/api';
import type { Kernel } from '@svc/plugin-sdk';
import type { AgentValues } from './api.ts';
import type { Reads } from './store/reads.ts';

/** Longer JSON text is no name to list. */
const MOST_BYTES = 2_048;
/** Agents of one read. */
const CHUNK = 2_500;

/** Tells `agent-uuid_list` the names and tags of agents from where dashboards keep them (kv.md §5.2). */
export function tellNames(kernel: Kernel, reads: Reads): void {
  const list = kernel.useOptional(AgentList);
  const addMember = <Fact>(key: string, member: string, factOf: (value: unknown) => Fact) =>
    list?.add({
      scope: 'kv_namespace',
      permissions: [{ kv: { read: key } }],
      async read(agents: readonly Agent[], call) {
        const uuids = agents.map(({ uuid }) => uuid);
        const values = new Map(await valuesOf(reads, key, uuids, call));
        return agents.map(({ uuid }) => ({ [member]: factOf(values.get(uuid)) }));
      },
    });
  addMember('metadata_name', 'name', (value) => (typeof value === 'string' && value) || null);
  addMember('metadata_tags', 'tags', (value) =>
    Array.isArray(value) ? value.filter((tag) => typeof tag === 'string') : null,
  );
}

/** Values of a key in the namespaces of agents, for other plugins. */
export const openAgentValues = (reads: Reads): AgentValues => ({
  ofAgents: (key, uuids, signal) => valuesOf(reads, key, uuids, { signal, share: '' }),
  async ofAgentsKeys(keys, uuids, signal) {
    const values: [string, string, unknown][] = [];
    for (let at = 0; at < uuids.length; at += CHUNK) {
      const namespaces = uuids.slice(at, at + CHUNK);
      const asked = { namespaces, keys, mostBytes: MOST_BYTES };
      values.push(...(await reads.someKeys(asked, { signal, share: '' })));
    }
    return values;
  },
});

async function valuesOf(
  reads: Reads,
  key: string,
  uuids: readonly string[],
  call: Parameters<Reads['oneKey']>[1],
): Promise<[uuid: string, value: unknown][]> {
  const values: [string, unknown][] = [];
  for (let at = 0; at < uuids.length; at += CHUNK) {
    const namespaces = uuids.slice(at, at + CHUNK);
    values.push(...(await reads.oneKey({ namespaces, key, mostBytes: MOST_BYTES }, call)));
  }
  return values;
}

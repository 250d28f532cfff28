import { type Agent, AgentList } from '@svc/plugin-agent-uuid/api';
import type { Kernel } from '@svc/plugin-sdk';
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
        const values = new Map<string, unknown>();
        for (let at = 0; at < agents.length; at += CHUNK) {
          const namespaces = agents.slice(at, at + CHUNK).map(({ uuid }) => uuid);
          for (const [uuid, value] of await reads.oneKey(
            { namespaces, key, mostBytes: MOST_BYTES },
            call,
          ))
            values.set(uuid, value);
        }
        return agents.map(({ uuid }) => ({ [member]: factOf(values.get(uuid)) }));
      },
    });
  addMember('metadata_name', 'name', (value) => (typeof value === 'string' && value) || null);
  addMember('metadata_tags', 'tags', (value) =>
    Array.isArray(value) ? value.filter((tag) => typeof tag === 'string') : null,
  );
}

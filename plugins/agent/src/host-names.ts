import type { Agent, AgentList } from '@svc/plugin-agent-uuid/api';
import type { HostNames } from './api.ts';
import { HEAD, type Row, STATIC } from './kinds.ts';
import type { LastValues } from './last-values.ts';

/** Characters of the longest host name (RFC 1035). */
const MOST_CHARACTERS = 253;
/** Control and format characters, also those that turn the direction of text, and line breaks. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const SYSTEM = HEAD.length + STATIC.fields.findIndex(({ name }) => name === 'system');

/** Rights of which either shows the host name: to the report that holds it, or to the name that replaces it. */
const RIGHTS = [
  { scope: 'agent_uuid', permissions: [{ static_monitoring: { read: 'system' } }] },
  { scope: 'kv_namespace', permissions: [{ kv: { read: 'metadata_name' } }] },
] as const;

/** Opens the host names of agents, from their newest static reports. */
export function openHostNames(reports: LastValues): HostNames {
  // A row stays the same object until the next report.
  const names = new WeakMap<Row, string | null>();
  const hostNameOf = (row: Row): string | null => {
    const found = names.get(row);
    if (found !== undefined) return found;
    const name = parsed(row[SYSTEM]);
    names.set(row, name);
    return name;
  };
  return {
    async of(agents) {
      const rows = await reports.get(agents.map(({ id }) => id));
      return rows.map((row) => (row ? hostNameOf(row) : null));
    },
  };
}

/** Adds host names to `agent-uuid_list`. */
export function addHostNames(list: AgentList, names: HostNames): void {
  const read = async (agents: readonly Agent[]) =>
    (await names.of(agents)).map((host_name) => ({ host_name }));
  for (const right of RIGHTS) list.add({ ...right, read });
}

function parsed(system: Row[number] | undefined): string | null {
  if (typeof system !== 'string') return null;
  const { system_host_name } = JSON.parse(system) as { readonly system_host_name?: unknown };
  const name = typeof system_host_name === 'string' ? system_host_name.trim() : '';
  return name === '' || name.length > MOST_CHARACTERS || UNPRINTABLE.test(name) ? null : name;
}

import { PRESENCE_RIGHT } from '@svc/plugin-agent/api';
import type { AgentList } from '@svc/plugin-agent-uuid/api';
import type { Absences } from './absences.ts';
import type { Deliveries } from './deliveries.ts';
import type { VersionStore } from './store/versions.ts';

export interface FactParts {
  readonly absences: Absences;
  readonly deliveries: Pick<Deliveries, 'isConnected'>;
  readonly versions: VersionStore;
}

const CONNECTED = { connected_for_tasks: true, tasks_allowed: true };
const SWITCHED_OFF = { connected_for_tasks: false, tasks_allowed: false };
const AWAY = { connected_for_tasks: false, tasks_allowed: null };

/** Adds to `agent-uuid_list` which agents take tasks, and their versions. */
export function addAgentFacts(
  list: AgentList,
  { absences, deliveries, versions }: FactParts,
): void {
  list.add({
    ...PRESENCE_RIGHT,
    async read(agents) {
      const reporting = await absences.reporting(agents);
      return agents.map(({ uuid }, at) => {
        if (deliveries.isConnected(uuid)) return CONNECTED;
        return reporting[at] ? SWITCHED_OFF : AWAY;
      });
    },
  });
  list.add({
    scope: 'agent_uuid',
    permissions: [{ task: { read: 'version' } }],
    async read(agents, call) {
      const uuids = agents.map(({ uuid }) => uuid);
      const found = new Map(await versions.read(uuids, call));
      return uuids.map((uuid) => ({ version: found.get(uuid) ?? null }));
    },
  });
}

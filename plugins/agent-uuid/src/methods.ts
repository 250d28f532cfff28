import { canonicalUuid, type Methods, Type, Uuid } from '@svc/plugin-sdk';
import type { AgentRegistry } from './api.ts';
import { mayDelete, mayList } from './permissions.ts';

/** `agent-uuid_*` (agent-uuid.md). */
export function addMethods(methods: Methods, agents: AgentRegistry): void {
  methods.add('agent-uuid_list_all', {
    summary: 'UUIDs of all agents that are not soft-deleted, ascending.',
    params: {},
    result: Type.Array(Type.String()),
    access: mayList,
    handle: () =>
      agents
        .list()
        .filter(({ soft_delete }) => !soft_delete)
        .map(({ uuid }) => uuid),
  });

  methods.add('agent-uuid_list_all_with_agent_mode', {
    summary: 'All registered agents with their deletion state, ascending by UUID.',
    params: {},
    result: Type.Array(Type.Object({ uuid: Type.String(), soft_delete: Type.Boolean() })),
    access: mayList,
    handle: () => agents.list().map(({ uuid, soft_delete }) => ({ uuid, soft_delete })),
  });

  methods.add('agent-uuid_delete', {
    summary: 'Soft-deletes one agent; its data stays. Its next report brings it back.',
    params: { agent_uuid: Uuid },
    result: Type.Object({ success: Type.Boolean(), message: Type.String() }),
    audit: ({ agent_uuid }) => agent_uuid,
    access: mayDelete,
    async handle({ agent_uuid }) {
      const success = await agents.softDelete(canonicalUuid(agent_uuid));
      const message = success ? 'Agent UUID soft-deleted' : 'Agent UUID not found';
      return { success, message };
    },
  });
}

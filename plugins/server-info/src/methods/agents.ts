import { type AgentRegistry, visibleAgents } from '@svc/plugin-agent-uuid/api';
import { type Brand, type Methods, Type } from '@svc/plugin-sdk';
import type { Tokens } from '@svc/plugin-token/api';

/** Services that may be missing, asked for per call. */
export interface AgentContext {
  readonly brand: Brand;
  readonly agents: AgentRegistry | undefined;
  readonly tokens: Tokens | undefined;
}

/** `list_all_agent_uuid`, the predecessor of `agent-uuid_list_all` (agent-uuid.md §5). */
export function addAgentMethod(methods: Methods, { brand, agents, tokens }: AgentContext): void {
  methods.add('svc-server_list_all_agent_uuid', {
    summary: 'UUIDs of the agents that the caller may see, ascending.',
    deprecated: true,
    params: {},
    result: Type.Object({ uuids: Type.Array(Type.String()) }),
    // For a credential outside its validity this method has its own error texts (auth.md §6.3).
    right: {
      words:
        '`monitoring_uuid` `list` or `svc` `list_all_agent_uuid`, in any scope; the answer holds the agents of those scopes',
      scopes: ['global'],
      permissions: [{ monitoring_uuid: 'list' }],
    },
    access: {
      custom: async (_params, call) => {
        await call.authenticate();
      },
    },
    handle(_params, { caller }) {
      const sees = visibleAgents(caller, tokens, brand.permission);
      const active = (agents?.list() ?? []).filter((agent) => !agent.soft_delete);
      return {
        uuids: active.map(({ uuid }) => uuid).filter((uuid) => sees === 'all' || sees.has(uuid)),
      };
    },
  });
}

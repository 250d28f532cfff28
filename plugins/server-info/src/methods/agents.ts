import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { type Brand, type Methods, type Principal, RpcError, Type } from '@svc/plugin-sdk';
import type { Tokens } from '@svc/plugin-token/api';
import { visibleAgents } from '../visibility.ts';

/** Services that may be missing, asked for per call. */
export interface AgentContext {
  readonly brand: Brand;
  readonly agents: () => AgentRegistry | undefined;
  readonly tokens: () => Tokens | undefined;
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
      const sees = visibility(caller, tokens(), brand.permission);
      const active = (agents()?.list() ?? []).filter((agent) => !agent.soft_delete);
      return {
        uuids: active.map(({ uuid }) => uuid).filter((uuid) => sees === 'all' || sees.has(uuid)),
      };
    },
  });
}

/** @throws RpcError 102 outside the validity period, or without a list right */
function visibility(
  caller: Principal,
  tokens: Tokens | undefined,
  kind: string,
): 'all' | ReadonlySet<string> {
  if (caller.super) return 'all';
  const validity = tokens?.validity(caller);
  if (validity === 'early') throw RpcError.denied('Token is not yet valid');
  if (validity === 'late') throw RpcError.denied('Token has expired');
  const visible = visibleAgents(tokens?.record(caller)?.limits ?? [], kind);
  if (!visible)
    throw RpcError.denied(`Permission Denied: Insufficient ${kind} ListAllAgentUuid permissions`);
  return visible;
}

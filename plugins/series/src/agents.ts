import type { Agent, AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { RpcError } from '@svc/plugin-sdk';

/** Registered agents, in the order in which they are named. @throws RpcError 106 for the first that is unknown */
export async function findAgents(
  registry: AgentRegistry,
  uuids: readonly string[],
): Promise<Agent[]> {
  const agents: Agent[] = [];
  for (const uuid of uuids) {
    const agent = await registry.find(uuid);
    if (!agent) throw RpcError.uuid(uuid);
    agents.push(agent);
  }
  return agents;
}

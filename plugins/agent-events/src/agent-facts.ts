import { PRESENCE_RIGHT } from '@svc/plugin-agent/api';
import type { Agent, AgentList } from '@svc/plugin-agent-uuid/api';
import type { Store } from './store.ts';

/** Adds to `agent-uuid_list` from where agents report, and which of their reports was refused last. */
export function addAgentFacts(list: AgentList, store: Store): void {
  list.add({
    // A reader of a public page of figures does not learn where the machines are.
    scope: 'agent_uuid',
    permissions: [{ task: { read: 'ip' } }],
    async read(agents, call) {
      const found = await store.knownAddresses(idsOf(agents), call);
      return inOrder(agents, found, ([, address]) => ({ address }));
    },
  });
  list.add({
    ...PRESENCE_RIGHT,
    async read(agents, call) {
      const found = await store.lastRefusals(idsOf(agents), call);
      return inOrder(agents, found, ([, time, { code = 0, reason = '' }]) => ({
        last_refusal: { time, code, reason },
      }));
    },
  });
}

const idsOf = (agents: readonly Agent[]) => agents.map(({ id }) => id);

function inOrder<Row extends readonly [id: number, ...rest: unknown[]], Facts>(
  agents: readonly Agent[],
  rows: readonly Row[],
  factsOf: (row: Row) => Facts,
): (Facts | undefined)[] {
  const found = new Map(rows.map((row) => [row[0], row]));
  return agents.map(({ id }) => {
    const row = found.get(id);
    return row && factsOf(row);
  });
}

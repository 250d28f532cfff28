import { service, Type, topic } from '@svc/plugin-sdk';

/** When agents were heard of last. */
export interface LastReports {
  /**
   * Unix ms, by the server's clock, of the newest report of this agent that is a summary or a full one; undefined: none is stored.
   * @throws RpcError 103
   */
  heardAt(uuid: string): Promise<number | undefined>;
}

export const LastReports = service<LastReports>('last-reports');

/**
 * Agents reported, on whichever server, or lost their newest report to a delete. Comes every 250 ms with all of that time; the
 * reports are in the database by then, and the `agent_*_multi_last_query` methods answer the newest ones from memory.
 */
export const AgentReported = topic(
  'agent.reported',
  Type.Object({
    kind: Type.Enum(['static', 'dynamic', 'summary']),
    uuids: Type.Array(Type.String({ description: 'Lower-case hyphenated.' })),
  }),
  { local: true },
);

import { type Server, usePoll } from '../../frame/index.ts';

const MOST_AGENTS = 100;
const EVERY_MS = 300_000;
/** Largest fleet that has the figure: more agents take more calls than it is worth. */
const MOST = 2_000;
const DAY_MS = 86_400_000;

export interface Traffic {
  readonly received: number;
  readonly sent: number;
}

/** Bytes that the machines have moved on this UTC day. Undefined: not known yet. */
export function useTraffic(server: Server, agents: readonly string[]): Traffic | undefined {
  const isAsked = server.has('series') && agents.length > 0 && agents.length <= MOST;
  const { data } = usePoll(
    isAsked ? `traffic ${agents.length}` : 'none',
    (signal) => (isAsked ? read(server, agents, signal) : Promise.resolve(undefined)),
    { every_ms: EVERY_MS },
  );
  return data;
}

async function read(
  server: Server,
  agents: readonly string[],
  signal: AbortSignal,
): Promise<Traffic> {
  const now = Date.now();
  const sum = { received: 0, sent: 0 };
  for (let at = 0; at < agents.length; at += MOST_AGENTS) {
    const uuids = agents.slice(at, at + MOST_AGENTS);
    const asked = { uuids, from: now - (now % DAY_MS), to: now + 1, by: 'day' as const };
    for (const day of await server.call('agent_query_traffic', asked, { signal })) {
      sum.received += day.received;
      sum.sent += day.transmitted;
    }
  }
  return sum;
}

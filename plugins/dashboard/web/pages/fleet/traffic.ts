import { type Server, usePoll } from '../../frame/index.ts';

const MOST_AGENTS = 100;
const EVERY_MS = 300_000;
/** More agents are asked in so many calls that the figure is not worth them. */
const MOST = 2_000;
const POINTS = 12;

export interface Traffic {
  readonly received: number;
  readonly sent: number;
}

/** Bytes that the machines have moved since this day began here. Undefined: not known yet. */
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
  const from = new Date().setHours(0, 0, 0, 0);
  const sum = { received: 0, sent: 0 };
  for (let at = 0; at < agents.length; at += MOST_AGENTS) {
    const { series } = await server.call(
      'agent_query_series',
      {
        agents: agents.slice(at, at + MOST_AGENTS),
        fields: ['total_received', 'total_transmitted'],
        from,
        to: Date.now(),
        points: POINTS,
      },
      { signal },
    );
    for (const { field, min, last } of series)
      sum[field === 'total_received' ? 'received' : 'sent'] += grown(min, last);
  }
  return sum;
}

/** How far a counter has grown; it begins anew when a machine starts. */
export function grown(min: readonly (number | null)[], last: readonly (number | null)[]): number {
  let before: number | undefined;
  let sum = 0;
  for (const [at, value] of last.entries()) {
    if (value === null) continue;
    before ??= min[at] ?? value;
    sum += value >= before ? value - before : value;
    before = value;
  }
  return sum;
}

import { type Server, usePoll } from '../../frame/index.ts';

/** Half an hour in steps of 30 s. */
export const STEP_MS = 30_000;
export const STEPS = 60;
/**
 * Largest fleet that has them: for a larger one the answer weighs more than the curves are worth, which begin when the page
 * is opened.
 */
const MOST_AGENTS = 40;
const FIELDS = ['cpu_usage', 'used_memory', 'receive_speed', 'transmit_speed'] as const;

type Curve = (number | null)[];

/** Figures of the fleet in the last half hour, in steps of 30 s. */
export interface Past {
  /** The mean, 0 to 100. */
  readonly cpu: Curve;
  /** Sums. */
  readonly memory: Curve;
  readonly network: Curve;
}

/** Read once; undefined: not known, or too many machines. */
export function usePast(server: Server, agents: readonly string[]): Past | undefined {
  const isAsked = server.has('series') && agents.length > 0 && agents.length <= MOST_AGENTS;
  const key = isAsked ? `past ${agents.length}` : 'no past';
  return usePoll(key, (signal) =>
    isAsked ? read(server, agents, signal) : Promise.resolve(undefined),
  ).data;
}

async function read(server: Server, agents: readonly string[], signal: AbortSignal): Promise<Past> {
  const from = (Math.floor(Date.now() / STEP_MS) - STEPS + 1) * STEP_MS;
  const { series } = await server.call(
    'agent_query_series',
    { agents: [...agents], fields: [...FIELDS], from, to: from + STEPS * STEP_MS, points: STEPS },
    { signal },
  );
  const of = (...fields: readonly string[]) =>
    series.filter(({ field }) => fields.includes(field)).map(({ avg }) => avg);
  const cpu = of('cpu_usage');
  const counts = sums(cpu.map((curve) => curve.map((value) => (value === null ? null : 1))));
  return {
    cpu: sums(cpu).map((sum, at) => (sum === null ? null : sum / (counts[at] ?? 1))),
    memory: sums(of('used_memory')),
    network: sums(of('receive_speed', 'transmit_speed')),
  };
}

/** Sums of each step; one without any value stays empty. */
export function sums(curves: readonly (readonly (number | null)[])[]): Curve {
  const sum: Curve = Array<null>(STEPS).fill(null);
  for (const curve of curves)
    for (const [at, value] of curve.slice(0, STEPS).entries())
      if (value !== null) sum[at] = (sum[at] ?? 0) + value;
  return sum;
}

import { type Resource, usePoll, useServer } from '../../frame/index.ts';
import { type Dynamic, valuesOf } from './live.ts';
import type { Grid } from './series.ts';
import { endsOf, type Span } from './span.ts';

/** Points of one chart. */
const POINTS = 120;
/** So many reports are read whole: some 300 bytes each, with one card. */
const MOST = 3_000;
const EVERY_MS = 45_000;

/** `isWhole`: made of all reports of the time; else each point is one of them. */
export interface History extends Grid {
  readonly isWhole: boolean;
}

/**
 * History of graphics cards, which series do not hold: averages of all reports where there are not too many, else the
 * newest report of each of some equal stretches of time, asked for in one message.
 */
export function useFullHistory(uuid: string, span: Span): Resource<History> {
  const { call, client } = useServer();
  const load = async (signal: AbortSignal): Promise<History> => {
    const now = Date.now();
    const step_ms = Math.ceil(span.ms / POINTS);
    const [begin, end] = endsOf(span, now);
    const from = Math.floor(begin / step_ms) * step_ms;
    const length = Math.ceil((end - from) / step_ms);
    const grid = { from, step_ms, length, until: now };
    const all = await call('agent_query_dynamic', ask(uuid, from, end, MOST), { signal });
    if (all.length < MOST) return { ...gridOf(all, grid), isWhole: true };
    const answers = await client.batch(
      Array.from({ length }, (_, at) => {
        const begin = from + at * step_ms;
        return ['agent_query_dynamic', ask(uuid, begin, begin + step_ms - 1, 1)] as const;
      }),
    );
    const rows = answers.flatMap((answer) => {
      if (answer.status === 'rejected') throw answer.reason;
      return answer.value;
    });
    return { ...gridOf(rows, grid), isWhole: false };
  };
  const key = `gpu ${uuid} ${span.preset ?? `${span.from} ${span.to}`}`;
  return usePoll(key, load, span.preset ? { every_ms: EVERY_MS } : {});
}

const ask = (uuid: string, from: number, to: number, limit: number) => ({
  dynamic_data_query: {
    fields: ['gpu' as const],
    condition: [{ uuid }, { timestamp_from_to: [from, to] as [number, number] }, { limit }],
  },
});

/** The values of each step: least, mean and greatest. */
function gridOf(rows: readonly Dynamic[], grid: Omit<Grid, 'series'>): Grid {
  const { from, step_ms, length } = grid;
  const found = new Map<string, (number[] | undefined)[]>();
  for (const row of rows) {
    const at = Math.floor((row.timestamp - from) / step_ms);
    for (const [key, value] of Object.entries(valuesOf(row))) {
      const steps = found.get(key) ?? new Array<number[] | undefined>(length).fill(undefined);
      if (value != null && at < length) steps[at] = [...(steps[at] ?? []), value];
      found.set(key, steps);
    }
  }
  const each = (steps: (number[] | undefined)[], of: (values: number[]) => number) =>
    steps.map((values) => (values ? of(values) : null));
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const stretches = [...found].map(([key, steps]) => {
    const [min, max] = [Math.min, Math.max].map((of) => each(steps, (values) => of(...values)));
    return [key, { min: min ?? [], avg: each(steps, mean), max: max ?? [] }] as const;
  });
  return { ...grid, series: new Map(stretches) };
}

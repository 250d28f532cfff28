import type { BatchEntry, Methods } from '@svc/client';
import { type Resource, usePoll, useServer } from '../../frame/index.ts';
import { type Dynamic, valuesOf } from './live.ts';
import type { Grid } from './series.ts';
import { endsOf, type Span } from './span.ts';

/** Reports of one chart. */
const POINTS = 120;
const EVERY_MS = 45_000;

/**
 * History of graphics cards, which series do not hold: the newest full report of each of some equal stretches of time.
 * They are asked for in one message.
 */
export function useFullHistory(uuid: string, span: Span): Resource<Grid> {
  const { client } = useServer();
  const load = async (): Promise<Grid> => {
    const now = Date.now();
    const step_ms = Math.ceil(span.ms / POINTS);
    const [begin, end] = endsOf(span, now);
    const from = Math.floor(begin / step_ms) * step_ms;
    const length = Math.ceil((end - from) / step_ms);
    const answers = await client.batch(
      Array.from({ length }, (_, at) => ask(uuid, from + at * step_ms, step_ms)) as never[],
    );
    const rows = (answers as PromiseSettledResult<Dynamic[]>[]).map((answer) => {
      if (answer.status === 'rejected') throw answer.reason;
      return answer.value[0];
    });
    return gridOf(rows, { from, step_ms, length, until: now });
  };
  const key = `gpu ${uuid} ${span.preset ?? `${span.from} ${span.to}`}`;
  return usePoll(key, load, span.preset ? { every_ms: EVERY_MS } : {});
}

function ask(uuid: string, from: number, step_ms: number): BatchEntry<Methods> {
  return [
    'agent_query_dynamic',
    {
      dynamic_data_query: {
        fields: ['gpu'],
        condition: [{ uuid }, { timestamp_from_to: [from, from + step_ms - 1] }, { limit: 1 }],
      },
    },
  ];
}

function gridOf(rows: readonly (Dynamic | undefined)[], grid: Omit<Grid, 'series'>): Grid {
  const series = new Map<string, (number | null)[]>();
  for (const [at, row] of rows.entries())
    for (const [key, value] of Object.entries(row ? valuesOf(row) : {})) {
      const values = series.get(key) ?? new Array<number | null>(grid.length).fill(null);
      values[at] = value ?? null;
      series.set(key, values);
    }
  return {
    ...grid,
    series: new Map([...series].map(([key, avg]) => [key, { min: avg, avg, max: avg }])),
  };
}

import { useCallback, useRef } from 'preact/hooks';
import { setQuery, usePoll, useServer } from '../../../frame/index.ts';
import type { Gap } from '../../../parts/chart/index.ts';
import { useNow } from '../../../parts/index.ts';
import type { MarksByChart } from '../alerts/model.ts';
import { type Event, reasonOf } from '../events/model.ts';
import type { Field } from './series.ts';
import { type Span, showTime, stepOfNow } from './span.ts';

/** Time that the charts of a page show, and ways to change it. */
export interface View {
  readonly span: Span;
  /** Unix ms. */
  readonly now: number;
  /** Reason of a gap, in words. */
  readonly why: (gap: Gap) => string | undefined;
  readonly onZoom: (from: number, to: number) => void;
  readonly onBack: () => void;
  /** Name of the machine, for names of files. */
  readonly name: string;
  /** What alerts say in the charts of summaries. */
  readonly marks?: MarksByChart;
}

export function useView(span: Span, name: string, events: readonly Event[]): View {
  const now = useNow(stepOfNow(span));
  const stack = useRef<[name: 'range' | 'from' | 'to', value: string | undefined][][]>([]);
  const why = useCallback((gap: Gap) => reasonOf(gap, events), [events]);
  const latest = useRef(span);
  latest.current = span;
  const onZoom = useCallback((from: number, to: number) => {
    const { current } = latest;
    const before =
      current.preset === undefined
        ? { range: undefined, from: String(current.from), to: String(current.to) }
        : { range: current.preset, from: undefined, to: undefined };
    stack.current.push(Object.entries(before) as never);
    showTime(from, to);
  }, []);
  const onBack = useCallback(() => {
    const before = stack.current.pop() ?? [
      ['range', '1h'],
      ['from', undefined],
      ['to', undefined],
    ];
    setQuery(Object.fromEntries(before));
  }, []);
  return { span, now, why, onZoom, onBack, name };
}

const TWO_YEARS = 730 * 86_400_000;

/** Begin of the history that the server has of the agent, Unix ms: found in two steps, to some minutes. */
export function useKept(uuid: string): number | undefined {
  const { call, has } = useServer();
  const first = async (from: number, to: number, points: number) => {
    const fields: Field[] = ['uptime', 'cpu_usage'];
    const found = await call('agent_query_series', { agents: [uuid], fields, from, to, points });
    const places = found.series.map(({ last }) => last.findIndex((value) => value !== null));
    const at = Math.min(...places.filter((place) => place >= 0));
    if (!Number.isFinite(at)) return undefined;
    const begin = found.from + at * found.step_ms;
    return { begin, end: Math.min(to, begin + found.step_ms) };
  };
  const { data } = usePoll(`kept ${uuid}`, async () => {
    if (!has('series')) return undefined;
    const to = Date.now();
    const half = await first(to - TWO_YEARS, to, 1460);
    if (!half) return to;
    return (await first(half.begin, half.end, 144))?.begin ?? half.begin;
  });
  return data;
}

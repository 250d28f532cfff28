import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Loaded, setQuery, usePoll, useServer } from '../../../frame/index.ts';
import type { Gap } from '../../../parts/chart/index.ts';
import { Empty, Skeleton, useNow } from '../../../parts/index.ts';
import { chooseNetworkUnit, networkUnit } from '../../../parts/network-unit.ts';
import { t } from '../../../strings/index.ts';
import { type Event, reasonOf } from '../events/model.ts';
import { type Reports, useReports } from '../reports.ts';
import { Shortened } from '../shortened.tsx';
import { SpecChart, type View } from './chart.tsx';
import { RangePicker } from './range-picker.tsx';
import { type Field, type Grid, keyOf, namesOf, type Sample, useGrid } from './series.ts';
import { type Span, showTime, stepOfNow, useSpan } from './span.ts';
import {
  coreSpecs,
  diskSpecs,
  gpuSpecs,
  interfaceSpecs,
  type Spec,
  summarySpecs,
} from './specs.ts';

interface Props {
  readonly uuid: string;
  readonly name: string;
  readonly reports: Reports;
  readonly events: readonly Event[];
}

/** Charts of every field of one agent. */
export function Charts({ uuid, name, reports, events }: Props) {
  const { has, covers } = useServer();
  const span = useSpan();
  const view = useView(span, name, events);
  const kept = useKept(uuid);
  if (!has('series')) return <Empty title={t.agent.noSeries}>{t.frame.off('series')}</Empty>;
  const reads = (field: string) => covers('dynamic_monitoring', 'read', uuid, field);
  return (
    <div class="stack">
      <RangePicker span={span} now={view.now} keptFrom={kept} onBack={view.onBack} />
      <Summaries uuid={uuid} view={view} reports={reports} specs={summarySpecs} />
      <Full uuid={uuid} view={view} reads={reads} />
    </div>
  );
}

/** What all charts of a view share: the time, the way back from a zoom, the reasons of gaps. */
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

/** From when on the server has history of the agent, Unix ms: found in two steps, to some minutes. */
function useKept(uuid: string): number | undefined {
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

interface SummariesProps {
  readonly uuid: string;
  readonly view: View;
  readonly reports: Reports;
  readonly specs: readonly Spec[];
}

export function Summaries({ uuid, view, reports, specs }: SummariesProps) {
  const fields = useMemo(() => fieldsOf(specs), [specs]);
  const grid = useGrid(uuid, fields, view.span);
  const samples = reports.samples.value;
  return (
    <Loaded of={grid} what={t.agent.unreadable} skeleton={<ChartSkeletons count={specs.length} />}>
      {(found) => (
        <div class={specs.length > 4 ? 'agent-charts' : 'agent-charts few'}>
          {specs.map((spec) => (
            <SpecChart key={spec.id} {...view} spec={spec} grid={found} samples={samples}>
              {spec.id === 'network' && <NetworkUnit />}
            </SpecChart>
          ))}
        </div>
      )}
    </Loaded>
  );
}

function NetworkUnit() {
  const isBits = networkUnit.value === 'bits';
  return (
    <button
      type="button"
      class="tag"
      title={t.agent.networkUnit}
      onClick={() => chooseNetworkUnit(isBits ? 'bytes' : 'bits')}
    >
      {isBits ? 'bit/s' : 'B/s'}
    </button>
  );
}

const ChartSkeletons = ({ count }: { readonly count: number }) => (
  <div class="agent-charts">
    {Array.from({ length: count }, (_, at) => (
      <div key={at} class="card agent-chart">
        <Skeleton rows={8} />
      </div>
    ))}
  </div>
);

function fieldsOf(specs: readonly Spec[]): Field[] {
  const all = specs.flatMap(({ lines }) =>
    lines.flatMap(({ field, minus }) => (minus ? [field, minus] : [field])),
  );
  return [...new Set(all)] as Field[];
}

interface FullProps {
  readonly uuid: string;
  readonly view: View;
  /** May the token read this part of full reports? */
  readonly reads: (field: string) => boolean;
}

/** What full reports have: cores, disks, interfaces, graphics cards. Each is asked when it comes into the window. */
function Full({ uuid, view, reads }: FullProps) {
  const { samples } = useReports(uuid, 'dynamic');
  const parts = [
    ['cores', coreSpecs, reads('cpu')],
    ['disks', diskSpecs, reads('disk')],
    ['interfaces', interfaceSpecs, reads('network')],
    ['gpus', gpuSpecs, reads('gpu')],
  ] as const;
  return (
    <>
      {parts.map(
        ([id, specs, isAllowed]) =>
          isAllowed && (
            <WhenSeen key={`${id} ${uuid}`} title={t.agent.parts[id]}>
              <Part
                uuid={uuid}
                view={view}
                specs={specs}
                samples={samples.value}
                isOne={id === 'cores'}
              />
            </WhenSeen>
          ),
      )}
    </>
  );
}

/** A part that costs a call is made when the reader comes near it. */
function WhenSeen({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  const [isSeen, setSeen] = useState(false);
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = box.current;
    if (!element || isSeen) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setSeen(true),
      { rootMargin: '200px' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [isSeen]);
  return (
    <section ref={box} class="stack agent-part" aria-label={title}>
      <h2>{title}</h2>
      {isSeen ? children : <Skeleton rows={4} />}
    </section>
  );
}

interface PartProps {
  readonly uuid: string;
  readonly view: View;
  readonly specs: readonly Spec[];
  readonly samples: readonly Sample[];
  /** All names share one chart. */
  readonly isOne?: boolean;
}

function Part({ uuid, view, specs, samples, isOne }: PartProps) {
  const fields = useMemo(() => fieldsOf(specs), [specs]);
  const grid = useGrid(uuid, fields, view.span);
  return (
    <Loaded of={grid} what={t.agent.unreadable} skeleton={<ChartSkeletons count={2} />}>
      {(found) => (
        <Named
          grid={withNames(found, samples.at(-1)?.values)}
          view={view}
          specs={specs}
          samples={samples}
          {...(isOne && { isOne })}
        />
      )}
    </Loaded>
  );
}

/** Names that only the newest reports have, of a disk that was just mounted. */
function withNames(grid: Grid, values: Readonly<Record<string, unknown>> | undefined): Grid {
  const fresh = Object.keys(values ?? {}).filter((key) => !grid.series.has(key));
  if (fresh.length === 0) return grid;
  const none = { min: [], avg: [], max: [] };
  return {
    ...grid,
    series: new Map([...grid.series, ...fresh.map((key) => [key, none] as const)]),
  };
}

interface NamedProps {
  readonly grid: Grid;
  readonly view: View;
  readonly specs: readonly Spec[];
  readonly samples: readonly Sample[];
  readonly isOne?: boolean;
}

const AT_FIRST = 6;

function Named({ grid, view, specs, samples, isOne }: NamedProps) {
  const field = specs[0]?.lines[0]?.field as Field;
  const names = namesOf(grid, field);
  const isGpu = specs === gpuSpecs;
  if (names.length === 0) return <p class="muted">{isGpu ? t.agent.noGpu : t.agent.noFull}</p>;
  const common = { grid, samples, ...view };
  if (isOne)
    return (
      <div class="agent-charts">
        {specs.map((spec) => (
          <SpecChart key={spec.id} {...common} spec={spec} each={names} />
        ))}
      </div>
    );
  return (
    <Shortened list={names} first={AT_FIRST}>
      {(shown) =>
        shown.map((name) => (
          <div key={name} class="stack">
            <h3 class="agent-device ellipsis" title={name}>
              {isGpu ? `${t.agent.facts.gpu} ${name}` : name}
            </h3>
            <div class="agent-charts">
              {specs.map((spec) => (
                <SpecChart key={keyOf(spec.id, name)} {...common} spec={spec} of={name} />
              ))}
            </div>
          </div>
        ))
      }
    </Shortened>
  );
}

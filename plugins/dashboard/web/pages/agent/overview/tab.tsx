import type { ComponentChildren } from 'preact';
import { Link, to, useServer } from '../../../frame/index.ts';
import { Amount, Bar, Card, Empty, format } from '../../../parts/index.ts';
import { networkAmount, networkRate } from '../../../parts/network-unit.ts';
import { boundsOf, spaceMood } from '../../../parts/space.ts';
import { t } from '../../../strings/index.ts';
import { useSpan } from '../charts/span.ts';
import { cpu, diskSpeed, memory, network } from '../charts/specs.ts';
import { Summaries, useView } from '../charts/tab.tsx';
import { EventList } from '../events/list.tsx';
import type { Event } from '../events/model.ts';
import { FactList, type FactRow } from '../facts/list.tsx';
import type { Static } from '../facts/model.ts';
import { processorRows, systemRows } from '../facts/system.ts';
import type { Reports } from '../reports.ts';
import { Documents } from './documents.tsx';
import { MonthTraffic } from './month.tsx';

interface Props {
  readonly uuid: string;
  readonly name: string;
  readonly reports: Reports;
  readonly events: readonly Event[];
  readonly facts: Static | undefined;
}

const SPECS = [cpu, memory, network, diskSpeed];
const EVENTS = 8;

/** How the machine is now, and was in the last hour. */
export function Overview({ uuid, name, reports, events, facts }: Props) {
  const { has } = useServer();
  const span = useSpan();
  const view = useView(span, name, events);
  if (reports.state === 'live' && reports.samples.value.length === 0 && facts === undefined)
    return <Empty title={t.agent.nothing}>{t.agent.nothingHint}</Empty>;
  return (
    <div class="stack">
      <Figures uuid={uuid} reports={reports} facts={facts} />
      {has('series') && <Summaries uuid={uuid} view={view} reports={reports} specs={SPECS} />}
      <p class="small">
        <Link to={to('agent', uuid, 'charts')}>{t.agent.allCharts}</Link>
      </p>
      <div class="agent-columns">
        <Card title={t.agent.events.title}>
          <EventList events={events.slice(0, EVENTS)} />
        </Card>
        <Card title={t.agent.tabs.facts}>
          <Short facts={facts} />
        </Card>
      </div>
      <Documents uuid={uuid} />
    </div>
  );
}

interface FigureProps {
  readonly label: string;
  readonly children: ComponentChildren;
  readonly below?: ComponentChildren;
}

const Figure = ({ label, children, below }: FigureProps) => (
  <div class="agent-figure">
    <dt class="muted small">{label}</dt>
    <dd>
      <div class="agent-value">{children}</div>
      {below}
    </dd>
  </div>
);

function Figures({ uuid, reports, facts }: Pick<Props, 'uuid' | 'reports' | 'facts'>) {
  const cores = facts?.cpu;
  const samples = reports.samples.value;
  const values = samples.at(-1)?.values ?? {};
  const of = (key: string): number | undefined => {
    const value = values[key];
    return typeof value === 'number' ? value : undefined;
  };
  const part = (used: number | undefined, whole: number | undefined) =>
    used === undefined || !whole ? undefined : used / whole;
  const [total, free] = [of('total_space'), of('available_space')];
  const space = total === undefined || free === undefined ? undefined : total - free;
  const f = t.agent.fields;
  const amount = (value: number | undefined, figure: (v: number) => format.Figure) =>
    value === undefined ? undefined : figure(value);
  return (
    <dl class="agent-figures">
      <Figure
        label={f.cpu}
        below={
          <>
            <Bar value={part(of('cpu_usage'), 100)} label={f.cpu} warn={0.9} bad={2} />
            {cores && (
              <span class="muted small">
                {t.agent.facts.coreCount(cores.physical_cores, cores.logical_cores)}
              </span>
            )}
          </>
        }
      >
        <Amount of={amount(of('cpu_usage'), format.percent)} />
      </Figure>
      <Figure
        label={f.memory}
        below={
          <Filled
            label={f.memory}
            used={of('used_memory')}
            whole={of('total_memory')}
            part={part}
            bounds={{ warn: 0.9, bad: 0.97 }}
          />
        }
      >
        <Amount
          of={amount(part(of('used_memory'), of('total_memory')), (v) => format.percent(v * 100))}
        />
      </Figure>
      <Figure
        label={f.diskSpace}
        below={
          <Filled
            label={f.diskSpace}
            used={space}
            whole={total}
            part={part}
            bounds={boundsOf(spaceMood(total, free))}
          />
        }
      >
        <Amount of={amount(part(space, total), (v) => format.percent(v * 100))} />
      </Figure>
      <Figure
        label={f.network}
        below={
          <>
            <span class="muted small" title={f.traffic}>
              {t.agent.traffic(
                format.text(networkAmount(of('total_received') ?? 0)),
                format.text(networkAmount(of('total_transmitted') ?? 0)),
              )}
            </span>
            <MonthTraffic uuid={uuid} />
          </>
        }
      >
        <span class="agent-pair">
          <span>
            ↓ <Amount of={amount(of('receive_speed'), networkRate)} />
          </span>
          <span>
            ↑ <Amount of={amount(of('transmit_speed'), networkRate)} />
          </span>
        </span>
      </Figure>
      <Figure
        label={f.load}
        below={
          <span class="muted small num">
            {[of('load_five'), of('load_fifteen')]
              .map((value) => (value === undefined ? '–' : format.number(value, 2)))
              .join(' · ')}
          </span>
        }
      >
        <Amount of={amount(of('load_one'), (v) => ({ value: format.number(v, 2), unit: '' }))} />
      </Figure>
      <Figure
        label={f.processes}
        below={
          <span class="muted small">
            {t.agent.connections(of('tcp_connections') ?? 0, of('udp_connections') ?? 0)}
          </span>
        }
      >
        <Amount of={amount(of('process_count'), (v) => ({ value: format.number(v), unit: '' }))} />
      </Figure>
    </dl>
  );
}

interface FilledProps {
  readonly label: string;
  readonly used: number | undefined;
  readonly whole: number | undefined;
  readonly part: (used: number | undefined, whole: number | undefined) => number | undefined;
  readonly bounds: { readonly warn: number; readonly bad: number };
}

const Filled = ({ label, used, whole, part, bounds }: FilledProps) => (
  <>
    <Bar value={part(used, whole)} label={label} {...bounds} />
    <span class="muted small" title={used === undefined ? '' : format.exact(used, 'B')}>
      {used === undefined || whole === undefined
        ? '–'
        : t.agent.ofWhole(format.text(format.bytes(used)), format.text(format.bytes(whole)))}
    </span>
  </>
);

function Short({ facts }: { readonly facts: Static | undefined }) {
  const { system, cpu: chip, gpu } = facts ?? {};
  if (!system && !chip) return <p class="muted">{t.agent.facts.none}</p>;
  const rows: FactRow[] = [
    ...systemRows(system),
    ...processorRows(chip),
    [t.agent.facts.gpu, gpu?.map(({ name }) => name).join(', ')],
  ];
  return <FactList rows={rows} />;
}

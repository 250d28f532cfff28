import type { ComponentChildren } from 'preact';
import { Amount, Bar, format } from '../../../parts/index.ts';
import { networkAmount, networkRate } from '../../../parts/network-unit.ts';
import { boundsOf, spaceMood } from '../../../parts/space.ts';
import { t } from '../../../strings/index.ts';
import type { Static } from '../facts/model.ts';
import type { Reports } from '../reports.ts';
import { MonthTraffic } from './month.tsx';

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

interface Props {
  readonly uuid: string;
  readonly reports: Reports;
  readonly facts: Static | undefined;
}

/** Value of the newest report. */
type ValueOf = (key: string) => number | undefined;

/** Figures of the newest report. */
export function Figures({ uuid, reports, facts }: Props) {
  const values = reports.samples.value.at(-1)?.values ?? {};
  const of: ValueOf = (key) => {
    const value = values[key];
    return typeof value === 'number' ? value : undefined;
  };
  const [total, free] = [of('total_space'), of('available_space')];
  const space = total === undefined || free === undefined ? undefined : total - free;
  const f = t.agent.fields;
  return (
    <dl class="agent-figures">
      <Cpu percent={of('cpu_usage')} cores={facts?.cpu} />
      <Filled
        label={f.memory}
        used={of('used_memory')}
        whole={of('total_memory')}
        bounds={{ warn: 0.9, bad: 0.97 }}
      />
      <Filled
        label={f.diskSpace}
        used={space}
        whole={total}
        bounds={boundsOf(spaceMood(total, free))}
      />
      <Network uuid={uuid} of={of} />
      <Count label={f.load} value={of('load_one')} digits={2}>
        <span class="muted small num">
          {[of('load_five'), of('load_fifteen')]
            .map((value) => (value === undefined ? '–' : format.number(value, 2)))
            .join(' · ')}
        </span>
      </Count>
      <Count label={f.processes} value={of('process_count')}>
        <span class="muted small">
          {t.agent.connections(of('tcp_connections') ?? 0, of('udp_connections') ?? 0)}
        </span>
      </Count>
    </dl>
  );
}

interface CpuProps {
  readonly percent: number | undefined;
  readonly cores: Static['cpu'] | undefined;
}

function Cpu({ percent, cores }: CpuProps) {
  const label = t.agent.fields.cpu;
  const part = percent === undefined ? undefined : percent / 100;
  const below = (
    <>
      <Bar value={part} label={label} warn={0.9} bad={2} />
      {cores && (
        <span class="muted small">
          {t.agent.facts.coreCount(cores.physical_cores, cores.logical_cores)}
        </span>
      )}
    </>
  );
  return (
    <Figure label={label} below={below}>
      <Amount of={percent === undefined ? undefined : format.percent(percent)} />
    </Figure>
  );
}

interface FilledProps {
  readonly label: string;
  readonly used: number | undefined;
  readonly whole: number | undefined;
  readonly bounds: { readonly warn: number; readonly bad: number };
}

function Filled({ label, used, whole, bounds }: FilledProps) {
  const part = used === undefined || !whole ? undefined : used / whole;
  const below = (
    <>
      <Bar value={part} label={label} {...bounds} />
      <span class="muted small" title={used === undefined ? '' : format.exact(used, 'B')}>
        {used === undefined || whole === undefined
          ? '–'
          : t.agent.ofWhole(format.text(format.bytes(used)), format.text(format.bytes(whole)))}
      </span>
    </>
  );
  return (
    <Figure label={label} below={below}>
      <Amount of={part === undefined ? undefined : format.percent(part * 100)} />
    </Figure>
  );
}

function Network({ uuid, of }: { readonly uuid: string; readonly of: ValueOf }) {
  const f = t.agent.fields;
  const rate = (key: string) => {
    const value = of(key);
    return <Amount of={value === undefined ? undefined : networkRate(value)} />;
  };
  const amount = (key: string) => format.text(networkAmount(of(key) ?? 0));
  const below = (
    <>
      <span class="muted small" title={f.traffic}>
        {t.agent.traffic(amount('total_received'), amount('total_transmitted'))}
      </span>
      <MonthTraffic uuid={uuid} />
    </>
  );
  return (
    <Figure label={f.network} below={below}>
      <span class="agent-pair">
        <span>↓ {rate('receive_speed')}</span>
        <span>↑ {rate('transmit_speed')}</span>
      </span>
    </Figure>
  );
}

interface CountProps {
  readonly label: string;
  readonly value: number | undefined;
  readonly digits?: number;
  /** Below it. */
  readonly children: ComponentChildren;
}

const Count = ({ label, value, digits, children }: CountProps) => (
  <Figure label={label} below={children}>
    <Amount
      of={value === undefined ? undefined : { value: format.number(value, digits), unit: '' }}
    />
  </Figure>
);

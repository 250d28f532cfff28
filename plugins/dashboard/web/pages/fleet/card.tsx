import { Apple, AppWindow, Server } from 'lucide';
import { Component, type ComponentChildren } from 'preact';
import { colours, density, Link, to } from '../../frame/index.ts';
import { Amount, Bar, format, Icon, Sparkline } from '../../parts/index.ts';
import { networkRate } from '../../parts/network-unit.ts';
import { boundsOf, spaceMood } from '../../parts/space.ts';
import { t } from '../../strings/index.ts';
import type { About } from './about.ts';
import { usedSpace, type Vital } from './model.ts';
import type { Problem } from './problems.ts';

interface Props {
  readonly vital: Vital;
  readonly problems: readonly Problem[];
  readonly curve: readonly (number | null)[];
  readonly about: About;
}

/** A card that shows the same as before is not drawn again. */
export class MachineCard extends Component<Props> {
  #shown = '';

  override shouldComponentUpdate(next: Props): boolean {
    return contentOf(next) !== this.#shown;
  }

  override render(props: Props) {
    this.#shown = contentOf(props);
    return <Face {...props} />;
  }
}

/** Everything that a card depends on; ages count in seconds. */
function contentOf({ vital, problems, curve, about }: Props): string {
  const { row, name, machine, isOnline, seenAt, interval_ms } = vital;
  const age = seenAt === undefined || !isOnline ? 0 : Date.now() - seenAt;
  const late = age > 3 * interval_ms + 2_000 ? Math.round(age / 1_000) : 0;
  return `${name} ${machine?.tags?.join()} ${row?.timestamp} ${isOnline} ${problems[0]?.text} ${late} ${curve.length} ${curve[0]} ${about.system} ${about.region} ${colours.value} ${density.value}`;
}

const SYSTEMS = { windows: AppWindow, mac: Apple, unix: Server } as const;

/** One machine: quiet while all is well. */
function Face({ vital, problems, curve, about }: Props) {
  const { uuid, name, machine, row, isOnline, memory, disk } = vital;
  const [worst] = problems;
  const cpu = row?.cpu_usage ?? undefined;
  return (
    <article class={`fleet-card ${isOnline ? '' : 'away'}`}>
      <header>
        {about.family && (
          <span class="fleet-system" title={about.system}>
            <Icon of={SYSTEMS[about.family]} />
            <span class="sr">{about.system}</span>
          </span>
        )}
        <Link to={to('agent', uuid)} class="fleet-name ellipsis" title={name}>
          {name}
        </Link>
      </header>
      {worst ? (
        <p class={`fleet-state ${worst.mood}`} title={worst.text}>
          <Icon of={worst.icon} size={14} />
          <span class="ellipsis">{worst.short ?? worst.text}</span>
        </p>
      ) : (
        <p class="fleet-tags">
          {about.region !== undefined && (
            <span class="muted small fleet-region">{about.region}</span>
          )}
          {machine?.tags?.map((tag) => (
            <span key={tag} class="tag">
              {tag}
            </span>
          ))}
        </p>
      )}
      <div class="fleet-bars">
        <Gauge
          label={t.fleet.cpu}
          value={cpu === undefined ? undefined : cpu / 100}
          figure={cpu === undefined ? undefined : format.percent(cpu)}
          of={name}
          bounds={{ warn: 0.9, bad: 2 }}
        >
          <Sparkline values={curve} max={100} width={52} height={20} label={t.fleet.cpuOf(name)} />
        </Gauge>
        <Gauge
          label={t.fleet.memory}
          value={memory}
          figure={memory === undefined ? undefined : format.percent(memory * 100)}
          title={partOf(row?.used_memory, row?.total_memory)}
          of={name}
          bounds={{ warn: 0.9, bad: 0.97 }}
        />
        <Gauge
          label={t.fleet.disk}
          value={disk}
          figure={disk === undefined ? undefined : format.percent(disk * 100)}
          title={partOf(usedSpace(row), row?.total_space)}
          of={name}
          bounds={boundsOf(spaceMood(row?.total_space, row?.available_space))}
        />
      </div>
      <footer class="small">
        <span title={format.exact(row?.receive_speed ?? 0, 'B/s')}>
          ↓ <Amount of={row?.receive_speed == null ? undefined : networkRate(row.receive_speed)} />
        </span>
        <span title={format.exact(row?.transmit_speed ?? 0, 'B/s')}>
          ↑{' '}
          <Amount of={row?.transmit_speed == null ? undefined : networkRate(row.transmit_speed)} />
        </span>
        <span class="grow" />
        <Age vital={vital} />
      </footer>
    </article>
  );
}

/** How long ago the last report came, once it is late; else how long the machine has been up. */
function Age({ vital: { isOnline, seenAt, interval_ms, row } }: { readonly vital: Vital }) {
  if (!isOnline || seenAt === undefined) return null;
  const age = Date.now() - seenAt;
  if (age > 3 * interval_ms + 2_000) return <span class="fleet-late">{format.ago(age)}</span>;
  return row?.uptime == null ? null : (
    <span class="muted" title={format.duration(row.uptime * 1000)}>
      {t.fleet.up(format.roughly(row.uptime * 1000))}
    </span>
  );
}

/** "5.2 GiB of 8 GiB", in words for who points at it. */
export function partOf(part: number | null | undefined, whole: number | null | undefined): string {
  if (part == null || whole == null) return '';
  return t.fleet.of2(format.text(format.bytes(part)), format.text(format.bytes(whole)));
}

interface GaugeProps {
  readonly label: string;
  readonly value: number | undefined;
  readonly figure: format.Figure | undefined;
  readonly of: string;
  readonly title?: string;
  readonly bounds: { readonly warn: number; readonly bad: number };
  /** Beside the figure. */
  readonly children?: ComponentChildren;
}

function Gauge({ label, value, figure, of, title, bounds, children }: GaugeProps) {
  return (
    <div title={title}>
      <p class="muted small">{label}</p>
      <p class="fleet-value">
        <Amount of={figure} />
        {children}
      </p>
      <Bar value={value} label={`${label}, ${of}`} {...bounds} />
    </div>
  );
}

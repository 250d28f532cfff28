import { Apple, AppWindow, Server } from 'lucide';
import { Component } from 'preact';
import { colours, density, Link, to } from '../../frame/index.ts';
import { format, Icon, Sparkline } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import type { About } from './about.ts';
import { GaugeAmount, GaugeBar, ProblemText, Rate } from './figures.tsx';
import { GAUGES, gaugeOf } from './gauges.ts';
import type { Vital } from './model.ts';
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
function Face(props: Props) {
  const { uuid, name, row, isOnline } = props.vital;
  const { family, system } = props.about;
  return (
    <article class={`fleet-card ${isOnline ? '' : 'away'}`}>
      <header>
        {family && (
          <span class="fleet-system" title={system}>
            <Icon of={SYSTEMS[family]} />
            <span class="sr">{system}</span>
          </span>
        )}
        <Link to={to('agent', uuid)} class="fleet-name ellipsis" title={name}>
          {name}
        </Link>
      </header>
      <Line {...props} />
      <Gauges {...props} />
      <footer class="small">
        <span title={format.exact(row?.receive_speed ?? 0, 'B/s')}>
          ↓ <Rate row={row} of="receive_speed" />
        </span>
        <span title={format.exact(row?.transmit_speed ?? 0, 'B/s')}>
          ↑ <Rate row={row} of="transmit_speed" />
        </span>
        <span class="grow" />
        <Age vital={props.vital} />
      </footer>
    </article>
  );
}

/** The worst problem; without one, region and tags. */
function Line({ vital: { machine }, problems: [worst], about: { region } }: Props) {
  if (worst)
    return (
      <p class={`fleet-state ${worst.mood}`} title={worst.text}>
        <ProblemText of={worst} text={worst.short ?? worst.text} />
      </p>
    );
  return (
    <p class="fleet-tags">
      {region !== undefined && <span class="muted small fleet-region">{region}</span>}
      {machine?.tags?.map((tag) => (
        <span key={tag} class="tag">
          {tag}
        </span>
      ))}
    </p>
  );
}

function Gauges({ vital, curve }: Props) {
  const label = t.fleet.cpuOf(vital.name);
  return (
    <div class="fleet-bars">
      {GAUGES.map((id) => (
        <div key={id} title={gaugeOf(id, vital).title}>
          <p class="muted small">{t.fleet[id]}</p>
          <p class="fleet-value">
            <GaugeAmount id={id} vital={vital} />
            {id === 'cpu' && (
              <Sparkline values={curve} max={100} width={52} height={20} label={label} />
            )}
          </p>
          <GaugeBar id={id} vital={vital} />
        </div>
      ))}
    </div>
  );
}

/** Time since the last report, once it is late; else how long the machine has been up. */
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

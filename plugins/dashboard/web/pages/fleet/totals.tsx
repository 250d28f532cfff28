import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { Link, to, useServer } from '../../frame/index.ts';
import { Amount, format, Sparkline } from '../../parts/index.ts';
import { networkAmount, networkRate } from '../../parts/network-unit.ts';
import { t } from '../../strings/index.ts';
import type { Totals as Figures, Vital } from './model.ts';
import { STEP_MS, STEPS, usePast } from './past.ts';
import { useTraffic } from './traffic.ts';

interface Props {
  readonly figures: Figures;
  readonly agents: readonly string[];
}

/** One strip of figures of the whole fleet. */
export function Totals({ figures, agents }: Props) {
  const server = useServer();
  const { all, online, cpu, worst, usedMemory, totalMemory, received, sent } = figures;
  const past = usePast(server, agents);
  const cpuCurve = useCurve(cpu, past?.cpu);
  const memoryCurve = useCurve(totalMemory > 0 ? usedMemory : undefined, past?.memory);
  const networkCurve = useCurve(online > 0 ? received + sent : undefined, past?.network);
  return (
    <section class="fleet-totals card" aria-label={t.fleet.totals} title={server.name}>
      <Total
        label={t.fleet.machines}
        below={online === all ? t.fleet.allOnline : t.fleet.away(all - online)}
      >
        {format.number(online)}
        <span class="unit"> / {format.number(all)}</span>
      </Total>
      <Total
        label={t.fleet.cpu}
        below={worst && <Worst of={worst} />}
        isCut
        curve={{ values: cpuCurve, height: 28, label: t.fleet.cpuCurve }}
      >
        <Amount of={cpu === undefined ? undefined : format.percent(cpu)} />
      </Total>
      <Total
        label={t.fleet.memory}
        below={totalMemory > 0 && t.fleet.of(format.text(format.bytes(totalMemory)))}
        curve={{
          ...{ values: memoryCurve, height: 28, max: totalMemory },
          ...{ color: '--series-3', label: t.fleet.memoryCurve },
        }}
      >
        <Amount
          of={totalMemory > 0 ? format.bytes(usedMemory) : undefined}
          title={format.exact(usedMemory, 'B')}
        />
      </Total>
      <Total
        label={t.fleet.network}
        below={<span title={format.exact(sent, 'B/s')}>↑ {format.text(networkRate(sent))}</span>}
        curve={{ values: networkCurve, color: '--series-2', label: t.fleet.networkCurve }}
      >
        <span title={format.exact(received, 'B/s')}>
          ↓ <Amount of={networkRate(received)} />
        </span>
      </Total>
      <Today agents={agents} />
    </section>
  );
}

interface TotalProps {
  readonly label: string;
  readonly title?: string;
  readonly children: ComponentChildren;
  readonly below: ComponentChildren;
  /** The text below is cut where it is too long. */
  readonly isCut?: boolean;
  readonly curve?: Parameters<typeof Sparkline>[0];
}

const Total = ({ label, title, children, below, isCut, curve }: TotalProps) => (
  <div class="fleet-total">
    <h2 title={title}>{label}</h2>
    <p class="fleet-figure">{children}</p>
    <p class={isCut ? 'muted small ellipsis' : 'muted small'}>{below}</p>
    {curve && <Sparkline {...curve} />}
  </div>
);

const Worst = ({ of: { uuid, name, row } }: { readonly of: Vital }) => (
  <>
    {t.fleet.worst} <Link to={to('agent', uuid)}>{name}</Link>{' '}
    {format.text(format.percent(row?.cpu_usage ?? 0))}
  </>
);

function Today({ agents }: { readonly agents: readonly string[] }) {
  const traffic = useTraffic(useServer(), agents);
  return (
    <Total
      label={t.fleet.today}
      title={t.fleet.todayUtc}
      below={traffic && `↑ ${format.text(networkAmount(traffic.sent))}`}
    >
      ↓{' '}
      <Amount
        of={traffic && networkAmount(traffic.received)}
        {...(traffic && { title: format.exact(traffic.received, 'B') })}
      />
    </Total>
  );
}

/** Values of a figure in the last half hour: as the server has it, then as the page has seen it. */
function useCurve(
  value: number | undefined,
  past: readonly (number | null)[] | undefined,
): readonly (number | null)[] {
  const ref = useRef<{ readonly values: (number | null)[]; last: number }>({ values: [], last: 0 });
  const now = Math.floor(Date.now() / STEP_MS);
  const { current } = ref;
  if (current.last === 0) {
    current.last = now;
    current.values.push(...Array<null>(STEPS).fill(null));
  }
  for (; current.last < now; current.last++) current.values.push(null);
  current.values.splice(0, current.values.length - STEPS);
  if (value !== undefined) current.values[STEPS - 1] = value;
  for (const [at, old] of past?.entries() ?? []) current.values[at] ??= old;
  return current.values;
}

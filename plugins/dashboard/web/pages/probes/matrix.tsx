import { TrendingUp } from 'lucide';
import { Link, setQuery, to, useMachines } from '../../frame/index.ts';
import { format, Icon } from '../../parts/index.ts';
import {
  isSlow,
  keyOfProbe,
  lossFigure,
  type Percentiles,
  type Probe,
} from '../../parts/probe/index.ts';
import { t } from '../../strings/index.ts';

export type Metric = 'latency' | 'loss';

interface Props {
  readonly probes: readonly Probe[];
  readonly totals: ReadonlyMap<string, Percentiles>;
  readonly usual: ReadonlyMap<string, number> | undefined;
  readonly metric: Metric;
  /** Key of the probe that is open, and its agent. */
  readonly chosen: string;
  readonly agent: string | undefined;
}

/** A heat map: a row for each target, a column for each agent. A cell opens its curves, a row those of all agents. */
export function Matrix({ probes, totals, usual, metric, chosen, agent }: Props) {
  const { nameOf } = useMachines();
  const agents = [...new Set(probes.flatMap((probe) => probe.agents))].sort((a, b) =>
    nameOf(a).localeCompare(nameOf(b), undefined, { numeric: true }),
  );
  const [least, most] = endsOf(totals);
  return (
    <>
      <div class="probes-scroll" tabIndex={0} role="region" aria-label={t.probes.matrix}>
        <table class="probes-matrix">
          <caption class="sr">{t.probes.matrix}</caption>
          <thead>
            <tr>
              <th scope="col">{t.probes.target}</th>
              {agents.map((uuid) => (
                <th key={uuid} scope="col">
                  <Link to={to('agent', uuid, 'probes')} title={nameOf(uuid)}>
                    {nameOf(uuid)}
                  </Link>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {probes.map((probe) => {
              const key = keyOfProbe(probe);
              return (
                <tr key={key} class={key === chosen ? 'open' : ''}>
                  <th scope="row">
                    <button
                      type="button"
                      title={t.probes.compare(probe.target)}
                      aria-pressed={key === chosen && agent === undefined}
                      onClick={() =>
                        setQuery({ probe: key, machine: undefined }, { replace: false })
                      }
                    >
                      <span class="ellipsis">{probe.target}</span>
                      <span class="muted small">{t.probes.kinds[probe.kind]}</span>
                    </button>
                  </th>
                  {agents.map((uuid) => (
                    <Cell
                      key={uuid}
                      probe={probe}
                      uuid={uuid}
                      name={nameOf(uuid)}
                      of={totals.get(`${key} ${uuid}`)}
                      usual={usual?.get(`${key} ${uuid}`)}
                      metric={metric}
                      heat={(ms) => heatOf(ms, least, most)}
                      isOpen={key === chosen && agent === uuid}
                    />
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <p class="row wrap muted small probes-key">
        {metric === 'latency' ? (
          <>
            {least} ms <i class="probes-scale" /> {most} ms
          </>
        ) : null}
        <span class="row">
          <Icon of={TrendingUp} size={12} /> {t.probes.slowerHint}
        </span>
      </p>
    </>
  );
}

/** Least and greatest median, ms, in whole figures. */
function endsOf(totals: ReadonlyMap<string, Percentiles>): readonly [number, number] {
  const medians = [...totals.values()].flatMap(({ p50 }) => (p50 === null ? [] : [p50]));
  if (medians.length === 0) return [0, 100];
  return [Math.floor(Math.min(...medians)), Math.max(1, Math.ceil(Math.max(...medians)))];
}

/** From 0 to 1 by orders of size: 5 and 50 ms differ as 50 and 500 do. */
function heatOf(ms: number, least: number, most: number): number {
  const [low, high] = [Math.log(Math.max(1, least)), Math.log(Math.max(2, most))];
  return high <= low
    ? 0
    : Math.min(1, Math.max(0, (Math.log(Math.max(1, ms)) - low) / (high - low)));
}

interface CellProps {
  readonly probe: Probe;
  readonly uuid: string;
  readonly name: string;
  readonly of: Percentiles | undefined;
  readonly usual: number | undefined;
  readonly metric: Metric;
  readonly heat: (ms: number) => number;
  readonly isOpen: boolean;
}

function Cell({ probe, uuid, name, of, usual, metric, heat, isOpen }: CellProps) {
  if (!of) return <td class="probes-none muted">{probe.agents.includes(uuid) ? '–' : ''}</td>;
  const { loss, p50 } = of;
  const lost = format.text(lossFigure(loss ?? 0));
  const latency = p50 === null ? '–' : `${format.number(p50, p50 < 10 ? 1 : 0)} ms`;
  const slow = isSlow(p50, usual);
  const mood = loss === null || loss === 0 ? '' : loss >= 0.1 ? 'bad' : 'warn';
  const title = [
    `${name} → ${probe.target}`,
    `${t.probes.median} ${latency}`,
    `${t.probes.loss} ${lost}`,
    slow && usual !== undefined ? t.probes.slowerThan(format.number(usual, 1)) : '',
  ];
  return (
    <td>
      <button
        type="button"
        class={`probes-cell ${mood}`}
        style={{ '--heat': metric === 'latency' && p50 !== null ? heat(p50) : 0 }}
        title={title.filter(Boolean).join('\n')}
        aria-pressed={isOpen}
        onClick={() => setQuery({ probe: keyOfProbe(probe), machine: uuid }, { replace: false })}
      >
        <span class="sr">{`${name} → ${probe.target}: `}</span>
        {metric === 'latency' ? latency : lost}
        {metric === 'latency' && loss !== null && loss > 0 && <small>{t.probes.lost(lost)}</small>}
        {slow && <Icon of={TrendingUp} size={12} label={t.probes.slower} />}
      </button>
    </td>
  );
}

import { X } from 'lucide';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Link, Loaded, setQuery, to, useMachines } from '../../frame/index.ts';
import { Button, format } from '../../parts/index.ts';
import {
  Figures,
  isSlow,
  keyOfProbe,
  Latency,
  lossFigure,
  type Percentiles,
  type Probe,
  useSeries,
} from '../../parts/probe/index.ts';
import { t } from '../../strings/index.ts';

interface Props {
  readonly probe: Probe;
  /** One agent; undefined: all, side by side. */
  readonly agent: string | undefined;
  readonly ms: number;
  /** Chosen by the reader, who wants to look at it; else it is the first one. */
  readonly isAsked: boolean;
  readonly totals: ReadonlyMap<string, Percentiles> | undefined;
  readonly usual: ReadonlyMap<string, number> | undefined;
}

/** Curves that are drawn together; more of them nobody tells apart. */
const MOST = 16;

/** The curves and percentiles of a target. */
export function Detail({ probe, agent, ms, isAsked, totals, usual }: Props) {
  const { nameOf } = useMachines();
  const box = useRef<HTMLElement>(null);
  const key = keyOfProbe(probe);
  const slowest = useMemo(() => {
    const p50 = (uuid: string) => totals?.get(`${key} ${uuid}`)?.p50 ?? 0;
    return [...probe.agents].sort((a, b) => p50(b) - p50(a)).slice(0, MOST);
    // What is drawn stays while figures change.
  }, [probe, totals === undefined]);
  const mine = useMemo(
    () => ({ ...probe, agents: agent === undefined ? slowest : [agent] }),
    [probe, agent, slowest],
  );
  const [zooms, setZooms] = useState<readonly (readonly [number, number])[]>([]);
  const zoom = zooms.at(-1);
  const curves = useSeries(mine, zoom ? { ms: zoom[1] - zoom[0], to: zoom[1] } : { ms });
  const end = curves.at ?? Date.now();
  const [from, until] = zoom ?? [end - ms, end];
  useEffect(() => {
    if (!isAsked) return;
    box.current?.scrollIntoView({ block: 'nearest' });
    box.current?.focus({ preventScroll: true });
  }, []);
  const title = agent === undefined ? probe.target : `${nameOf(agent)} → ${probe.target}`;
  return (
    <section ref={box} class="card stack" tabIndex={-1} aria-label={title}>
      <header class="card-head">
        <h2 class="ellipsis grow">
          {title} <span class="tag probe-kind">{t.probes.kinds[probe.kind]}</span>
        </h2>
        {isAsked && (
          <Button
            kind="quiet"
            icon={X}
            label={t.parts.close}
            onClick={() => setQuery({ probe: undefined, machine: undefined })}
          />
        )}
      </header>
      {agent !== undefined && (
        <Figures of={totals?.get(`${key} ${agent}`)} usual={usual?.get(`${key} ${agent}`)} />
      )}
      {agent === undefined && probe.agents.length > MOST && (
        <p class="muted">{t.probes.slowest(MOST, probe.agents.length)}</p>
      )}
      <Loaded of={curves} what={t.probes.unreadable}>
        {(found) => (
          <Latency
            of={found}
            from={from}
            to={until}
            onZoom={(a, b) => setZooms([...zooms, [a, b]])}
            onBack={() => setZooms(zooms.slice(0, -1))}
            nameOf={nameOf}
            sync="probes"
            file={title}
          />
        )}
      </Loaded>
      {agent === undefined && (
        <Ranking probe={probe} totals={totals} usual={usual} nameOf={nameOf} />
      )}
    </section>
  );
}

interface RankingProps extends Pick<Props, 'probe' | 'totals' | 'usual'> {
  readonly nameOf: (uuid: string) => string;
}

/** The percentiles of all agents, the slowest first. */
function Ranking({ probe, totals, usual, nameOf }: RankingProps) {
  const key = keyOfProbe(probe);
  const rows = probe.agents.flatMap((uuid) => {
    const found = totals?.get(`${key} ${uuid}`);
    return found ? [{ uuid, ...found }] : [];
  });
  rows.sort((a, b) => (b.p50 ?? Number.POSITIVE_INFINITY) - (a.p50 ?? Number.POSITIVE_INFINITY));
  if (rows.length === 0) return null;
  const ms = (value: number | null | undefined) =>
    value == null ? '–' : `${format.number(value, 1)} ms`;
  return (
    <div class="probes-scroll" tabIndex={0} role="region" aria-label={t.probes.ranking}>
      <table class="probes-ranking">
        <thead>
          <tr>
            <th scope="col">{t.frame.pages.agent}</th>
            {[
              t.probes.loss,
              t.probes.least,
              t.probes.median,
              'p95',
              'p99',
              t.probes.most,
              t.probes.usual,
            ].map((label) => (
              <th key={label} scope="col" class="num">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ uuid, loss, min, p50, p95, p99, max }) => {
            const typical = usual?.get(`${key} ${uuid}`);
            return (
              <tr key={uuid}>
                <th scope="row">
                  <Link to={to('agent', uuid, 'probes')}>{nameOf(uuid)}</Link>
                </th>
                <td class="num">{format.text(lossFigure(loss ?? 0))}</td>
                {[min, p50, p95, p99, max].map((value, at) => (
                  <td key={at} class="num">
                    {ms(value)}
                  </td>
                ))}
                <td class={isSlow(p50, typical) ? 'num probes-slow' : 'num'}>{ms(typical)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

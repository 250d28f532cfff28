import { ArrowLeft } from 'lucide';
import { useMemo, useState } from 'preact/hooks';
import { Link, Loaded, setQuery, to, useMachines } from '../../frame/index.ts';
import { Button } from '../../parts/index.ts';
import { type Answer, Figures, Latency, type Probe, useSeries } from '../../parts/probe/index.ts';
import { t } from '../../strings/index.ts';

interface Props {
  readonly probe: Probe;
  readonly answer: Answer;
  /** One machine; undefined: the slowest, side by side. */
  readonly machine: string | undefined;
  readonly ms: number;
}

/** Curves that are drawn together: one for each colour that there is. */
const MOST = 8;

/** The curves of a target; of one machine with its percentiles. */
export function Curves({ probe, answer, machine, ms }: Props) {
  const { nameOf } = useMachines();
  const answering = answer.readings.filter(({ of }) => of?.p50 != null);
  const isMeasured = answering.length > 0;
  const slowest = useMemo(
    () =>
      answering
        .toSorted((a, b) => (b.of?.p50 ?? 0) - (a.of?.p50 ?? 0))
        .slice(0, MOST)
        .map(({ uuid }) => uuid),
    // What is drawn stays while figures change.
    [probe, isMeasured],
  );
  const mine = useMemo(
    () => ({ ...probe, agents: machine === undefined ? slowest : [machine] }),
    [probe, machine, slowest],
  );
  const [zooms, setZooms] = useState<readonly (readonly [number, number])[]>([]);
  const zoom = zooms.at(-1);
  const curves = useSeries(mine, zoom ? { ms: zoom[1] - zoom[0], to: zoom[1] } : { ms });
  const end = curves.at ?? Date.now();
  const [from, until] = zoom ?? [end - ms, end];
  const reading = answer.readings.find(({ uuid }) => uuid === machine);
  if (mine.agents.length === 0) return null;
  return (
    <div class="stack">
      {machine !== undefined && (
        <div class="row wrap">
          <Button
            icon={ArrowLeft}
            kind="quiet"
            onClick={() => setQuery({ machine: undefined }, { replace: false })}
          >
            {t.probes.allMachines}
          </Button>
          <h3 class="grow">
            <Link to={to('agent', machine, 'probes')}>{nameOf(machine)}</Link>
          </h3>
        </div>
      )}
      {machine !== undefined && <Figures of={reading?.of} usual={reading?.usual} />}
      {machine === undefined && answering.length > MOST && (
        <p class="muted small">{t.probes.slowest(slowest.length, probe.agents.length)}</p>
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
            isAll={machine !== undefined || slowest.length === probe.agents.length}
            sync="probes"
            file={machine === undefined ? probe.target : `${nameOf(machine)} ${probe.target}`}
          />
        )}
      </Loaded>
    </div>
  );
}

import { ArrowLeft } from 'lucide';
import { Link, Loaded, setQuery, to, useMachines } from '../../frame/index.ts';
import { Button } from '../../parts/index.ts';
import { Figures, Latency } from '../../parts/probe/index.ts';
import { t } from '../../strings/index.ts';
import { type CurvesOptions, useCurves } from './model.ts';

/** The curves of a target; of one machine with its percentiles. */
export function Curves(props: CurvesOptions) {
  const { probe, answer, machine } = props;
  const { nameOf } = useMachines();
  const { curves, agents, isCut, isAll, times } = useCurves(props);
  if (agents.length === 0) return null;
  const reading = answer.readings.find(({ uuid }) => uuid === machine);
  return (
    <div class="stack">
      {machine !== undefined && (
        <>
          <MachineHead uuid={machine} />
          <Figures of={reading?.of} usual={reading?.usual} />
        </>
      )}
      {isCut && <p class="muted small">{t.probes.slowest(agents.length, probe.agents.length)}</p>}
      <Loaded of={curves} what={t.probes.unreadable}>
        {(found) => (
          <Latency
            {...times}
            of={found}
            nameOf={nameOf}
            isAll={isAll}
            sync="probes"
            file={machine === undefined ? probe.target : `${nameOf(machine)} ${probe.target}`}
          />
        )}
      </Loaded>
    </div>
  );
}

function MachineHead({ uuid }: { readonly uuid: string }) {
  const { nameOf } = useMachines();
  return (
    <div class="row wrap">
      <Button
        icon={ArrowLeft}
        kind="quiet"
        onClick={() => setQuery({ machine: undefined }, { replace: false })}
      >
        {t.probes.allMachines}
      </Button>
      <h3 class="grow">
        <Link to={to('agent', uuid, 'probes')}>{nameOf(uuid)}</Link>
      </h3>
    </div>
  );
}

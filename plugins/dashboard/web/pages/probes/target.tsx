import { ChevronDown, ChevronRight, TriangleAlert } from 'lucide';
import { useEffect, useRef } from 'preact/hooks';
import { Link, setQuery, to, useMachines, useServer } from '../../frame/index.ts';
import { Icon, Skeleton } from '../../parts/index.ts';
import {
  type Answer,
  type Failures,
  isBad,
  keyOfProbe,
  type Probe,
  type Reading,
  Reasons,
} from '../../parts/probe/index.ts';
import { t } from '../../strings/index.ts';
import { Away } from './away.tsx';
import { Curves } from './curves.tsx';
import { Machines } from './machines.tsx';
import { NAMED, openMachine, type TargetOptions, useSentence, useTarget, whyOf } from './model.ts';
import { TurnOne } from './turn-buttons.tsx';

interface Props extends TargetOptions {
  /** The address names it. */
  readonly isAsked: boolean;
}

/** One target: the answer of all machines in a sentence, those that need attention, and, when it is open, curves and machines. */
export function Target(props: Props) {
  const { probe, ms, isOpen, isAsked, chosen } = props;
  const box = useRef<HTMLElement>(null);
  const { answer, failures } = useTarget(props);
  useEffect(() => {
    if (isAsked) box.current?.scrollIntoView({ block: 'nearest' });
  }, [isAsked]);
  return (
    <section ref={box} class="card probes-target" aria-label={probe.target}>
      <Head probe={probe} isOpen={isOpen} />
      {answer ? <Sentence answer={answer} /> : <Skeleton rows={1} />}
      {answer && answer.away === answer.readings.length && answer.away <= NAMED && (
        <Away kind={probe.kind} readings={answer.readings} />
      )}
      {answer && !isOpen && (
        <Failing probe={probe} readings={answer.readings.filter(isBad)} failures={failures} />
      )}
      {answer && isOpen && (
        <div class="stack">
          <Reasons kind={probe.kind} failures={failures} isOne={probe.agents.length === 1} />
          <Curves key={chosen ?? ''} probe={probe} answer={answer} machine={chosen} ms={ms} />
          {probe.agents.length > 1 && <Machines probe={probe} answer={answer} chosen={chosen} />}
        </div>
      )}
    </section>
  );
}

function Head({ probe, isOpen }: Pick<Props, 'probe' | 'isOpen'>) {
  const { kind, target } = probe;
  const key = isOpen ? undefined : keyOfProbe(probe);
  return (
    <header class="row wrap">
      <h2 class="grow">
        <button
          type="button"
          class="probes-name"
          aria-expanded={isOpen}
          title={isOpen ? t.probes.close(target) : t.probes.open(target)}
          onClick={() => setQuery({ probe: key, machine: undefined }, { replace: false })}
        >
          <Icon of={isOpen ? ChevronDown : ChevronRight} />
          <span class="probes-word">{target}</span>
          <span class="tag probe-kind">{t.probes.kinds[kind]}</span>
        </button>
      </h2>
      {isOpen && <Jobs names={probe.jobs} />}
      {isOpen && <TurnOne probe={probe} />}
    </header>
  );
}

function Jobs({ names }: { readonly names: readonly string[] }) {
  const { has, holds } = useServer();
  const sees = has('crontab') && holds('crontab', 'read');
  return (
    <span class="row wrap muted small">
      {names.map((name) =>
        sees ? (
          <Link key={name} to={to('jobs', name)}>
            {t.probes.byJob(name)}
          </Link>
        ) : (
          <span key={name}>{t.probes.byJob(name)}</span>
        ),
      )}
    </span>
  );
}

function Sentence({ answer }: { readonly answer: Answer }) {
  const [said, missing] = useSentence(answer);
  if (said === '') return <p class="muted">{missing}</p>;
  return (
    <p class="probes-answer">
      {said}
      {missing !== '' && <span class="muted">{`; ${missing}`}</span>}
    </p>
  );
}

interface FailingProps {
  readonly probe: Probe;
  readonly readings: readonly Reading[];
  readonly failures: Failures;
}

/** Machines that need attention, each with its reason. */
function Failing({ probe, readings, failures }: FailingProps) {
  const { nameOf } = useMachines();
  if (readings.length === 0) return null;
  return (
    <ul class="probes-looks" aria-label={t.probes.look(readings.length)}>
      {readings.slice(0, NAMED).map((reading) => (
        <li key={reading.uuid} class={reading.mood === 'silent' ? 'bad' : 'warn'}>
          <Icon of={TriangleAlert} size={14} />
          <button
            type="button"
            class="probes-machine"
            title={t.probes.openMachine(nameOf(reading.uuid))}
            onClick={() => openMachine(probe, reading.uuid)}
          >
            {nameOf(reading.uuid)}
          </button>
          <span class="muted">{whyOf(reading, failures)}</span>
        </li>
      ))}
      {readings.length > NAMED && <li class="muted">{t.probes.more(readings.length - NAMED)}</li>}
    </ul>
  );
}

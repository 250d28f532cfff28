import { ChevronDown, ChevronRight, TriangleAlert } from 'lucide';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Link, setQuery, to, useMachines, useServer } from '../../frame/index.ts';
import { format, Icon, Skeleton } from '../../parts/index.ts';
import {
  type Answer,
  answerOf,
  type Failures,
  isBad,
  keyOfProbe,
  lossFigure,
  type Probe,
  type Reading,
  Reasons,
  sinceOf,
  type Totals,
  useFailures,
} from '../../parts/probe/index.ts';
import { t } from '../../strings/index.ts';
import { Curves } from './curves.tsx';
import { Away, isWaiting, Machines } from './machines.tsx';

interface Props {
  readonly probe: Probe;
  /** Undefined: they have not come yet. Many machines take their time, and the targets stand meanwhile. */
  readonly totals: Totals | undefined;
  readonly usual: ReadonlyMap<string, number> | undefined;
  readonly ms: number;
  readonly isOpen: boolean;
  /** By the address: the reader wants to look at it. */
  readonly isAsked: boolean;
  /** UUID of the machine whose curve is open. */
  readonly machine: string | undefined;
}

/** One target: the answer of all machines in a sentence, those that need a look, and, when it is open, curves and machines. */
export function Target({ probe, totals, usual, ms, isOpen, isAsked, machine }: Props) {
  const box = useRef<HTMLElement>(null);
  const answer = useMemo(() => totals && answerOf(probe, totals, usual), [probe, totals, usual]);
  const key = keyOfProbe(probe);
  const chosen = isAsked ? machine : undefined;
  const failing = answer?.readings.filter(hasFailed).map(({ uuid }) => uuid) ?? [];
  const mine = chosen !== undefined && failing.includes(chosen) ? [chosen] : failing;
  const failures = useFailures(probe, isOpen ? mine : failing.slice(0, NAMED), ms);
  useEffect(() => {
    if (isAsked) box.current?.scrollIntoView({ block: 'nearest' });
  }, [isAsked]);
  return (
    <section ref={box} class="card probes-target" aria-label={probe.target}>
      <header class="row wrap">
        <h2 class="grow">
          <button
            type="button"
            class="probes-name"
            aria-expanded={isOpen}
            title={isOpen ? t.probes.close(probe.target) : t.probes.open(probe.target)}
            onClick={() =>
              setQuery({ probe: isOpen ? undefined : key, machine: undefined }, { replace: false })
            }
          >
            <Icon of={isOpen ? ChevronDown : ChevronRight} />
            <span class="probes-word">{probe.target}</span>
            <span class="tag probe-kind">{t.probes.kinds[probe.kind]}</span>
          </button>
        </h2>
        {isOpen && <Jobs names={probe.jobs} />}
      </header>
      {answer ? <Sentence answer={answer} /> : <Skeleton rows={1} />}
      {answer && answer.away === answer.readings.length && answer.away <= NAMED && (
        <Away kind={probe.kind} readings={answer.readings} />
      )}
      {answer && !isOpen && (
        <Looks probe={probe} readings={answer.readings.filter(isBad)} failures={failures} />
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

const hasFailed = ({ mood }: Reading): boolean => mood === 'silent' || mood === 'lossy';

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

/** "28 of 31 machines, median 62 ms, slowest web-2 178 ms; 3 away". */
function Sentence({ answer }: { readonly answer: Answer }) {
  const { nameOf, of } = useMachines();
  const { readings, answered, median, slowest, silent } = answer;
  const waiting = readings.filter(
    ({ uuid, mood }) => mood === 'away' && isWaiting(of(uuid)),
  ).length;
  const away = answer.away - waiting;
  if (answer.away === readings.length)
    return <p class="muted">{away === 0 ? t.probes.notYet : t.probes.nothing}</p>;
  const figure = (ms: number) => format.text(format.milliseconds(ms));
  const parts = [
    t.probes.answers(answered, readings.length),
    median !== null && t.probes.medianOf(figure(median)),
    answered > 1 &&
      slowest?.of?.p50 != null &&
      t.probes.slowestIs(nameOf(slowest.uuid), figure(slowest.of.p50)),
  ].filter((part) => part !== false);
  const rest = [
    silent > 0 && t.probes.silentCount(silent),
    waiting > 0 && t.probes.notYetCount(waiting),
    away > 0 && t.probes.awayCount(away),
  ].filter((part) => part !== false);
  return (
    <p class="probes-answer">
      {parts.join(', ')}
      {rest.length > 0 && <span class="muted">{`; ${rest.join(', ')}`}</span>}
    </p>
  );
}

/** Named beside the sentence; the others are counted. */
const NAMED = 3;

interface LooksProps {
  readonly probe: Probe;
  readonly readings: readonly Reading[];
  readonly failures: Failures;
}

function Looks({ probe, readings, failures }: LooksProps) {
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
            onClick={() =>
              setQuery({ probe: keyOfProbe(probe), machine: reading.uuid }, { replace: false })
            }
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

/** Why a machine needs a look, in words. */
function whyOf({ uuid, mood, of, usual }: Reading, failures: Failures): string {
  const failure = failures.get(uuid);
  if (mood === 'silent')
    return failure ? `${failure.text || t.tasks.noReason} · ${sinceOf(failure)}` : t.probes.silent;
  if (mood === 'lossy') return t.probes.lost(format.text(lossFigure(of?.loss ?? 0)));
  if (mood !== 'slow' || of?.p50 == null || usual === undefined) return '';
  const figure = format.millisecondsOf([of.p50, usual]);
  return t.probes.instead(format.text(figure(of.p50)), format.text(figure(usual)));
}

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useMachines } from '../../../frame/index.ts';
import { Amount, format } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { type Job, workOf } from '../model.ts';
import type { Endings } from './endings.ts';
import type { Firing } from './firings.ts';
import { type Outcome, outcomeOf, type Part } from './outcome.ts';

interface Props {
  readonly job: Job;
  readonly firings: readonly Firing[];
  readonly endings: Endings;
}

/** Shown at once. */
const MOST_FIRINGS = 30;

/** The last runs of a job: each a sentence, and under it the machines. */
export function Runs({ job, firings, endings }: Props) {
  return (
    <ol class="jobs-firings">
      {firings.slice(0, MOST_FIRINGS).map((firing, at) => {
        const outcome = outcomeOf(firing, job, endings);
        return (
          <li key={firing.at}>
            <Fold
              isOpen={at === 0}
              head={
                <>
                  <span class={`jobs-dot ${outcome.mood}`} />
                  <span class="num">{format.dateTime(firing.at)}</span>
                  <Sentence job={job} outcome={outcome} />
                </>
              }
            >
              <Parts outcome={outcome} />
            </Fold>
          </li>
        );
      })}
    </ol>
  );
}

interface FoldProps {
  readonly head: ComponentChildren;
  readonly isOpen?: boolean;
  readonly children: ComponentChildren;
}

/** Part that folds; while it is folded its content is not drawn. */
function Fold({ head, isOpen = false, children }: FoldProps) {
  const [isShown, setShown] = useState(isOpen);
  return (
    <details open={isShown} onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
      <summary>{head}</summary>
      {isShown && children}
    </details>
  );
}

/** "28 of 31 machines, median 62 ms, slowest web-2 178 ms; 3 away". Of a script its end. */
function Sentence({ job, outcome }: { readonly job: Job; readonly outcome: Outcome }) {
  const { nameOf } = useMachines();
  const { parts, done, failed, running, away, mood, median, slowest } = outcome;
  if (workOf(job.cron_type).kind === 'script' || parts.length === 0)
    return <span class={`jobs-${mood}`}>{t.jobs.scriptMoods[mood]}</span>;
  const figure = (ms: number) => format.text(format.milliseconds(ms));
  const some = [
    t.jobs.tookPart(done + running, parts.length),
    median !== null && t.jobs.medianOf(figure(median)),
    done > 1 &&
      slowest?.value !== undefined &&
      t.jobs.slowestIs(nameOf(slowest.uuid ?? ''), figure(slowest.value)),
  ];
  const rest = [
    running > 0 && t.jobs.stillRunning(running),
    failed > 0 && t.jobs.failedCount(failed),
    away > 0 && t.jobs.awayCount(away),
  ];
  const texts = (all: readonly (string | false)[]) => all.filter((one) => one !== false).join(', ');
  return (
    <span>
      <span class={mood === 'fine' || mood === 'open' ? '' : `jobs-${mood}`}>{texts(some)}</span>
      {texts(rest) !== '' && <span class="muted">{`; ${texts(rest)}`}</span>}
    </span>
  );
}

/** Number of lines that are shown unfolded. */
const FEW = 8;
/** Names of a line; more are counted. */
const NAMED = 40;

function Parts({ outcome }: { readonly outcome: Outcome }) {
  const { parts } = outcome;
  const of = (state: Part['state']) => parts.filter((one) => one.state === state);
  const [failed, running, away] = [of('failed'), of('running'), of('away')];
  const done = of('done').toSorted((a, b) => (b.value ?? 0) - (a.value ?? 0));
  const lines = <Lines parts={done} />;
  return (
    <div class="jobs-parts">
      {failed.length > 0 && <Lines parts={failed} />}
      {running.length > 0 && <Names label={t.jobs.moods.open} parts={running} />}
      {away.length > 0 && <Names label={t.jobs.moods.away} parts={away} />}
      {done.length > FEW ? (
        <Fold head={t.jobs.withResult(done.length)}>{lines}</Fold>
      ) : (
        done.length > 0 && lines
      )}
    </div>
  );
}

function Names({ label, parts }: { readonly label: string; readonly parts: readonly Part[] }) {
  const { nameOf } = useMachines();
  const names = parts
    .map(({ uuid = '', text }) => [nameOf(uuid), text] as const)
    .sort(([one], [other]) => one.localeCompare(other, undefined, { numeric: true }))
    .slice(0, NAMED);
  return (
    <p class="muted">
      {label}:{' '}
      {names.map(([name, text], at) => (
        <span key={name} title={text}>
          {at > 0 && ', '}
          {name}
        </span>
      ))}
      {parts.length > NAMED && ` ${t.jobs.more(parts.length - NAMED)}`}
    </p>
  );
}

/** Characters of a result; the page of tasks has all. */
const MOST_TEXT = 400;

function Lines({ parts }: { readonly parts: readonly Part[] }) {
  const { nameOf } = useMachines();
  const figure = format.millisecondsOf(parts.map(({ value }) => value));
  return (
    <ul class="jobs-records">
      {parts.map(({ id, uuid, state, text, value }) => (
        <li key={id} class={value === undefined ? '' : 'jobs-figure'}>
          {uuid !== undefined && <strong class="ellipsis">{nameOf(uuid)}</strong>}
          {value !== undefined ? (
            <Amount of={figure(value)} />
          ) : text === undefined ? (
            <span class="muted">{t.jobs.noEnding}</span>
          ) : (
            <span class={state === 'failed' ? 'jobs-bad' : 'mono'}>
              {text.trimEnd().slice(0, MOST_TEXT) ||
                (state === 'failed' ? t.tasks.noReason : t.tasks.nothing)}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

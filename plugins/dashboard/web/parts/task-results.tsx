import { CircleCheck, CircleX, Clock3, LoaderCircle, TriangleAlert } from 'lucide';
import { useState } from 'preact/hooks';
import { useMachines } from '../frame/index.ts';
import { t } from '../strings/index.ts';
import { TaskError } from './allow.tsx';
import { Checkbox, CopyButton, format, Icon } from './index.ts';
import { compare, type Difference, type Line, linesOf } from './task-compare.ts';
import { kindOf, taskText } from './task-form.tsx';
import type { Outcome, Run } from './task-run.ts';
import './task-results.css';

/** One column a machine, as results come; what differs from most is marked. */
export function Results({ run }: { readonly run: Run }) {
  const { nameOf } = useMachines();
  const [isOnly, setOnly] = useState(false);
  const outcomes = run.outcomes.value;
  const kind = kindOf(run.task);
  const results = new Map<string, readonly Line[]>();
  for (const [uuid, { state, result }] of outcomes)
    if (state === 'done') results.set(uuid, linesOf(kind, result, milliseconds));
  const differences = compare(results);
  const isQuiet = (uuid: string) => differences.get(uuid)?.isSame === true;
  const same = run.uuids.filter(isQuiet).length;
  const shown = isOnly ? run.uuids.filter((uuid) => !isQuiet(uuid)) : run.uuids;
  return (
    <section class="stack" aria-label={t.tasks.results}>
      <header class="row wrap">
        <h2 class="grow ellipsis">
          {t.tasks.kinds[kind as 'ping']} <span class="muted mono">{taskText(run.task)}</span>
        </h2>
        {results.size > 1 && (
          <Checkbox label={t.tasks.onlyDifferent} checked={isOnly} onChange={setOnly} />
        )}
      </header>
      <p class="muted" role="status">
        {sentence(run, outcomes, same)}
      </p>
      <div class="tasks-grid" tabIndex={0} role="region" aria-label={t.tasks.results}>
        {shown.map((uuid) => (
          <Column
            key={uuid}
            name={nameOf(uuid)}
            outcome={outcomes.get(uuid) ?? { state: 'waiting' }}
            kind={kind}
            isAlone={run.uuids.length === 1}
            lines={results.get(uuid)}
            difference={differences.get(uuid)}
          />
        ))}
        {shown.length === 0 && <p class="muted">{t.tasks.allSame}</p>}
      </div>
    </section>
  );
}

export const milliseconds = (ms: number) => format.text(format.milliseconds(ms));

function sentence(run: Run, outcomes: ReadonlyMap<string, Outcome>, same: number): string {
  const all = [...outcomes.values()];
  const count = (state: Outcome['state']) => all.filter((one) => one.state === state).length;
  const open = count('waiting') + count('running');
  const parts = [
    open > 0 && !run.isOver.value
      ? t.tasks.open(open)
      : t.tasks.answered(count('done'), all.length),
    count('failed') > 0 && t.tasks.failed(count('failed')),
    count('stopped') > 0 && t.tasks.stopped(count('stopped')),
    count('done') > 1 && t.tasks.same(same, count('done')),
  ];
  return parts.filter((part) => part !== false).join(' · ');
}

interface ColumnProps {
  readonly name: string;
  readonly kind: string;
  readonly isAlone: boolean;
  readonly outcome: Outcome;
  readonly lines: readonly Line[] | undefined;
  readonly difference: Difference | undefined;
}

function Column({ name, kind, isAlone, outcome, lines, difference }: ColumnProps) {
  const { state, error, took_ms } = outcome;
  const isDifferent = difference !== undefined && !difference.isSame;
  const text = lines?.map((line) => [line.label, line.text].filter(Boolean).join(': ')).join('\n');
  return (
    <article class={`tasks-column ${state} ${isDifferent ? 'differs' : ''}`} aria-label={name}>
      <header class="row">
        <State state={state} isDifferent={isDifferent} />
        <h3 class="grow ellipsis" title={name}>
          {name}
        </h3>
        {took_ms !== undefined && (
          <span class="muted small num" title={t.tasks.took}>
            {milliseconds(took_ms)}
          </span>
        )}
        {text !== undefined && <CopyButton text={text} />}
      </header>
      {error !== undefined && <TaskError text={error} kind={kind} isAlone={isAlone} />}
      {state === 'stopped' && error === undefined && <p class="muted">{t.tasks.stoppedHere}</p>}
      {lines && <Lines lines={lines} difference={difference} />}
    </article>
  );
}

const icons = {
  waiting: Clock3,
  running: LoaderCircle,
  done: CircleCheck,
  failed: CircleX,
  stopped: Clock3,
};

function State({
  state,
  isDifferent,
}: {
  readonly state: Outcome['state'];
  readonly isDifferent: boolean;
}) {
  const label = isDifferent ? t.tasks.differs : t.tasks.states[state];
  const of = isDifferent ? TriangleAlert : icons[state];
  return <Icon of={of} label={label} class={state === 'running' ? 'spin' : ''} />;
}

/** Shown at once; the rest is copied. */
const MOST_LINES = 2_000;

export function Lines({
  lines,
  difference,
}: {
  readonly lines: readonly Line[];
  readonly difference?: Difference | undefined;
}) {
  if (lines.length === 0) return <p class="muted">{t.tasks.nothing}</p>;
  return (
    <>
      <pre class="tasks-lines" tabIndex={0}>
        {lines.slice(0, MOST_LINES).map(({ label, text }, at) => (
          <div key={at} class={difference?.differs[at] ? 'tasks-differs' : ''}>
            {label !== undefined && <span class="muted">{label} </span>}
            {text}
          </div>
        ))}
      </pre>
      {lines.length > MOST_LINES && (
        <p class="muted small">{t.tasks.moreLines(lines.length - MOST_LINES)}</p>
      )}
      {difference && difference.lacks.length > 0 && (
        <details class="small">
          <summary>{t.tasks.lacks(difference.lacks.length)}</summary>
          <pre class="tasks-lines muted">{difference.lacks.slice(0, 200).join('\n')}</pre>
        </details>
      )}
    </>
  );
}

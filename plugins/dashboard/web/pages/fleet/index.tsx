import { SearchX, Server as ServerIcon } from 'lucide';
import { Link, setQuery, to, useMachines } from '../../frame/index.ts';
import { Button, Empty, ErrorNote, Skeleton } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { MachineCard } from './card.tsx';
import { columnsOf } from './columns.tsx';
import { AddingMachine, AddMachine } from './dialogs/add.tsx';
import { ProblemText } from './figures.tsx';
import { FilterBar } from './filter-bar.tsx';
import { groupsOf, tagsOf } from './filters.ts';
import { FirstSteps } from './first-steps/list.tsx';
import './fleet.css';
import { Grid } from './grid.tsx';
import { type LiveFleet, useFleetNow, useLiveFleet } from './live.ts';
import type { Vital } from './model.ts';
import { type Troubled, useMonitorsInTrouble } from './monitors.ts';
import { type Problem, rankOf } from './problems.ts';
import { MachineTable } from './table.tsx';
import { Totals } from './totals.tsx';

/** Lines of "Needs attention" that are shown at once. */
const MOST_PROBLEMS = 5;

export default function FleetPage() {
  const machines = useMachines();
  const { followed, isReady, error } = useLiveFleet();
  return (
    <div class="page fleet">
      <h1 class="sr">{t.frame.pages.fleet}</h1>
      {machines.error !== undefined && (
        <ErrorNote
          what={t.fleet.unlisted}
          error={machines.error}
          onRetry={() => void machines.refresh()}
        />
      )}
      {error !== undefined && <ErrorNote what={t.fleet.notLive} error={error} />}
      {isReady ? <Content {...followed} /> : <Skeleton rows={6} height={64} />}
      <AddingMachine />
    </div>
  );
}

function Content({ fleet, history, abouts }: LiveFleet) {
  const { list, filters, vitals, problems, troubled, ...now } = useFleetNow(fleet);
  const monitors = useMonitorsInTrouble();
  const attention = <NeedsAttention vitals={troubled} monitors={monitors} problemsOf={problems} />;
  const needsLook = troubled.length + monitors.length > 0;
  if (vitals.length === 0)
    return list === undefined ? (
      <Skeleton rows={6} height={64} />
    ) : (
      <>
        {needsLook && attention}
        <NoMachines />
      </>
    );
  const columns = columnsOf(problems);
  return (
    <>
      <Totals figures={now.totals} agents={now.agents} />
      {needsLook && filters.state === 'all' && attention}
      {list && <FirstSteps machines={list} />}
      <FilterBar
        filters={filters}
        counts={now.counts}
        tags={tagsOf(vitals)}
        columns={columns.filter(({ isFixed }) => isFixed !== true)}
      />
      {now.shown.length === 0 ? (
        <NoMatch />
      ) : filters.view === 'cards' ? (
        <Grid
          groups={groupsOf(now.shown, filters.isGrouped, t.fleet.untagged)}
          card={(vital) => (
            <MachineCard
              key={vital.uuid}
              vital={vital}
              problems={problems(vital)}
              curve={history.of(vital.uuid)}
              about={abouts.of(vital.uuid)}
            />
          )}
        />
      ) : (
        <MachineTable
          vitals={now.shown}
          columns={columns.filter(({ id }) => !filters.hidden.includes(id))}
        />
      )}
    </>
  );
}

const NoMatch = () => (
  <Empty icon={SearchX} title={t.fleet.noMatch}>
    <Button onClick={() => setQuery({ q: undefined, tag: undefined, state: undefined })}>
      {t.fleet.showAll}
    </Button>
  </Empty>
);

interface AttentionProps {
  readonly vitals: readonly Vital[];
  readonly monitors: readonly Troubled[];
  readonly problemsOf: (vital: Vital) => readonly Problem[];
}

/** Machines and monitors that are not fine float to the top; nothing else moves by itself. */
function NeedsAttention({ vitals, monitors, problemsOf: of }: AttentionProps) {
  const rank = (vital: Vital) => Math.min(...of(vital).map(rankOf));
  const worstFirst = vitals.toSorted((a, b) => rank(a) - rank(b));
  return (
    <section class="fleet-look card flush" aria-labelledby="fleet-look">
      <header class="card-head">
        <h2 id="fleet-look" class="grow">
          {t.fleet.look}
        </h2>
        {vitals.length > MOST_PROBLEMS && (
          <Button onClick={() => setQuery({ state: 'look' })}>
            {t.fleet.allOf(vitals.length)}
          </Button>
        )}
      </header>
      <ul>
        {monitors.slice(0, MOST_PROBLEMS).map(({ name, problems }) => (
          <li key={`monitor ${name}`}>
            <Link to={to('monitors', name)} class="fleet-name ellipsis">
              {name}
            </Link>
            <span class="fleet-problems">
              {problems.map((problem) => (
                <ProblemLine key={problem.kind} problem={problem} />
              ))}
            </span>
          </li>
        ))}
        {monitors.length > MOST_PROBLEMS && (
          <li>
            <Link to={to('monitors', { state: 'down' })}>
              {t.fleet.moreMonitors(monitors.length - MOST_PROBLEMS)}
            </Link>
          </li>
        )}
        {worstFirst.slice(0, MOST_PROBLEMS).map((vital) => (
          <li key={vital.uuid}>
            <Link to={to('agent', vital.uuid)} class="fleet-name ellipsis">
              {vital.name}
            </Link>
            <span class="fleet-problems">
              {of(vital)
                .filter(({ isQuiet }) => isQuiet !== true)
                .map((problem) => (
                  <ProblemLine key={problem.kind} problem={problem} />
                ))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** One problem; one that is an alert leads to it. */
function ProblemLine({ problem }: { readonly problem: Problem }) {
  const { kind, mood, text } = problem;
  const [, id] = kind.split(' ');
  const content = <ProblemText of={problem} text={text} />;
  if (id !== undefined)
    return (
      <Link to={to('alerts', id)} class={`fleet-state ${mood}`} title={text}>
        {content}
      </Link>
    );
  return (
    <span class={`fleet-state ${mood}`} title={text}>
      {content}
    </span>
  );
}

/** The first steps. */
function NoMachines() {
  return (
    <Empty icon={ServerIcon} title={t.fleet.none}>
      <p>{t.fleet.noneText}</p>
      <AddMachine primary />
    </Empty>
  );
}

import type { Subscription } from '@svc/client';
import { SearchX, Server as ServerIcon } from 'lucide';
import { useEffect, useMemo } from 'preact/hooks';
import {
  address,
  fleetStream,
  Link,
  setQuery,
  to,
  useLive,
  useMachines,
  useServer,
} from '../../frame/index.ts';
import { Button, Empty, ErrorNote, Icon, Skeleton } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { Abouts } from './about.ts';
import { MachineCard } from './card.tsx';
import { AddingMachine, AddMachine } from './dialogs/add.tsx';
import { FilterBar } from './filter-bar.tsx';
import { filtered, filtersOf, groupsOf, tagsOf } from './filters.ts';
import { useFirstNames } from './first-names.ts';
import { FirstSteps } from './first-steps.tsx';
import './fleet.css';
import { columnsOf } from './columns.tsx';
import { History } from './curves.ts';
import { Grid } from './grid.tsx';
import { Fleet, type Summary, totalsOf, type Vital } from './model.ts';
import { useNotes } from './notes.ts';
import { type Problem, problemsOf } from './problems.ts';
import { MachineTable } from './table.tsx';
import { Totals } from './totals.tsx';
import { useTraffic } from './traffic.ts';

/** Lines of "Needs a look" that are shown at once. */
const MOST_PROBLEMS = 5;

interface Item {
  readonly agents: readonly (Summary & { readonly uuid?: string })[];
}

export default function FleetPage() {
  const server = useServer();
  const machines = useMachines();
  const { fleet, history, abouts } = useMemo(() => {
    const made = new Fleet();
    return {
      fleet: made,
      history: new History(server, made),
      abouts: new Abouts(server, made),
    };
  }, [server]);
  const isLost = server.connection.value.state !== 'open';
  useEffect(() => {
    fleet.freeze(isLost);
    if (!isLost) fleet.begin();
  }, [fleet, isLost]);
  useEffect(() => {
    const timer = setInterval(() => fleet.tick(), fleetStream.params.interval_ms);
    return () => {
      clearInterval(timer);
      fleet.close();
      history.close();
      abouts.close();
    };
  }, [fleet]);
  useEffect(() => {
    if (machines.list) fleet.learnTime(machines.list);
  }, [machines.list]);
  const live = useLive(
    server.origin,
    server.holds(fleetStream.right, 'read')
      ? () =>
          (server.takeFleet() ??
            server.subscribe(
              'agent_subscribe',
              fleetStream.params,
              fleetStream.options,
            )) as Subscription<Item>
      : undefined,
    ({ agents }) => {
      fleet.take(agents);
      history.take(agents);
    },
  );
  const isReady = machines.list !== undefined || live.state === 'live';
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
      {live.error !== undefined && <ErrorNote what={t.fleet.notLive} error={live.error} />}
      {isReady ? (
        <Content fleet={fleet} history={history} abouts={abouts} />
      ) : (
        <Skeleton rows={6} height={64} />
      )}
      <AddingMachine />
    </div>
  );
}

interface ContentProps {
  readonly fleet: Fleet;
  readonly history: History;
  readonly abouts: Abouts;
}

function Content({ fleet, history, abouts }: ContentProps) {
  const server = useServer();
  const machines = useMachines();
  // Reading it makes this component follow it.
  void fleet.version.value;
  const filters = filtersOf(address.value.query);
  const vitals = fleet.vitals(machines.list ?? []);
  useFirstNames(vitals);
  const notes = useNotes(server, machines.list);
  const cache = new Map<Vital, Problem[]>();
  const problems = (vital: Vital) => {
    const known = cache.get(vital) ?? problemsOf(vital, notes.get(vital.uuid), server.version);
    cache.set(vital, known);
    return known;
  };
  const agents = (machines.list ?? [])
    .map(({ uuid }) => uuid)
    .filter((uuid) => server.covers(fleetStream.right, 'read', uuid));
  const traffic = useTraffic(server, agents);
  if (vitals.length === 0)
    return machines.list === undefined ? <Skeleton rows={6} height={64} /> : <NoMachines />;
  const troubled = vitals.filter((vital) => problems(vital).length > 0);
  const totals = totalsOf(vitals);
  const shown = filtered(vitals, filters, problems);
  const columns = columnsOf(problems);
  return (
    <>
      <Totals figures={totals} agents={agents} traffic={traffic} server={server} />
      {troubled.length > 0 && filters.state === 'all' && (
        <NeedsALook vitals={troubled} problemsOf={problems} />
      )}
      {machines.list && <FirstSteps machines={machines.list} />}
      <FilterBar
        filters={filters}
        counts={{
          all: vitals.length,
          online: totals.online,
          offline: vitals.length - totals.online,
          look: troubled.length,
        }}
        tags={tagsOf(vitals)}
        columns={columns
          .filter(({ isFixed }) => isFixed !== true)
          .map(({ id, label }) => ({ id, label: String(label) }))}
      />
      {shown.length === 0 ? (
        <Empty icon={SearchX} title={t.fleet.noMatch}>
          <Button onClick={() => setQuery({ q: undefined, tag: undefined, state: undefined })}>
            {t.fleet.showAll}
          </Button>
        </Empty>
      ) : filters.view === 'cards' ? (
        <Grid
          groups={groupsOf(shown, filters.isGrouped, t.fleet.untagged)}
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
          vitals={shown}
          columns={columns.filter(({ id }) => !filters.hidden.includes(id))}
        />
      )}
    </>
  );
}

interface LookProps {
  readonly vitals: readonly Vital[];
  readonly problemsOf: (vital: Vital) => readonly Problem[];
}

/** What is not fine floats to the top; nothing else moves by itself. */
function NeedsALook({ vitals, problemsOf: of }: LookProps) {
  const worstFirst = vitals.toSorted(
    (a, b) => Number(of(a)[0]?.mood === 'warn') - Number(of(b)[0]?.mood === 'warn'),
  );
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
        {worstFirst.slice(0, MOST_PROBLEMS).map((vital) => (
          <li key={vital.uuid}>
            <Link to={to('agent', vital.uuid)} class="fleet-name ellipsis">
              {vital.name}
            </Link>
            <span class="fleet-problems">
              {of(vital).map(({ kind, mood, icon, text }) => (
                <span key={kind} class={`fleet-state ${mood}`} title={text}>
                  <Icon of={icon} size={14} />
                  <span class="ellipsis">{text}</span>
                </span>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </section>
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

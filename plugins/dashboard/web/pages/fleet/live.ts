import type { Subscription } from '@svc/client';
import { useEffect, useMemo } from 'preact/hooks';
import {
  address,
  fleetStream,
  seesAlerts,
  useAlertWords,
  useLive,
  useMachines,
  useOpenAlerts,
  useServer,
} from '../../frame/index.ts';
import type { Alert } from '../../parts/alert/index.ts';
import { grouped } from '../../parts/grouped.ts';
import { Abouts } from './about.ts';
import { History } from './curves.ts';
import { filtered, filtersOf } from './filters.ts';
import { useFirstNames } from './first-names.ts';
import { Fleet, type Summary, totalsOf, type Vital } from './model.ts';
import { useNotes } from './notes.ts';
import { needsLook, type Problem, problemsOf } from './problems.ts';

interface Item {
  readonly agents: readonly (Summary & { readonly uuid?: string })[];
}

export interface LiveFleet {
  readonly fleet: Fleet;
  readonly history: History;
  readonly abouts: Abouts;
}

/** Fleet that follows its stream while the page is shown, with what its cards show in addition to the figures. */
export function useLiveFleet() {
  const server = useServer();
  const machines = useMachines();
  const followed: LiveFleet = useMemo(() => {
    const fleet = new Fleet();
    return { fleet, history: new History(server, fleet), abouts: new Abouts(server, fleet) };
  }, [server]);
  const { fleet, history, abouts } = followed;
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
  const { params, options, right } = fleetStream;
  const subscribe = () =>
    (server.claimFleet() ??
      server.subscribe('agent_subscribe', params, options)) as Subscription<Item>;
  const live = useLive(
    server.origin,
    server.holds(right, 'read') ? subscribe : undefined,
    ({ agents }) => {
      fleet.add(agents);
      history.add(agents);
    },
  );
  const isReady = machines.list !== undefined || live.state === 'live';
  return { followed, isReady, error: live.error };
}

/** Fleet at this moment: its machines, their problems, and those that the address asks for. */
export function useFleetNow(fleet: Fleet) {
  const server = useServer();
  const { list } = useMachines();
  // Reading it makes the component follow it.
  void fleet.version.value;
  const filters = filtersOf(address.value.query);
  const vitals = fleet.vitals(list ?? []);
  useFirstNames(vitals);
  const notes = useNotes(server, list);
  const alertsOf = useAlertsOf();
  const words = useAlertWords();
  const cache = new Map<Vital, Problem[]>();
  const problems = (vital: Vital): readonly Problem[] => {
    const found =
      cache.get(vital) ??
      problemsOf(vital, {
        note: notes.get(vital.uuid),
        serverVersion: server.version,
        alerts: alertsOf(vital.uuid),
        words,
      });
    cache.set(vital, found);
    return found;
  };
  const troubled = vitals.filter((vital) => needsLook(problems(vital)));
  const totals = totalsOf(vitals);
  return {
    ...{ list, filters, vitals, problems, troubled, totals },
    /** Machines whose figures the token may read. */
    agents: (list ?? [])
      .map(({ uuid }) => uuid)
      .filter((uuid) => server.covers(fleetStream.right, 'read', uuid)),
    shown: filtered(vitals, filters, problems),
    counts: {
      all: vitals.length,
      online: totals.online,
      offline: vitals.length - totals.online,
      look: troubled.length,
    },
  };
}

const NONE: readonly Alert[] = [];

/** Open alerts of each machine; undefined for machines whose alerts this token may not see. */
function useAlertsOf(): (uuid: string) => readonly Alert[] | undefined {
  const server = useServer();
  const { list } = useOpenAlerts();
  const byUuid = useMemo(
    () => grouped(list ?? NONE, ({ subject }) => (subject.kind === 'agent' ? subject.id : '')),
    [list],
  );
  const sees = seesAlerts(server) && list !== undefined;
  return (uuid) =>
    sees && server.covers('alert', 'read', uuid) ? (byUuid.get(uuid) ?? NONE) : undefined;
}

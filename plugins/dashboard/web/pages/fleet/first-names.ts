import { useEffect, useRef } from 'preact/hooks';
import { type Machine, useMachines, useServer } from '../../frame/index.ts';
import type { Vital } from './model.ts';

/** The list is asked again so soon for a machine that reports and has no name, ms. */
const EVERY_MS = 1_000;
/** Calls for one machine; then the list's own rhythm holds: there are agents that tell their host name late or never. */
const MOST = 3;

const isNameless = (machine: Machine | undefined) =>
  machine === undefined || (machine.given_name === null && machine.host_name === null);

/** Reads the list of machines again soon after a new one reports, so that its UUID gives way to its name. */
export function useFirstNames(vitals: readonly Vital[]): void {
  const server = useServer();
  const { refresh } = useMachines();
  const calls = useRef(new Map<string, number>()).current;
  const refreshDue = useRef(() => {});
  refreshDue.current = () => {
    if (document.hidden || server.connection.value.state !== 'open') return;
    const isDue = ({ uuid, isOnline, machine }: Vital) =>
      isOnline && isNameless(machine) && (calls.get(uuid) ?? 0) < MOST;
    const due = vitals.filter(isDue);
    for (const { uuid } of due) calls.set(uuid, (calls.get(uuid) ?? 0) + 1);
    if (due.length > 0) void refresh();
  };
  useEffect(() => {
    const timer = setInterval(() => refreshDue.current(), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
}

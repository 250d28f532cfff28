import { type Signal, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { mayList } from './limit.ts';
import { type Listed, listed } from './listed.ts';
import { type Server, useServer } from './server.ts';

/** One agent as people know it. Null: not known, or not for this token. */
export interface Machine {
  readonly uuid: string;
  /** Name that people gave it, else the one of its system, else its UUID. Two of the same name show their UUIDs, too. */
  readonly name: string;
  /** Name that people gave it. */
  readonly given_name: string | null;
  /** Name by its system. */
  readonly host_name: string | null;
  readonly tags: readonly string[] | null;
  /** Unix ms, by the server's clock. */
  readonly last_seen: number | null;
  readonly address: string | null;
  readonly version: string | null;
  readonly connected_for_tasks: boolean | null;
  /** Answer of the agent; false: it reports, and has tasks switched off. */
  readonly tasks_allowed: boolean | null;
  readonly last_refusal: {
    readonly time: number;
    readonly code: number;
    readonly reason: string;
  } | null;
  readonly first_seen: number | null;
}

export interface Machines {
  /** Machines by name, then UUID. Undefined: the first answer has not come. */
  readonly list: readonly Machine[] | undefined;
  readonly error: unknown;
  readonly of: (uuid: string) => Machine | undefined;
  /** Returns the name of a machine, also where it is not in the list. */
  readonly nameOf: (uuid: string) => string;
  readonly refresh: () => Promise<void>;
}

/** Period of reading again while a component shows the list, ms. */
const EVERY_MS = 30_000;

interface State {
  readonly list?: readonly Machine[];
  readonly byUuid?: ReadonlyMap<string, Machine>;
  readonly error?: unknown;
}
interface Entry {
  readonly state: Signal<State>;
  users: number;
  running: Promise<void> | undefined;
  /** Unix ms. */
  readAt: number;
  /** List that was asked for at log-in and is not here yet. */
  first: Promise<readonly Listed[]> | undefined;
}
const entries = new WeakMap<Server, Entry>();

function entryOf(server: Server): Entry {
  const found = entries.get(server) ?? newEntry(server);
  entries.set(server, found);
  return found;
}

/** Starts with the list of the log-in, where it has come: the first drawing shows it. */
function newEntry(server: Server): Entry {
  const first = mayList(server) ? server.claimMachines() : undefined;
  if (first === undefined || first instanceof Promise)
    return { state: signal<State>({}), users: 0, running: undefined, readAt: 0, first };
  const state = signal(stateOf(inOrder(withNames(first))));
  return { state, users: 0, running: undefined, readAt: Date.now(), first: undefined };
}

const stateOf = (list: readonly Machine[]): State => ({
  list,
  byUuid: new Map(list.map((one) => [one.uuid, one])),
});

/** The agents that this token may see, one list for all pages. */
export function useMachines(): Machines {
  const server = useServer();
  const entry = entryOf(server);
  const isOpen = server.connection.value.state === 'open';
  useEffect(() => {
    if (!isOpen) return;
    entry.users++;
    if (Date.now() - entry.readAt > EVERY_MS / 2) void refresh(server, entry);
    const timer = setInterval(() => {
      if (!document.hidden && Date.now() - entry.readAt > EVERY_MS / 2) void refresh(server, entry);
    }, EVERY_MS);
    return () => {
      entry.users--;
      clearInterval(timer);
    };
  }, [server, isOpen]);
  const { list, byUuid, error } = entry.state.value;
  return {
    list,
    error,
    of: (uuid) => byUuid?.get(uuid),
    nameOf: (uuid) => byUuid?.get(uuid)?.name ?? shortId(uuid),
    refresh: () => refresh(server, entry),
  };
}

/** Stands for an agent without a name. */
export const shortId = (uuid: string): string => uuid.slice(0, 8);

/** Reads once at a time: callers meanwhile wait for the same answer. */
function refresh(server: Server, entry: Entry): Promise<void> {
  const { first } = entry;
  entry.first = undefined;
  entry.running ??= listed(server, first)
    .then(
      (list) => {
        entry.readAt = Date.now();
        entry.state.value = stateOf(inOrder(withNames(list)));
      },
      (error: unknown) => {
        entry.state.value = { ...entry.state.value, error };
      },
    )
    .finally(() => {
      entry.running = undefined;
    });
  return entry.running;
}

/** Gives each machine its name. */
export function withNames(list: readonly Listed[]): readonly Machine[] {
  const nameOf = ({ uuid, name, host_name }: Listed) => name ?? host_name ?? shortId(uuid);
  const counts = new Map<string, number>();
  for (const one of list) counts.set(nameOf(one), (counts.get(nameOf(one)) ?? 0) + 1);
  return list.map((one) => {
    const name = nameOf(one);
    const isOnly = counts.get(name) === 1 || name === shortId(one.uuid);
    return {
      ...one,
      name: isOnly ? name : `${name} (${shortId(one.uuid)})`,
      given_name: one.name,
      host_name: one.host_name ?? null,
    };
  });
}

/** Sorts by name; machines without one come last. */
function inOrder(list: readonly Machine[]): readonly Machine[] {
  const order = new Intl.Collator(undefined, { numeric: true });
  const isBare = ({ given_name, host_name }: Machine) => given_name === null && host_name === null;
  return list.toSorted((a, b) => {
    if (isBare(a) !== isBare(b)) return isBare(a) ? 1 : -1;
    return order.compare(a.name, b.name) || (a.uuid < b.uuid ? -1 : 1);
  });
}

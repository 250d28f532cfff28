import { type Signal, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { mayList } from './limit.ts';
import { type Listed, listed } from './listed.ts';
import { type Server, useServer } from './server.ts';

/** One agent as people know it. Null: not known, or not for this token. */
export interface Machine {
  readonly uuid: string;
  /** What it is called: as people named it, else as its system does, else by its UUID. Two of one name tell their UUIDs, too. */
  readonly name: string;
  /** As people named it. */
  readonly given_name: string | null;
  /** As its system calls it. */
  readonly host_name: string | null;
  readonly tags: readonly string[] | null;
  /** Unix ms, by the server's clock. */
  readonly last_seen: number | null;
  readonly address: string | null;
  readonly version: string | null;
  readonly connected_for_tasks: boolean | null;
  /** False: it reports, and has tasks switched off. */
  readonly tasks_allowed: boolean | null;
  readonly last_refusal: {
    readonly time: number;
    readonly code: number;
    readonly reason: string;
  } | null;
  readonly first_seen: number | null;
}

export interface Machines {
  /** By name, then UUID. Undefined: the first answer has not come. */
  readonly list: readonly Machine[] | undefined;
  readonly error: unknown;
  readonly of: (uuid: string) => Machine | undefined;
  /** What it is called, also where it is not in the list. */
  readonly nameOf: (uuid: string) => string;
  readonly refresh: () => Promise<void>;
}

/** What is read again while somebody shows it, ms. */
const EVERY_MS = 30_000;

interface State {
  readonly list?: readonly Machine[];
  readonly byUuid?: ReadonlyMap<string, Machine>;
  readonly error?: unknown;
}
interface Kept {
  readonly state: Signal<State>;
  users: number;
  running: Promise<void> | undefined;
  /** Unix ms. */
  readAt: number;
  /** Asked for at log-in and not here yet. */
  first: Promise<readonly Listed[]> | undefined;
}
const kept = new WeakMap<Server, Kept>();

function keptOf(server: Server): Kept {
  const found = kept.get(server) ?? begin(server);
  kept.set(server, found);
  return found;
}

/** With the list of the log-in, where it is here: the first drawing shows it. */
function begin(server: Server): Kept {
  const first = mayList(server) ? server.takeMachines() : undefined;
  if (first === undefined || first instanceof Promise)
    return { state: signal<State>({}), users: 0, running: undefined, readAt: 0, first };
  const state = signal(stateOf(inOrder(called(first))));
  return { state, users: 0, running: undefined, readAt: Date.now(), first: undefined };
}

const stateOf = (list: readonly Machine[]): State => ({
  list,
  byUuid: new Map(list.map((one) => [one.uuid, one])),
});

/** The agents that this token may see, one list for all pages. */
export function useMachines(): Machines {
  const server = useServer();
  const mine = keptOf(server);
  const isOpen = server.connection.value.state === 'open';
  useEffect(() => {
    if (!isOpen) return;
    mine.users++;
    if (Date.now() - mine.readAt > EVERY_MS / 2) void refresh(server, mine);
    const timer = setInterval(() => {
      if (!document.hidden && Date.now() - mine.readAt > EVERY_MS / 2) void refresh(server, mine);
    }, EVERY_MS);
    return () => {
      mine.users--;
      clearInterval(timer);
    };
  }, [server, isOpen]);
  const { list, byUuid, error } = mine.state.value;
  return {
    list,
    error,
    of: (uuid) => byUuid?.get(uuid),
    nameOf: (uuid) => byUuid?.get(uuid)?.name ?? shortId(uuid),
    refresh: () => refresh(server, mine),
  };
}

/** For an agent without a name. */
export const shortId = (uuid: string): string => uuid.slice(0, 8);

/** Reads once at a time: whoever asks meanwhile waits for the same answer. */
function refresh(server: Server, mine: Kept): Promise<void> {
  const { first } = mine;
  mine.first = undefined;
  mine.running ??= listed(server, first)
    .then(
      (list) => {
        mine.readAt = Date.now();
        mine.state.value = stateOf(inOrder(called(list)));
      },
      (error: unknown) => {
        mine.state.value = { ...mine.state.value, error };
      },
    )
    .finally(() => {
      mine.running = undefined;
    });
  return mine.running;
}

/** Decides what each machine is called. */
export function called(list: readonly Listed[]): readonly Machine[] {
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

/** By name; machines without one stand behind the others. */
function inOrder(list: readonly Machine[]): readonly Machine[] {
  const order = new Intl.Collator(undefined, { numeric: true });
  const isBare = ({ given_name, host_name }: Machine) => given_name === null && host_name === null;
  return list.toSorted((a, b) => {
    if (isBare(a) !== isBare(b)) return isBare(a) ? 1 : -1;
    return order.compare(a.name, b.name) || (a.uuid < b.uuid ? -1 : 1);
  });
}

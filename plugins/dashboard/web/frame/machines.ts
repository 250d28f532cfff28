import { type Signal, signal } from '@preact/signals';
import { RpcError } from '@svc/client';
import { useEffect } from 'preact/hooks';
import { word } from './meta.ts';
import { type Server, useServer } from './server.ts';

/** One agent as people know it. Null: not known, or not for this token. */
export interface Machine {
  readonly uuid: string;
  readonly name: string | null;
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
  /** Its name; the beginning of its UUID where it has none. */
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
  first: Promise<readonly Machine[]> | undefined;
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
  const state = signal(stateOf(inOrder(first)));
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
  mine.running ??= listed(server, mine)
    .then(
      (list) => {
        mine.readAt = Date.now();
        mine.state.value = stateOf(inOrder(list));
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

const UNKNOWN = {
  name: null,
  tags: null,
  last_seen: null,
  address: null,
  version: null,
  connected_for_tasks: null,
  tasks_allowed: null,
  last_refusal: null,
  first_seen: null,
};

function inOrder(list: readonly Machine[]): readonly Machine[] {
  const order = new Intl.Collator(undefined, { numeric: true });
  return list.toSorted((a, b) => {
    if (a.name !== null && b.name !== null) return order.compare(a.name, b.name);
    if (a.name !== b.name) return a.name === null ? 1 : -1;
    return a.uuid < b.uuid ? -1 : 1;
  });
}

const mayList = ({ has, holds }: Server): boolean =>
  has('agent-uuid') && (holds('monitoring_uuid', 'list') || holds(word, 'list_all_agent_uuid'));

async function listed(server: Server, mine: Kept): Promise<readonly Machine[]> {
  // Without the right to list, the token knows those that it names.
  if (!mayList(server)) return server.agents.map((uuid) => ({ uuid, ...UNKNOWN }));
  const { first } = mine;
  mine.first = undefined;
  try {
    return await (first ?? server.call('agent-uuid_list'));
  } catch (error) {
    // A server that lacks the method knows agents by their UUIDs.
    if (!(error instanceof RpcError) || error.code !== -32601) throw error;
    const { uuids } = await server.call('svc-server_list_all_agent_uuid');
    return uuids.map((uuid) => ({ uuid, ...UNKNOWN }));
  }
}

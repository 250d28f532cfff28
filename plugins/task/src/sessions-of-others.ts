import type { Bus } from '@svc/plugin-sdk';

/** Agents of one message. */
const BATCH = 1_000;
const SESSIONS = 'task.sessions';

/** An agent and since when its connection is registered: Unix ms, greater than that of every earlier one. */
type Registered = readonly [uuid: string, since: number];

/** `all`: forget what I told before, this is the beginning of everything I have; `ask`: tell me all of yours. */
interface SessionsMessage {
  readonly all?: true;
  readonly open?: readonly Registered[];
  readonly closed?: readonly string[];
  readonly ask?: true;
}

export interface OthersOptions {
  readonly bus: Bus;
  readonly stopping: AbortSignal;
  /** The agents of this server. */
  readonly own: () => Iterable<Registered>;
  readonly ownSince: (uuid: string) => number | undefined;
  /** Another server has a later registration of this agent. */
  readonly displaced: (uuid: string) => void;
}

/** Which other server has which agent. Known beforehand, so that an unknown agent is refused without asking anybody. */
export interface Others {
  opened(uuid: string, since: number): void;
  closed(uuid: string): void;
  /** The server that has this agent. */
  serverOf(uuid: string): string | undefined;
  /** When the agent registered there. */
  since(uuid: string): number | undefined;
}

export function createOthers(options: OthersOptions): Others {
  const { bus, stopping, own, ownSince, displaced } = options;
  const agents = new Map<string, { readonly server: string; readonly since: number }>();

  // Everything by `publish`: only then it arrives in the order in which it happened.
  const tell = (message: SessionsMessage) => bus.publish(SESSIONS, message);

  const tellAll = (): void => {
    const open = [...own()];
    tell({ all: true, open: open.slice(0, BATCH) });
    for (let at = BATCH; at < open.length; at += BATCH) tell({ open: open.slice(at, at + BATCH) });
  };

  const forget = (server: string): void => {
    for (const [uuid, known] of agents) if (known.server === server) agents.delete(uuid);
  };

  /** The later registration wins; of two at once the one of the greater server id, everywhere alike. */
  const isLater = (since: number, server: string, uuid: string): boolean => {
    const mine = ownSince(uuid);
    if (mine !== undefined) return since > mine || (since === mine && server > bus.id);
    const known = agents.get(uuid);
    if (!known || known.server === server) return true;
    return since > known.since || (since === known.since && server > known.server);
  };

  const hear = (from: string, { all, open, closed, ask }: SessionsMessage): void => {
    if (all) forget(from);
    for (const [uuid, since] of open ?? []) {
      if (!isLater(since, from, uuid)) continue;
      agents.set(uuid, { server: from, since });
      displaced(uuid);
    }
    for (const uuid of closed ?? []) if (agents.get(uuid)?.server === from) agents.delete(uuid);
    if (ask && !stopping.aborted) tellAll();
  };

  bus.subscribe(SESSIONS, (payload, { id, own: mine }) => {
    if (!mine) hear(id, payload as SessionsMessage);
  });
  bus.watch((event) => {
    if (event.kind === 'left') forget(event.server.id);
    else if (event.kind === 'joined') {
      if (!stopping.aborted) tellAll();
    } else if (!event.direct) {
      if (event.from === undefined) tell({ ask: true });
      else bus.send(event.from, SESSIONS, { ask: true } satisfies SessionsMessage);
    }
  });
  // Before the connections are closed, so that nobody hands over a task meanwhile.
  stopping.addEventListener('abort', () => tell({ all: true }), { once: true });

  return {
    opened(uuid, since) {
      agents.delete(uuid);
      tell({ open: [[uuid, since]] });
    },
    closed(uuid) {
      // The farewell has told of all of them.
      if (!stopping.aborted) tell({ closed: [uuid] });
    },
    serverOf: (uuid) => agents.get(uuid)?.server,
    since: (uuid) => agents.get(uuid)?.since,
  };
}

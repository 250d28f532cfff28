import { type Messaging, type Payload, type Static, Type, topic } from '@svc/plugin-sdk';

/** Agents of one message. */
const BATCH = 1_000;

/** An agent and the Unix ms of its registration; greater than that of every earlier registration. */
const Registered = Type.Tuple([Type.String(), Type.Number()]);
type Registered = Payload<Static<typeof Registered>>;

/** `all`: the receiver forgets what this server told before; this is the beginning of all its agents. `ask`: tell me yours. */
const AgentSessions = topic(
  'task.sessions',
  Type.Object({
    all: Type.Optional(Type.Literal(true)),
    open: Type.Optional(Type.Array(Registered)),
    closed: Type.Optional(Type.Array(Type.String())),
    ask: Type.Optional(Type.Literal(true)),
  }),
);
type SessionsMessage = Payload<Static<typeof AgentSessions.payload>>;

/** What the directory needs to know of this server's agents. */
export interface OwnAgents {
  readonly own: () => readonly Registered[];
  readonly ownSince: (uuid: string) => number | undefined;
  /** Another server has a later registration of this agent. */
  readonly displaced: (uuid: string) => void;
}

/** Which other server has which agent. Kept in advance, so that an unknown agent is refused without asking the servers. */
export class AgentDirectory {
  readonly #messaging: Messaging;
  readonly #stopping: AbortSignal;
  readonly #agents: OwnAgents;
  readonly #known = new Map<string, { readonly server: string; readonly since: number }>();

  constructor(messaging: Messaging, stopping: AbortSignal, agents: OwnAgents) {
    this.#messaging = messaging;
    this.#stopping = stopping;
    this.#agents = agents;
    const { bus } = messaging;
    messaging.subscribe(AgentSessions, (message, { id, own: mine }) => {
      if (!mine) this.#receive(id, message);
    });
    bus.watch((event) => {
      if (event.kind === 'left') this.#forget(event.server.id);
      else if (event.kind === 'joined') this.#tellAll();
      else if (!event.direct) {
        if (event.from === undefined) this.#tell({ ask: true });
        else bus.send(event.from, AgentSessions, { ask: true });
      }
    });
    // Before the connections are closed, so that no server hands over a task meanwhile.
    stopping.addEventListener('abort', () => this.#tell({ all: true }), { once: true });
  }

  opened(uuid: string, since: number): void {
    this.#known.delete(uuid);
    this.#tell({ open: [[uuid, since]] });
  }

  closed(uuid: string): void {
    // The message at the stop has told of all agents.
    if (!this.#stopping.aborted) this.#tell({ closed: [uuid] });
  }

  /** The other server that has this agent. */
  serverOf(uuid: string): string | undefined {
    return this.#known.get(uuid)?.server;
  }

  /** Unix ms of the agent's registration on the other server. */
  since(uuid: string): number | undefined {
    return this.#known.get(uuid)?.since;
  }

  /** Always with `publish`: only published messages keep their order among each other. */
  #tell(message: SessionsMessage): void {
    this.#messaging.publish(AgentSessions, message);
  }

  #tellAll(): void {
    if (this.#stopping.aborted) return;
    const open = this.#agents.own();
    this.#tell({ all: true, open: open.slice(0, BATCH) });
    for (let at = BATCH; at < open.length; at += BATCH) {
      this.#tell({ open: open.slice(at, at + BATCH) });
    }
  }

  #receive(from: string, { all, open, closed, ask }: SessionsMessage): void {
    if (all) this.#forget(from);
    for (const [uuid, since] of open ?? []) {
      if (!this.#isLater(since, from, uuid)) continue;
      this.#known.set(uuid, { server: from, since });
      this.#agents.displaced(uuid);
    }
    for (const uuid of closed ?? []) if (this.serverOf(uuid) === from) this.#known.delete(uuid);
    if (ask) this.#tellAll();
  }

  #forget(server: string): void {
    for (const [uuid, known] of this.#known) {
      if (known.server === server) this.#known.delete(uuid);
    }
  }

  /** The later registration wins. Of two with the same time the greater server id wins, on every server alike. */
  #isLater(since: number, server: string, uuid: string): boolean {
    const mine = this.#agents.ownSince(uuid);
    if (mine !== undefined)
      return since > mine || (since === mine && server > this.#messaging.bus.id);
    const known = this.#known.get(uuid);
    if (!known || known.server === server) return true;
    return since > known.since || (since === known.since && server > known.server);
  }
}

import { Int64, type Messaging, type Payload, type Static, Type, topic } from '@svc/plugin-sdk';

/** One terminal: its agent (lower-case hyphenated), its id and the task that opened it. */
const Place = Type.Object({ agentUuid: Type.String(), terminalId: Type.String(), taskId: Int64 });
export type Place = Payload<Static<typeof Place>>;

export const keyOf = ({ agentUuid, terminalId }: Pick<Place, 'agentUuid' | 'terminalId'>): string =>
  `${agentUuid}/${terminalId}`;

/** `all`: the receiver forgets what this server told before; these are all its terminals. `ask`: tell me yours. */
const OpenTerminals = topic(
  'terminal.open',
  Type.Object({
    all: Type.Optional(Type.Literal(true)),
    open: Type.Optional(Type.Array(Place)),
    closed: Type.Optional(Type.Array(Place)),
    ask: Type.Optional(Type.Literal(true)),
  }),
);
type OpenMessage = Payload<Static<typeof OpenTerminals.payload>>;

/** What the directory needs to know of this server's terminals. */
export interface OwnTerminals {
  readonly own: () => readonly Place[];
  /** Another server opened a terminal. */
  readonly opened: (place: Place, server: string) => void;
}

/** The terminals that are open on other servers. */
export class TerminalDirectory {
  readonly #messaging: Messaging;
  readonly #stopping: AbortSignal;
  readonly #terminals: OwnTerminals;
  readonly #known = new Map<string, { readonly server: string; readonly place: Place }>();

  constructor(messaging: Messaging, stopping: AbortSignal, terminals: OwnTerminals) {
    this.#messaging = messaging;
    this.#stopping = stopping;
    this.#terminals = terminals;
    const { bus } = messaging;
    messaging.subscribe(OpenTerminals, (message, { id, own }) => {
      if (!own) this.#receive(id, message);
    });
    bus.watch((event) => {
      if (event.kind === 'left') this.#forget(event.server.id);
      else if (event.kind === 'joined') {
        if (terminals.own().length > 0) this.#tellAll();
      } else if (!event.direct) {
        if (event.from === undefined) this.#tell({ ask: true });
        else bus.send(event.from, OpenTerminals, { ask: true });
      }
    });
  }

  /** A terminal of this server was opened. */
  opened(place: Place): void {
    this.#tell({ open: [place] });
  }

  closed(place: Place): void {
    this.#tell({ closed: [place] });
  }

  serverOf(agentUuid: string, terminalId: string): string | undefined {
    return this.#known.get(keyOf({ agentUuid, terminalId }))?.server;
  }

  /** The terminals of one agent. */
  of(agentUuid: string): readonly Place[] {
    const places = [...this.#known.values()].map(({ place }) => place);
    return places.filter((place) => place.agentUuid === agentUuid);
  }

  /** Always with `publish`: only published messages keep their order among each other. */
  #tell(message: OpenMessage): void {
    this.#messaging.publish(OpenTerminals, message);
  }

  #tellAll(): void {
    if (!this.#stopping.aborted) this.#tell({ all: true, open: this.#terminals.own() });
  }

  #receive(server: string, { all, open, closed, ask }: OpenMessage): void {
    if (all) this.#forget(server);
    for (const place of open ?? []) {
      this.#known.set(keyOf(place), { server, place });
      this.#terminals.opened(place, server);
    }
    for (const place of closed ?? []) {
      if (this.#known.get(keyOf(place))?.server === server) this.#known.delete(keyOf(place));
    }
    if (ask) this.#tellAll();
  }

  #forget(server: string): void {
    for (const [key, known] of this.#known) if (known.server === server) this.#known.delete(key);
  }
}

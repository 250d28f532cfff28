import type { Bus } from '@svc/plugin-sdk';
import type { Place } from './sessions.ts';

const TOPIC = 'terminal.open';

/** `all`: forget what I told before, these are all I have; `ask`: tell me yours. */
interface OpenMessage {
  readonly all?: true;
  readonly open?: readonly Place[];
  readonly closed?: readonly Place[];
  readonly ask?: true;
}

export interface ElsewhereOptions {
  readonly bus: Bus;
  readonly stopping: AbortSignal;
  /** The terminals of this server. */
  readonly own: () => readonly Place[];
  /** Another server opened a terminal. */
  readonly opened: (place: Place, server: string) => void;
}

/** The terminals that are open on other servers. */
export interface Elsewhere {
  /** A terminal of this server was opened. */
  opened(place: Place): void;
  closed(place: Place): void;
  serverOf(agentUuid: string, terminalId: string): string | undefined;
  /** The terminals of one agent. */
  of(agentUuid: string): readonly Place[];
}

export function createElsewhere({ bus, stopping, own, opened }: ElsewhereOptions): Elsewhere {
  const terminals = new Map<string, { readonly server: string; readonly place: Place }>();

  // Everything by `publish`: only then it arrives in the order in which it happened.
  const tell = (message: OpenMessage) => bus.publish(TOPIC, message);
  const tellAll = () => tell({ all: true, open: own() });

  const forget = (server: string): void => {
    for (const [key, known] of terminals) if (known.server === server) terminals.delete(key);
  };

  const hear = (server: string, { all, open, closed, ask }: OpenMessage): void => {
    if (all) forget(server);
    for (const place of open ?? []) {
      terminals.set(keyOf(place), { server, place });
      opened(place, server);
    }
    for (const place of closed ?? []) {
      if (terminals.get(keyOf(place))?.server === server) terminals.delete(keyOf(place));
    }
    if (ask && !stopping.aborted) tellAll();
  };

  bus.subscribe(TOPIC, (payload, { id, own: mine }) => {
    if (!mine) hear(id, (payload ?? {}) as OpenMessage);
  });
  bus.watch((event) => {
    if (event.kind === 'left') forget(event.server.id);
    else if (event.kind === 'joined') {
      if (!stopping.aborted && own().length > 0) tellAll();
    } else if (!event.direct) {
      if (event.from === undefined) tell({ ask: true });
      else bus.send(event.from, TOPIC, { ask: true } satisfies OpenMessage);
    }
  });

  return {
    opened: (place) => tell({ open: [place] }),
    closed: (place) => tell({ closed: [place] }),
    serverOf: (agentUuid, terminalId) => terminals.get(keyOf({ agentUuid, terminalId }))?.server,
    of: (agentUuid) =>
      [...terminals.values()].flatMap(({ place }) =>
        place.agentUuid === agentUuid ? [place] : [],
      ),
  };
}

export const keyOf = ({ agentUuid, terminalId }: Pick<Place, 'agentUuid' | 'terminalId'>): string =>
  `${agentUuid}/${terminalId}`;

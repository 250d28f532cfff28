import type { Clock, Peer } from '@svc/plugin-sdk';
import { type Elsewhere, keyOf } from './elsewhere.ts';
import { Session, whenAborted } from './session.ts';

/** One terminal: its agent, its id and the task that opened it. */
export interface Place {
  /** Lower-case hyphenated. */
  readonly agentUuid: string;
  readonly terminalId: string;
  readonly taskId: number | bigint;
}

/** A terminal whose agent is connected to another server. */
export interface Remote {
  readonly server: string;
}

export interface SessionsOptions {
  readonly clock: Clock;
  readonly elsewhere: Pick<Elsewhere, 'opened' | 'closed' | 'serverOf' | 'of'>;
  readonly userWait_ms: () => number;
  readonly maxPerAgent: () => number;
  readonly log: (what: string, place: Place) => void;
}

/** The terminals of this server. */
export interface Sessions {
  /** Takes the place of a terminal before its agent's handshake; `taken` when it or its task has one, `full` at the cap. */
  reserve(place: Place): Reservation | 'taken' | 'full';
  /** The open session of this terminal on this server. */
  find(agentUuid: string, terminalId: string): Session | undefined;
  /** The open terminals. */
  places(): readonly Place[];
  /** Who waits for this terminal learns where it was opened. */
  openedElsewhere(place: Place, server: string): void;
  /** Waits for a session to open, until one of the signals aborts; undefined at once when too many wait already. */
  wait(
    agentUuid: string,
    terminalId: string,
    signals: readonly AbortSignal[],
  ): Promise<Session | Remote | undefined>;
}

export interface Reservation {
  open(agent: Peer): Session;
  release(): void;
}

/** What holds a place: compared by identity before it is removed. */
interface Entry {
  readonly place: Place;
  session: Session | undefined;
}

export function createSessions(options: SessionsOptions): Sessions {
  const { clock, elsewhere, userWait_ms, maxPerAgent, log } = options;
  const entries = new Map<string, Entry>();
  const waiting = new Map<string, Set<(found: Session | Remote) => void>>();

  const remove = (key: string, entry: Entry): void => {
    if (entries.get(key) === entry) entries.delete(key);
  };

  const open = (key: string, entry: Entry, agent: Peer): Session => {
    const { place } = entry;
    log('agent came', place);
    // Before the session, which may end at once: the others must hear of its end last.
    elsewhere.opened(place);
    const session = new Session({
      agent,
      clock,
      userWait_ms: userWait_ms(),
      ended(reason) {
        remove(key, entry);
        elsewhere.closed(place);
        log(reason, place);
      },
    });
    entry.session = session;
    for (const hear of waiting.get(key) ?? []) hear(session);
    return session;
  };

  return {
    reserve(place) {
      const { agentUuid, terminalId, taskId } = place;
      const key = keyOf(place);
      const here = [...entries.values()].map((entry) => entry.place);
      const others = [
        ...here.filter((other) => other.agentUuid === agentUuid),
        ...elsewhere.of(agentUuid),
      ];
      const isSame = (other: Place) => other.terminalId === terminalId || other.taskId === taskId;
      if (others.some(isSame)) return 'taken';
      if (others.length >= maxPerAgent()) return 'full';
      const entry: Entry = { place, session: undefined };
      entries.set(key, entry);
      return {
        open: (agent) => open(key, entry, agent),
        release: () => remove(key, entry),
      };
    },

    find: (agentUuid, terminalId) => entries.get(keyOf({ agentUuid, terminalId }))?.session,

    places: () => [...entries.values()].flatMap(({ place, session }) => (session ? [place] : [])),

    openedElsewhere(place, server) {
      for (const hear of waiting.get(keyOf(place)) ?? []) hear({ server });
    },

    wait(agentUuid, terminalId, signals) {
      const key = keyOf({ agentUuid, terminalId });
      const callers = waiting.get(key) ?? new Set();
      if (callers.size >= maxPerAgent()) return Promise.resolve(undefined);
      waiting.set(key, callers);
      return new Promise((resolve) => {
        const forget: (() => void)[] = [];
        const settle = (found?: Session | Remote) => {
          callers.delete(settle);
          if (callers.size === 0 && waiting.get(key) === callers) waiting.delete(key);
          for (const each of forget) each();
          resolve(found);
        };
        callers.add(settle);
        for (const signal of signals) forget.push(whenAborted(signal, () => settle()));
      });
    },
  };
}

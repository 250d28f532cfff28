import type { Clock, Peer } from '@svc/plugin-sdk';
import { Session, whenAborted } from './session.ts';

/** One terminal: its agent, its id and the task that opened it. */
export interface Place {
  /** Lower-case hyphenated. */
  readonly agentUuid: string;
  readonly terminalId: string;
  readonly taskId: number | bigint;
}

export interface SessionsOptions {
  readonly clock: Clock;
  readonly userWait_ms: () => number;
  readonly maxPerAgent: () => number;
  readonly log: (what: string, place: Place) => void;
}

/** The terminals of this server. */
export interface Sessions {
  /** Takes the place of a terminal before its agent's handshake; `taken` when it or its task has one, `full` at the cap. */
  reserve(place: Place): Reservation | 'taken' | 'full';
  /** The open session of this terminal. */
  find(agentUuid: string, terminalId: string): Session | undefined;
  /** Waits for a session to open, until one of the signals aborts; undefined at once when too many wait already. */
  wait(
    agentUuid: string,
    terminalId: string,
    signals: readonly AbortSignal[],
  ): Promise<Session | undefined>;
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

export function createSessions({
  clock,
  userWait_ms,
  maxPerAgent,
  log,
}: SessionsOptions): Sessions {
  const entries = new Map<string, Entry>();
  const waiting = new Map<string, Set<(session: Session) => void>>();

  const remove = (key: string, entry: Entry): void => {
    if (entries.get(key) === entry) entries.delete(key);
  };

  const open = (key: string, entry: Entry, agent: Peer): Session => {
    const { place } = entry;
    const session = new Session({
      agent,
      clock,
      userWait_ms: userWait_ms(),
      ended(reason) {
        remove(key, entry);
        log(reason, place);
      },
    });
    entry.session = session;
    log('agent came', place);
    for (const hear of waiting.get(key) ?? []) hear(session);
    return session;
  };

  return {
    reserve(place) {
      const key = keyOf(place.agentUuid, place.terminalId);
      const others = [...entries.values()].filter(
        (other) => other.place.agentUuid === place.agentUuid,
      );
      const sameTask = others.some((other) => other.place.taskId === place.taskId);
      if (entries.has(key) || sameTask) return 'taken';
      if (others.length >= maxPerAgent()) return 'full';
      const entry: Entry = { place, session: undefined };
      entries.set(key, entry);
      return {
        open: (agent) => open(key, entry, agent),
        release: () => remove(key, entry),
      };
    },

    find: (agentUuid, terminalId) => entries.get(keyOf(agentUuid, terminalId))?.session,

    wait(agentUuid, terminalId, signals) {
      const key = keyOf(agentUuid, terminalId);
      const callers = waiting.get(key) ?? new Set();
      if (callers.size >= maxPerAgent()) return Promise.resolve(undefined);
      waiting.set(key, callers);
      return new Promise((resolve) => {
        const forget: (() => void)[] = [];
        const settle = (session?: Session) => {
          callers.delete(settle);
          if (callers.size === 0 && waiting.get(key) === callers) waiting.delete(key);
          for (const each of forget) each();
          resolve(session);
        };
        callers.add(settle);
        for (const signal of signals) forget.push(whenAborted(signal, () => settle()));
      });
    },
  };
}

const keyOf = (agentUuid: string, terminalId: string): string => `${agentUuid}/${terminalId}`;

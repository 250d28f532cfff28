import type { Clock } from '@svc/plugin-sdk';
import { BoundedCache, type Directory } from '@svc/plugin-sdk/util';
import { keyOf, type Place } from './place.ts';
import { Session, whenAborted } from './session.ts';

/** A terminal whose agent is connected to another server. */
export interface Remote {
  readonly server: string;
}

export interface SessionsOptions {
  readonly clock: Clock;
  readonly directory: Directory<Place>;
  readonly userWait_ms: () => number;
  readonly maxPerAgent: () => number;
  readonly log: (what: string, place: Place) => void;
}

interface Entry {
  readonly place: Place;
  readonly session: Session;
}

type Listener = (found?: Session | Remote) => void;

/** Tasks that are remembered; each end of a session adds one. */
const REMEMBERED = 1_024;

/** The terminals of this server, and the users who wait for one. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #waiting = new Map<string, Set<Listener>>();
  /** Tasks whose sessions have ended, the oldest first. */
  readonly #ended = new BoundedCache<Place['taskId'], true>({ most: REMEMBERED });

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /**
   * Takes the place of a terminal before its agent's handshake; the caller opens or releases the session.
   * `taken`: the terminal or its task has a session. `full`: the agent has as many as it may have.
   */
  reserve(place: Place): Session | 'taken' | 'full' {
    const { agentUuid, terminalId, taskId } = place;
    const { clock, directory, userWait_ms, maxPerAgent } = this.#options;
    const places = [
      ...[...this.#entries.values()].map((entry) => entry.place),
      ...[...directory.values()].map(({ entry }) => entry),
    ];
    const others = places.filter((other) => other.agentUuid === agentUuid);
    const isSame = (other: Place) => other.terminalId === terminalId || other.taskId === taskId;
    if (others.some(isSame)) return 'taken';
    if (others.length >= maxPerAgent()) return 'full';
    const session = new Session({
      clock,
      userWait_ms: userWait_ms(),
      opened: () => this.#opened(entry),
      over: (reason) => this.#over(entry, reason),
    });
    const entry: Entry = { place, session };
    this.#entries.set(keyOf(place), entry);
    return session;
  }

  /** The session of this terminal, when its agent is connected to this server. */
  find(agentUuid: string, terminalId: string): Session | undefined {
    const session = this.#entries.get(keyOf({ agentUuid, terminalId }))?.session;
    return session?.state === 'reserved' ? undefined : session;
  }

  /** The terminals whose agents are connected. */
  places(): readonly Place[] {
    const entries = [...this.#entries.values()];
    return entries.filter(({ session }) => session.state !== 'reserved').map(({ place }) => place);
  }

  /** Users who wait for this terminal learn on which other server it was opened. */
  openedElsewhere(place: Place, server: string): void {
    for (const found of this.#waiting.get(keyOf(place)) ?? []) found({ server });
  }

  /** A session of this task was open and has ended, here or on another server: its agent has been there. */
  hasEnded(taskId: Place['taskId']): boolean {
    return this.#ended.has(taskId);
  }

  /** A session of this task has ended. */
  remember({ taskId }: Place): void {
    this.#ended.set(taskId, true);
  }

  /** Waits for a session to open, until one of the signals aborts; undefined at once when too many users wait already. */
  wait(
    agentUuid: string,
    terminalId: string,
    signals: readonly AbortSignal[],
  ): Promise<Session | Remote | undefined> {
    const key = keyOf({ agentUuid, terminalId });
    const listeners = this.#waiting.get(key) ?? new Set();
    if (listeners.size >= this.#options.maxPerAgent()) return Promise.resolve(undefined);
    this.#waiting.set(key, listeners);
    return new Promise((resolve) => {
      const forget: (() => void)[] = [];
      const settle: Listener = (found) => {
        listeners.delete(settle);
        if (listeners.size === 0 && this.#waiting.get(key) === listeners) this.#waiting.delete(key);
        for (const each of forget) each();
        resolve(found);
      };
      listeners.add(settle);
      for (const signal of signals) forget.push(whenAborted(signal, () => settle()));
    });
  }

  #opened({ place, session }: Entry): void {
    this.#options.log('agent came', place);
    this.#options.directory.announce(place);
    for (const found of this.#waiting.get(keyOf(place)) ?? []) found(session);
  }

  #over(entry: Entry, reason: string | undefined): void {
    const { place } = entry;
    // A later session of the same terminal keeps its place.
    if (this.#entries.get(keyOf(place)) === entry) this.#entries.delete(keyOf(place));
    if (reason === undefined) return;
    this.remember(place);
    this.#options.directory.withdraw(place);
    this.#options.log(reason, place);
  }
}

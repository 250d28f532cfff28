import type { Clock, Peer, Push } from '@svc/plugin-sdk';
import { type Delivery, Session } from './session.ts';

/** Agents of one connection whose registration is remembered. */
const REMEMBERED = 1_024;

export interface SessionsOptions {
  readonly clock: Clock;
  /** A connection registered the agent. */
  readonly opened: (uuid: string, since: number) => void;
  readonly closed: (uuid: string) => void;
  /** When the agent registered on another server. */
  readonly sinceElsewhere: (uuid: string) => number | undefined;
  /** These tasks were accepted and never written to the agent's socket. */
  readonly unsent: (uuid: string, deliveries: readonly Delivery[]) => void;
}

/** The agents that are registered on this server: one session for each. */
export interface Sessions {
  /** Registers an agent; a session that it has already is replaced and loses nothing. @returns ends it */
  open(uuid: string, peer: Peer, push: Push<never>): () => void;
  get(uuid: string): Session | undefined;
  list(): Iterable<readonly [uuid: string, Session]>;
  /** The agent registered on another server. */
  drop(uuid: string): void;
}

export function createSessions(options: SessionsOptions): Sessions {
  const { clock, opened, closed, sinceElsewhere, unsent } = options;
  const sessions = new Map<string, Session>();
  const registered = new WeakMap<Peer, Set<string>>();

  /** @returns whether this connection registers the agent for the first time */
  const isFresh = (peer: Peer, uuid: string): boolean => {
    const known = registered.get(peer) ?? new Set();
    registered.set(peer, known);
    if (known.has(uuid)) return false;
    if (known.size >= REMEMBERED) known.clear();
    known.add(uuid);
    return true;
  };

  const end = (uuid: string, session: Session): void => {
    // A later session under the same name is not ours to end.
    if (sessions.get(uuid) !== session) return;
    sessions.delete(uuid);
    closed(uuid);
    const deliveries = session.end();
    if (deliveries.length > 0) unsent(uuid, deliveries);
  };

  return {
    open(uuid, peer, push) {
      const before = sessions.get(uuid);
      const fresh = isFresh(peer, uuid);
      const after = sinceElsewhere(uuid) ?? before?.since;
      const session = new Session({ peer, push, clock, fresh, before, after });
      sessions.set(uuid, session);
      before?.close();
      if (before?.peer !== peer) opened(uuid, session.since);
      return () => end(uuid, session);
    },
    get: (uuid) => sessions.get(uuid),
    list: () => sessions,
    drop(uuid) {
      const session = sessions.get(uuid);
      if (!session) return;
      end(uuid, session);
      session.close();
    },
  };
}

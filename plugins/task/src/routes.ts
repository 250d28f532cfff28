import type { Bus, Clock } from '@svc/plugin-sdk';
import type { Integer } from './conditions.ts';
import type { Handed } from './session.ts';

/** An answer of another server takes a few milliseconds; one that does not answer is gone. */
const ANSWER_MS = 3_000;
/** Agents of one message; the network side of the bus limits a message to some kilobytes. */
const BATCH = 50;

const SESSIONS = 'task.sessions';
const DELIVER = 'task.deliver';
const DELIVERED = 'task.delivered';

/** An agent and since when its connection is registered, Unix ms. */
type Registered = readonly [uuid: string, since: number];

/** What servers tell each other of their agents; `ask`: tell me all of yours, `bye`: forget all of mine. */
interface SessionsMessage {
  readonly from: string;
  readonly open?: readonly Registered[];
  readonly closed?: readonly string[];
  readonly ask?: true;
  readonly bye?: true;
}

interface DeliverMessage {
  readonly from: string;
  readonly to: string;
  readonly request: number;
  readonly id: Integer;
  readonly uuid: string;
}

interface DeliveredMessage {
  readonly from: string;
  readonly to: string;
  readonly request: number;
  readonly handed: Handed;
}

export interface RoutesOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly stopping: AbortSignal;
  /** The agents of this server. */
  readonly own: () => Iterable<Registered>;
  readonly ownSince: (uuid: string) => number | undefined;
  /** Another server has a later registration of this agent. */
  readonly displaced: (uuid: string) => void;
  /** Another server created a task for an agent of this one. */
  readonly receive: (id: Integer, uuid: string) => Promise<Handed>;
  readonly failed: (error: unknown) => void;
}

/** Which server has which agent. Known beforehand, so that an unknown agent is refused without asking anybody. */
export interface Routes {
  opened(uuid: string, since: number): void;
  closed(uuid: string): void;
  /** True when another server has this agent. */
  isElsewhere(uuid: string): boolean;
  /** Hands a stored task to the server that has its agent. */
  deliver(id: Integer, uuid: string): Promise<Handed>;
}

export function createRoutes(options: RoutesOptions): Routes {
  const { bus, clock, stopping, own, ownSince, displaced } = options;
  const servers = new Map<string, string>();
  const pending = new Map<number, { server: string; settle: (handed: Handed) => void }>();
  let lastRequest = 0;

  const tell = (message: Omit<SessionsMessage, 'from'>) =>
    bus.publish(SESSIONS, { from: bus.id, ...message } satisfies SessionsMessage);

  const forget = (server: string): void => {
    for (const [uuid, id] of servers) if (id === server) servers.delete(uuid);
    for (const { server: asked, settle } of pending.values()) if (asked === server) settle('ended');
  };

  const tellAll = (): void => {
    const all = [...own()];
    for (let at = 0; at < all.length; at += BATCH) tell({ open: all.slice(at, at + BATCH) });
  };

  /** The later registration wins; of two at once the one of the greater server id, everywhere alike. */
  const isLater = (since: number, server: string, uuid: string): boolean => {
    const mine = ownSince(uuid);
    return mine === undefined || since > mine || (since === mine && server > bus.id);
  };

  const hear = ({ from, open = [], closed = [], ask, bye }: SessionsMessage): void => {
    if (from === bus.id) return;
    for (const [uuid, since] of open) {
      if (!isLater(since, from, uuid)) continue;
      servers.set(uuid, from);
      displaced(uuid);
    }
    for (const uuid of closed) if (servers.get(uuid) === from) servers.delete(uuid);
    if (bye) forget(from);
    if (ask) tellAll();
  };

  const receive = async (message: DeliverMessage): Promise<void> => {
    const { from: to, request, id, uuid } = message;
    const handed = await options.receive(id, uuid).catch((error: unknown) => {
      options.failed(error);
      return 'ended' as const;
    });
    bus.publish(DELIVERED, { from: bus.id, to, request, handed } satisfies DeliveredMessage);
  };

  bus.subscribe(SESSIONS, (payload) => hear(payload as SessionsMessage));
  bus.subscribe(DELIVER, (payload) => {
    const message = payload as DeliverMessage;
    if (message.to === bus.id) receive(message).catch(options.failed);
  });
  bus.subscribe(DELIVERED, (payload) => {
    const { to, request, handed } = payload as DeliveredMessage;
    if (to === bus.id) pending.get(request)?.settle(handed);
  });
  stopping.addEventListener('abort', () => tell({ bye: true }), { once: true });
  tell({ ask: true });

  return {
    opened(uuid, since) {
      servers.delete(uuid);
      tell({ open: [[uuid, since]] });
    },
    closed(uuid) {
      // The farewell has told of all of them.
      if (!stopping.aborted) tell({ closed: [uuid] });
    },
    isElsewhere: (uuid) => servers.has(uuid),

    deliver(id, uuid) {
      const server = servers.get(uuid);
      if (server === undefined) return Promise.resolve('ended');
      const request = ++lastRequest;
      return new Promise((resolve) => {
        const settle = (handed: Handed) => {
          cancel();
          pending.delete(request);
          resolve(handed);
        };
        const cancel = clock.timeout(() => forget(server), ANSWER_MS);
        pending.set(request, { server, settle });
        const message: DeliverMessage = { from: bus.id, to: server, request, id, uuid };
        bus.publish(DELIVER, message);
      });
    },
  };
}

import type { Bus, Clock, Integer } from '@svc/plugin-sdk';
import type { Handed } from './session.ts';
import type { Others } from './sessions-of-others.ts';

/** An answer takes some milliseconds, or a second where an agent's queue is full. That a server died is known sooner. */
const ANSWER_MS = 5_000;

const DELIVER = 'task.deliver';
const DELIVERED = 'task.delivered';

interface DeliverMessage {
  readonly request: number;
  readonly id: Integer;
  readonly uuid: string;
}

interface DeliveredMessage {
  readonly request: number;
  readonly handed: Handed;
}

/** `lost`: the server ended, or did not answer: it may have sent the task, so nobody else may. */
export type HandedElsewhere = Handed | 'lost';

interface Pending {
  readonly server: string;
  readonly message: DeliverMessage;
  readonly settle: (handed: HandedElsewhere) => void;
}

export interface RoutesOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly others: Others;
  /** Another server created a task for an agent of this one. */
  readonly receive: (id: Integer, uuid: string) => Promise<Handed>;
  readonly failed: (error: unknown) => void;
}

/** The way of tasks to agents of other servers. */
export interface Routes {
  /** True when another server has this agent. */
  isElsewhere(uuid: string): boolean;
  /** Hands a stored task to the server that has its agent. */
  deliver(id: Integer, uuid: string): Promise<HandedElsewhere>;
}

export function createRoutes({ bus, clock, others, receive, failed }: RoutesOptions): Routes {
  const pending = new Map<number, Pending>();
  let lastRequest = 0;

  const ask = ({ server, message, settle }: Pending): void => {
    if (bus.send(server, DELIVER, message)) return;
    // A server that is alive takes no more at the moment.
    settle(bus.servers().some(({ id }) => id === server) ? 'full' : 'ended');
  };

  const answer = async (to: string, { request, id, uuid }: DeliverMessage): Promise<void> => {
    const handed = await receive(id, uuid).catch((error: unknown) => {
      failed(error);
      return 'ended' as const;
    });
    bus.send(to, DELIVERED, { request, handed } satisfies DeliveredMessage);
  };

  bus.subscribe(DELIVER, (payload, { id, own }) => {
    const message = payload as Partial<DeliverMessage> | null;
    if (own || message?.uuid === undefined || message.id === undefined) return;
    answer(id, message as DeliverMessage).catch(failed);
  });
  bus.subscribe(DELIVERED, (payload, { id }) => {
    const { request, handed } = payload as DeliveredMessage;
    const asked = pending.get(request);
    if (asked?.server === id) asked.settle(handed);
  });
  bus.watch((event) => {
    for (const asked of [...pending.values()]) {
      if (event.kind === 'left' && event.server.id === asked.server) asked.settle('lost');
      // The request or its answer may be lost; who has the task already says so again.
      if (event.kind === 'gap' && (event.from ?? asked.server) === asked.server) ask(asked);
    }
  });

  return {
    isElsewhere: (uuid) => others.serverOf(uuid) !== undefined,

    deliver(id, uuid) {
      const server = others.serverOf(uuid);
      if (server === undefined) return Promise.resolve('ended');
      const request = ++lastRequest;
      return new Promise((resolve) => {
        const settle = (handed: HandedElsewhere) => {
          cancel();
          pending.delete(request);
          resolve(handed);
        };
        const cancel = clock.timeout(() => settle('lost'), ANSWER_MS);
        const asked = { server, message: { request, id, uuid }, settle };
        pending.set(request, asked);
        ask(asked);
      });
    },
  };
}

import {
  type Clock,
  type Messaging,
  type Payload,
  type Static,
  Type,
  topic,
} from '@svc/plugin-sdk';
import { Int64 } from '@svc/plugin-sdk/schemas';
import type { Integer } from '@svc/plugin-sdk/sql';
import type { Delivery, Event, Outcome } from './delivery.ts';
import { TURNS, type Turn } from './turn.ts';

/** An answer takes some milliseconds, or a second where an agent's queue is full. The death of a server is known sooner. */
const ANSWER_MS = 5_000;

/** A server asks another one to take a task of one of its agents. */
const DeliverTask = topic(
  'task.deliver',
  Type.Object({
    request: Type.Integer(),
    id: Int64,
    uuid: Type.String(),
    // Servers before 0.8.0 do not send it.
    turn: Type.Optional(Type.Enum([...TURNS])),
  }),
);
type DeliverMessage = Payload<Static<typeof DeliverTask.payload>>;

/** The answer to the question of the same number. */
const TaskDelivered = topic(
  'task.delivered',
  Type.Object({ request: Type.Integer(), handed: Type.Enum(['queued', 'full', 'ended']) }),
);

/** `lost`: the server died or did not answer. It may have sent the task, so no other server may send it. */
export type Answer = Extract<Event, 'accepted' | 'full' | 'declined' | 'lost'>;

const answers = { queued: 'accepted', full: 'full', ended: 'declined' } as const;

interface Question {
  readonly server: string;
  readonly message: DeliverMessage;
  readonly settle: (answer: Answer) => void;
}

export interface OtherServersOptions {
  readonly messaging: Messaging;
  readonly clock: Clock;
  /** Another server asks this one to take a task. */
  readonly receive: (id: Integer, uuid: string, turn: Turn) => Promise<Outcome>;
  readonly failed: (error: unknown) => void;
}

/** Asks other servers to take tasks of their agents, and answers their questions. */
export class OtherServers {
  readonly #options: OtherServersOptions;
  readonly #open = new Map<number, Question>();
  #lastRequest = 0;

  constructor(options: OtherServersOptions) {
    this.#options = options;
    const { messaging, failed } = options;
    messaging.subscribe(DeliverTask, (message, { id, own }) => {
      if (!own) this.#reply(id, message).catch(failed);
    });
    messaging.subscribe(TaskDelivered, ({ request, handed }, { id }) => {
      const question = this.#open.get(request);
      if (question?.server === id) question.settle(answers[handed] ?? 'declined');
    });
    messaging.bus.watch((event) => {
      for (const question of [...this.#open.values()]) {
        const { server, settle } = question;
        if (event.kind === 'left' && event.server.id === server) settle('lost');
        // The question or its answer may be lost; a server that has the task already says so again.
        if (event.kind === 'gap' && (event.from ?? server) === server) this.#send(question);
      }
    });
  }

  /** Asks a server to take a stored task of one of its agents. */
  ask(server: string, { id, uuid, turn }: Pick<Delivery, 'id' | 'uuid' | 'turn'>): Promise<Answer> {
    const request = ++this.#lastRequest;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const settle = (answer: Answer) => {
      cancel();
      this.#open.delete(request);
      resolve(answer);
    };
    const cancel = this.#options.clock.timeout(() => settle('lost'), ANSWER_MS);
    const question = { server, message: { request, id, uuid, turn }, settle };
    this.#open.set(request, question);
    this.#send(question);
    return promise;
  }

  #send({ server, message, settle }: Question): void {
    const { bus } = this.#options.messaging;
    if (bus.send(server, DeliverTask, message)) return;
    // A server that is alive takes no more at the moment.
    settle(bus.servers().some(({ id }) => id === server) ? 'full' : 'declined');
  }

  async #reply(to: string, { request, id, uuid, turn = 'usual' }: DeliverMessage): Promise<void> {
    const { messaging, receive, failed } = this.#options;
    const outcome = await receive(id, uuid, turn).catch((error: unknown) => {
      failed(error);
      return 'ended' as const;
    });
    const handed = outcome === 'accepted' ? 'queued' : outcome === 'full' ? 'full' : 'ended';
    messaging.bus.send(to, TaskDelivered, { request, handed });
  }
}

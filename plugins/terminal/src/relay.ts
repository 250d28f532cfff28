import { randomUUID } from 'node:crypto';
import { type Clock, type Messaging, Type, topic } from '@svc/plugin-sdk';
import type { BusEvent } from '@svc/plugin-sdk/kernel';
import { Pipe } from './pipe.ts';
import { type RelayPart, RelayPeer, type RelayRefusal } from './relay-peer.ts';
import type { Session } from './session.ts';

/** An answer takes some milliseconds; that the other server died is known sooner. */
const ANSWER_MS = 5_000;

interface JoinMessage {
  readonly channel: string;
  readonly kind: 'join';
  readonly agent: string;
  readonly terminal: string;
}

type RelayMessage = JoinMessage | ({ readonly channel: string } & RelayPart);

/** Messages of one side of a terminal to the other one, which is connected to another server. */
const Relayed = topic(
  'terminal.relay',
  Type.Unsafe<RelayMessage>(Type.Object({ channel: Type.String(), kind: Type.String() })),
);

export interface RelayOptions {
  readonly messaging: Messaging;
  readonly clock: Clock;
  /** The open session of this server. */
  readonly find: (agentUuid: string, terminalId: string) => Session | undefined;
  readonly joined: (agentUuid: string) => void;
}

interface Channel {
  readonly server: string;
  readonly peer: RelayPeer;
}

/** Joins users of one server to terminals of another, over the bus. Both ends of a channel know it by the same name. */
export class Relay {
  readonly #options: RelayOptions;
  readonly #channels = new Map<string, Channel>();

  constructor(options: RelayOptions) {
    this.#options = options;
    const { messaging } = options;
    messaging.subscribe(Relayed, (message, { id, own }) => {
      if (!own) this.#receive(id, message);
    });
    messaging.bus.watch((event) => this.#watch(event));
  }

  /** Asks the agent's server. @returns the agent's side, as a peer of this server */
  async join(server: string, agent: string, terminal: string): Promise<RelayPeer | RelayRefusal> {
    const channel = randomUUID();
    const peer = this.#open(server, channel);
    const cancel = this.#options.clock.timeout(() => peer.expire(), ANSWER_MS);
    if (!this.#send(server, { channel, kind: 'join', agent, terminal })) peer.refuse('absent');
    const answer = await peer.answer;
    cancel();
    if (answer === 'joined') return peer;
    // Where the answer is only late, the other end learns that no user waits for it.
    this.#send(server, { channel, kind: 'broken' });
    return answer;
  }

  #send(server: string, message: RelayMessage): boolean {
    return this.#options.messaging.bus.send(server, Relayed, message);
  }

  #open(server: string, channel: string): RelayPeer {
    const peer = new RelayPeer(channel, {
      send: (part) => this.#send(server, { channel, ...part }),
      drained: () => this.#options.messaging.bus.drained(server),
      closed: () => this.#channels.delete(channel),
    });
    this.#channels.set(channel, { server, peer });
    return peer;
  }

  #receive(from: string, message: RelayMessage): void {
    if (message.kind === 'join') {
      this.#admit(from, message);
      return;
    }
    const channel = this.#channels.get(message.channel);
    if (channel?.server === from) channel.peer.receive(message);
  }

  /** A user of another server wants to join a terminal of this one. */
  #admit(server: string, { channel, agent, terminal }: JoinMessage): void {
    const session = this.#options.find(agent, terminal);
    if (!session || session.hasUser) {
      this.#send(server, { channel, kind: 'refused', why: session ? 'taken' : 'absent' });
      return;
    }
    this.#send(server, { channel, kind: 'joined' });
    const peer = this.#open(server, channel);
    peer.receive({ kind: 'joined' });
    this.#options.joined(agent);
    // The user's server watches the credential and the right.
    session.join(peer, new Pipe(peer), NEVER);
  }

  /** Ends the channels that lost bytes, and those of a server that died or had counted this one as dead. */
  #watch(event: BusEvent): void {
    if (event.kind === 'gap' && !event.direct && event.from !== undefined) return;
    const concerned = event.kind === 'gap' ? event.from : event.server.id;
    for (const [channel, { server, peer }] of [...this.#channels]) {
      if (concerned !== undefined && concerned !== server) continue;
      this.#send(server, { channel, kind: 'broken' });
      peer.receive({ kind: 'broken' });
    }
  }
}

const NEVER = new AbortController().signal;

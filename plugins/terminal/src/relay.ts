import { randomUUID } from 'node:crypto';
import type { Bus, Clock } from '@svc/plugin-sdk';
import { Pipe } from './pipe.ts';
import { type RelayPart, RelayPeer } from './relay-peer.ts';
import type { Session } from './session.ts';

const TOPIC = 'terminal.relay';
/** An answer takes some milliseconds; that the other server died is known sooner. */
const ANSWER_MS = 5_000;

/** Why another server does not join the user to the terminal. */
export type RelayRefusal = 'absent' | 'taken';

type RelayMessage = { readonly channel: string } & (
  | RelayPart
  | { readonly kind: 'join'; readonly agent: string; readonly terminal: string }
  | { readonly kind: 'joined' }
  | { readonly kind: 'refused'; readonly why: RelayRefusal }
);

export interface RelayOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  /** The open session of this server. */
  readonly find: (agentUuid: string, terminalId: string) => Session | undefined;
  readonly joined: (agentUuid: string) => void;
}

/** Joins a user of one server to a terminal of another, over the bus. */
export interface Relay {
  /** @returns the agent's side, as a peer of this server */
  join(server: string, agentUuid: string, terminalId: string): Promise<RelayPeer | RelayRefusal>;
}

interface Channel {
  readonly server: string;
  readonly peer: RelayPeer;
  /** Until the other server has answered. */
  answer: ((answer: 'joined' | RelayRefusal) => void) | undefined;
}

export function createRelay({ bus, clock, find, joined }: RelayOptions): Relay {
  const channels = new Map<string, Channel>();

  const open = (server: string, channel: string): Channel => {
    const peer = new RelayPeer(channel, {
      send: (part) => bus.send(server, TOPIC, { channel, ...part }),
      drained: () => bus.drained(server),
      ended: () => channels.delete(channel),
    });
    const opened: Channel = { server, peer, answer: undefined };
    channels.set(channel, opened);
    return opened;
  };

  const admit = (server: string, channel: string, agent: string, terminal: string): void => {
    const session = find(agent, terminal);
    const why = !session ? 'absent' : session.hasUser ? 'taken' : undefined;
    const answer = (message: object) => bus.send(server, TOPIC, { channel, ...message });
    if (!session || why) {
      answer({ kind: 'refused', why });
      return;
    }
    answer({ kind: 'joined' });
    const { peer } = open(server, channel);
    joined(agent);
    // The credential is watched where the user is.
    session.join(peer, new Pipe(peer), { ended: NEVER });
  };

  const end = (channel: Channel): void => {
    channel.answer?.('absent');
    channel.peer.fail();
  };

  bus.subscribe(TOPIC, (payload, { id, own }) => {
    const message = payload as RelayMessage;
    if (own || typeof message?.channel !== 'string') return;
    if (message.kind === 'join') {
      admit(id, message.channel, message.agent, message.terminal);
      return;
    }
    const channel = channels.get(message.channel);
    if (channel?.server !== id) return;
    if (message.kind === 'joined') channel.answer?.('joined');
    else if (message.kind === 'refused') channel.answer?.(message.why);
    else channel.peer.receive(message);
  });

  bus.watch((event) => {
    if (event.kind === 'gap' && !isForUs(event)) return;
    for (const [name, channel] of [...channels]) {
      const { server } = channel;
      // A server that joins although it was there had counted this one as dead: it ended its sides.
      if (event.kind === 'gap' ? (event.from ?? server) !== server : event.server.id !== server)
        continue;
      bus.send(server, TOPIC, { channel: name, kind: 'broken' } satisfies RelayMessage);
      end(channel);
    }
  });

  return {
    async join(server, agent, terminal) {
      const name = randomUUID();
      const channel = open(server, name);
      const answer = await new Promise<'joined' | RelayRefusal>((resolve) => {
        const cancel = clock.timeout(() => channel.answer?.('absent'), ANSWER_MS);
        channel.answer = (word) => {
          cancel();
          channel.answer = undefined;
          resolve(word);
        };
        const ask = { channel: name, kind: 'join', agent, terminal } satisfies RelayMessage;
        if (!bus.send(server, TOPIC, ask)) channel.answer('absent');
      });
      if (answer === 'joined') return channel.peer;
      // Where the answer is only late, the other end hears that nobody waits for it.
      bus.send(server, TOPIC, { channel: name, kind: 'broken' } satisfies RelayMessage);
      channel.peer.fail();
      return answer;
    },
  };
}

const NEVER = new AbortController().signal;

/** Lost messages of `send` are lost bytes of a terminal. */
const isForUs = ({
  from,
  direct,
}: {
  readonly from: string | undefined;
  readonly direct: boolean;
}) => direct || from === undefined;

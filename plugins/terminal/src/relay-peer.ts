import { setMaxListeners } from 'node:events';
import type { CloseFrame, Peer } from '@svc/plugin-sdk/http';
import { Incoming, Outgoing, type WindowPart } from './relay-window.ts';

/** State of one end of a channel. The README has the diagram. */
export type State = 'asking' | 'open' | 'closing' | 'closed';

/**
 * `joined`, `refused`, `expired`: the other server's answer, or none in time. `close`: this side ends. `emptied`: everything was sent.
 * `ended`: the other side ended. `broken`: bytes were lost, or the other server died.
 */
export type Event = 'joined' | 'refused' | 'expired' | 'close' | 'emptied' | 'ended' | 'broken';

/** Every transition there is. */
export const transitions: { readonly [S in State]: { readonly [E in Event]?: State } } = {
  asking: { joined: 'open', refused: 'closed', expired: 'closed', broken: 'closed' },
  open: { close: 'closing', ended: 'closed', broken: 'closed' },
  closing: { emptied: 'closed', ended: 'closed', broken: 'closed' },
  closed: {},
};

/** The state after an event. An event that the state does not name changes nothing. */
export const next = (state: State, event: Event): State => transitions[state][event] ?? state;

/** Reason why another server does not join the user to the terminal. */
export type RelayRefusal = 'absent' | 'taken';

/** Part of what goes between the two ends of a channel, in order. */
export type RelayPart =
  | WindowPart
  | { readonly kind: 'joined' }
  | { readonly kind: 'refused'; readonly why: RelayRefusal }
  | { readonly kind: 'close'; readonly code?: number | undefined; readonly reason: string }
  | { readonly kind: 'broken' };

export interface RelayWire {
  /** @returns false: the part was dropped */
  readonly send: (part: RelayPart) => boolean;
  /** Resolves when the bus takes more. */
  readonly drained: () => Promise<void>;
  /** The channel is closed: no part is sent or received any more. */
  readonly closed: () => void;
}

/**
 * A socket of another server, as a peer of this one: what is sent here is sent there. Bounded both ways (relay-window.ts).
 * Only `#on` changes the state.
 */
export class RelayPeer implements Peer {
  readonly id: string;
  readonly address = 'relayed';
  state: State = 'asking';
  closeFrame: CloseFrame | undefined;
  /** The other server's answer; a missing one counts as `absent`. */
  readonly answer: Promise<'joined' | RelayRefusal>;
  readonly #settle: (answer: 'joined' | RelayRefusal) => void;
  readonly #wire: RelayWire;
  readonly #outgoing: Outgoing;
  readonly #incoming: Incoming;
  readonly #closed = new AbortController();
  /** The close frame of this side. */
  #ownFrame: CloseFrame = { code: undefined, reason: '' };

  constructor(id: string, wire: RelayWire) {
    const { promise, resolve } = Promise.withResolvers<'joined' | RelayRefusal>();
    this.id = id;
    this.answer = promise;
    this.#settle = resolve;
    this.#wire = wire;
    this.#incoming = new Incoming(wire.send);
    this.#outgoing = new Outgoing({
      send: wire.send,
      drained: wire.drained,
      emptied: () => this.#on('emptied'),
      broken: () => this.#on('broken'),
    });
    setMaxListeners(0, this.closed);
  }

  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  get buffered(): number {
    return this.#outgoing.bytes;
  }

  send(data: string | Uint8Array): void {
    if (this.state === 'open') this.#outgoing.put(data, typeof data !== 'string');
  }

  sendText(data: string | Uint8Array): void {
    if (this.state === 'open') this.#outgoing.put(data, false);
  }

  close(code?: number, reason = ''): void {
    if (this.state === 'open') this.#ownFrame = { code, reason };
    this.#on('close');
  }

  raiseMessageLimit(): void {
    // The server that holds the socket decides about its limits.
  }

  listen(onMessage: (data: Buffer, binary: boolean) => void): void {
    this.#incoming.listen(onMessage);
  }

  pause(): void {
    this.#incoming.pause();
  }

  resume(): void {
    this.#incoming.resume();
  }

  drained(): Promise<void> {
    return this.#outgoing.drained();
  }

  /** A part came from the other end. */
  receive(part: RelayPart): void {
    if (this.state === 'closed') return;
    if (part.kind === 'data') this.#incoming.receive(part);
    else if (part.kind === 'taken') this.#outgoing.acknowledged(part.bytes);
    else if (part.kind === 'joined') this.#on('joined');
    else if (part.kind === 'refused') this.refuse(part.why);
    else if (part.kind === 'close') this.#on('ended', { code: part.code, reason: part.reason });
    else this.#on('broken');
  }

  refuse(why: RelayRefusal): void {
    this.#settle(why);
    this.#on('refused');
  }

  /** Ends the channel: no answer came in time. */
  expire(): void {
    this.#on('expired');
  }

  /** The transition: the only place where the state changes. */
  #on(event: Event, frame?: CloseFrame): void {
    const to = next(this.state, event);
    if (to === this.state) return;
    this.state = to;
    this.#settle(event === 'joined' ? 'joined' : 'absent');
    if (to === 'closing') this.#outgoing.start();
    else if (to === 'closed') {
      if (event === 'emptied') this.#wire.send({ kind: 'close', ...this.#ownFrame });
      else this.#incoming.flush();
      this.closeFrame = frame;
      this.#outgoing.stop();
      this.#closed.abort();
      this.#wire.closed();
    }
  }
}

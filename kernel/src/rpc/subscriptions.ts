import { randomInt } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import {
  type Peer,
  type Principal,
  type Push,
  RawJson,
  RpcError,
  stringifyJson,
} from '@svc/plugin-sdk';
import { exceeded } from './errors.ts';

/** Subscriptions of one connection (conventions.md §3.4). */
const LIMIT = 1024;
/** Items that may wait for the subscribe reply. */
const HELD_LIMIT = 1024;

interface Opened {
  readonly id: number;
  /** The reply has been sent: items follow. */
  readonly release: () => void;
}

/** The subscriptions of one peer: ids, frames, and their end. Ids are scoped to the connection. */
export class Subscriptions {
  readonly #peer: Peer;
  readonly #open = new Map<number, Stream>();

  constructor(peer: Peer) {
    this.#peer = peer;
  }

  /**
   * Opens one stream; items pushed before `release` wait for it, so the reply always comes first.
   * @throws RpcError -32006 beyond 1,024 subscriptions
   */
  async open(
    notification: string,
    caller: Principal,
    start: (push: Push<unknown>) => unknown,
  ): Promise<Opened> {
    if (this.#open.size >= LIMIT) {
      throw new RpcError(-32006, 'Too many subscriptions on the connection', {
        data: exceeded(LIMIT),
      });
    }
    const id = this.#freshId();
    const head = `{"jsonrpc":"2.0","method":${JSON.stringify(notification)},"params":{"subscription":${id},"result":`;
    const stream = new Stream(this.#peer, head, () => this.#open.delete(id));
    this.#open.set(id, stream);
    const { buffered, end, push } = stream;
    try {
      stream.opened(caller, await start(Object.assign(push, { buffered, end })));
    } catch (error) {
      end();
      throw error;
    }
    return { id, release: stream.release };
  }

  /** @returns whether it was open */
  close(id: number): boolean {
    const stream = this.#open.get(id);
    stream?.end();
    return stream !== undefined;
  }

  closeAll(): void {
    for (const stream of this.#open.values()) stream.end();
  }

  #freshId(): number {
    for (;;) {
      const id = randomInt(2 ** 48 - 1);
      if (!this.#open.has(id)) return id;
    }
  }
}

/** One subscription. */
class Stream {
  readonly #peer: Peer;
  readonly #head: string;
  readonly #forget: () => void;
  /** Frames that wait for the reply; undefined once it is sent. */
  #held: string[] | undefined = [];
  #isOpen = true;
  #stop = () => {};

  constructor(peer: Peer, head: string, forget: () => void) {
    this.#peer = peer;
    this.#head = head;
    this.#forget = forget;
  }

  readonly push = (item: unknown): boolean => {
    if (!this.#isOpen) return false;
    const result = item instanceof RawJson ? String(item.text) : stringifyJson(item);
    const frame = `${this.#head}${result}}}`;
    if (this.#held && this.#held.length >= HELD_LIMIT) return false;
    if (this.#held) this.#held.push(frame);
    else this.#peer.send(frame);
    return true;
  };

  readonly buffered = (): number => this.#peer.buffered;

  readonly release = (): void => {
    for (const frame of this.#held ?? []) this.#peer.send(frame);
    this.#held = undefined;
  };

  readonly end = (): void => {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#forget();
    this.#stop();
  };

  /** From now on the stream ends with its caller. */
  opened(caller: Principal, stop: unknown): void {
    const { ended } = caller;
    const undo = typeof stop === 'function' ? stop : () => {};
    const close = () => {
      ended.removeEventListener('abort', this.end);
      undo();
    };
    // The stream may have ended while it was being opened.
    if (!this.#isOpen) {
      close();
      return;
    }
    this.#stop = close;
    // One credential may hold any number of subscriptions.
    setMaxListeners(0, ended);
    ended.addEventListener('abort', this.end, { once: true });
    if (this.#peer.closed.aborted || ended.aborted) this.end();
  }
}

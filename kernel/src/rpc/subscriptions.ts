import { randomInt } from 'node:crypto';
import type { Push } from '@svc/plugin-sdk';
import { RpcError } from '@svc/plugin-sdk';
import type { Peer } from '@svc/plugin-sdk/http';
import { RawJson, stringifyJson } from '@svc/plugin-sdk/json';
import type { Hold } from '@svc/plugin-sdk/kernel';
import { exceeded } from './errors.ts';
import type { Registered } from './registry.ts';

/** Subscriptions of one connection (conventions.md §3.4). */
const LIMIT = 1024;
/** Items that may wait for the subscribe reply. */
const HELD_LIMIT = 1024;
/** Bytes in the socket of a peer above which it counts as congested. */
const CONGESTED_BYTES = 64 * 1024;

interface Opened {
  readonly id: number;
  /** Tells whether the connection has a stream of this method already. */
  readonly isRepeated: boolean;
  /** Called when the reply has been sent: items follow. */
  readonly release: () => void;
}

/** The subscriptions of one peer: ids, frames, and their end. Ids are scoped to the connection. */
export class Subscriptions {
  readonly #peer: Peer;
  /** Made with the first stream: most connections have none. */
  #open: Map<number, ReturnType<typeof createStream>> | undefined;

  constructor(peer: Peer) {
    this.#peer = peer;
  }

  /**
   * Opens one stream; items pushed before `release` wait for it, so the reply always comes first.
   * It ends with `hold`. @throws RpcError -32006 beyond 1,024 subscriptions
   */
  async open(
    { name, notification }: Registered,
    hold: Hold,
    start: (push: Push<unknown>) => unknown,
  ): Promise<Opened> {
    this.#open ??= new Map();
    if (this.#open.size >= LIMIT) {
      hold.release();
      throw new RpcError(-32006, 'Too many subscriptions on the connection', {
        data: exceeded(LIMIT),
      });
    }
    const id = this.#freshId();
    const isRepeated = [...this.#open.values()].some(({ method }) => method === name);
    const head = `{"jsonrpc":"2.0","method":${JSON.stringify(notification)},"params":{"subscription":${id},"result":`;
    const forget = () => {
      this.#open?.delete(id);
      hold.release();
    };
    const stream = createStream(this.#peer, name, head, forget);
    this.#open.set(id, stream);
    try {
      stream.opened(hold, await start(stream.push));
    } catch (error) {
      stream.end();
      throw error;
    }
    return { id, isRepeated, release: stream.release };
  }

  /** Ends a stream that this method opened. @returns whether there was one */
  close(id: number, method: string): boolean {
    const stream = this.#open?.get(id);
    if (stream?.method !== method) return false;
    stream.end();
    return true;
  }

  closeAll(): void {
    for (const stream of this.#open?.values() ?? []) stream.end();
  }

  #freshId(): number {
    for (;;) {
      const id = randomInt(2 ** 48 - 1);
      if (!this.#open?.has(id)) return id;
    }
  }
}

/** One subscription. `head` begins each of its frames; `forget` runs when it ends. */
function createStream(peer: Peer, method: string, head: string, forget: () => void) {
  /** Frames that wait for the reply; undefined once it is sent. */
  let held: string[] | undefined = [];
  let isOpen = true;
  let close = () => {};

  const end = () => {
    if (!isOpen) return;
    isOpen = false;
    forget();
    close();
  };
  const push = (item: unknown): boolean => {
    if (!isOpen || (held && held.length >= HELD_LIMIT)) return false;
    const result = item instanceof RawJson ? String(item.text) : stringifyJson(item);
    const frame = `${head}${result}}}`;
    if (held) held.push(frame);
    else peer.send(frame);
    return true;
  };
  const release = () => {
    for (const frame of held ?? []) peer.send(frame);
    held = undefined;
  };
  /** Ends the stream with what it lives on. `stop` is what the method returned. */
  const opened = ({ ended }: Hold, stop: unknown) => {
    close = () => {
      if (typeof stop === 'function') stop();
    };
    // The stream may have ended while it was being opened.
    if (!isOpen) close();
    else if (peer.closed.aborted || ended.aborted) end();
    else ended.addEventListener('abort', end, { once: true });
  };
  const source = Object.assign(push, {
    buffered: () => peer.buffered,
    isCongested: () => peer.buffered > CONGESTED_BYTES,
    end,
  });
  return { method, push: source, release, opened, end };
}

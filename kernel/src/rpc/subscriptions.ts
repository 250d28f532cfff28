import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import {
  type Peer,
  type Principal,
  type Push,
  RawJson,
  RpcError,
  stringifyJson,
} from '@svc/plugin-sdk';

/** Subscriptions of one connection (conventions.md §3.4). */
const LIMIT = 1024;
/** Items that may wait for the subscribe reply. */
const HELD_LIMIT = 1024;

interface Open {
  close: () => void;
}

/** The subscriptions of one peer: ids, frames, and their end. Ids are scoped to the connection. */
export class Subscriptions {
  readonly #peer: Peer;
  readonly #open = new Map<number, Open>();

  constructor(peer: Peer) {
    this.#peer = peer;
  }

  get size(): number {
    return this.#open.size;
  }

  /**
   * Opens one stream; items pushed before `release` wait for it, so the reply always comes first.
   * @throws RpcError -32006 beyond 1,024 subscriptions
   */
  async open(
    notification: string,
    caller: Principal,
    start: (push: Push<unknown>) => unknown,
  ): Promise<{ id: number; release: () => void }> {
    if (this.#open.size >= LIMIT) {
      throw new RpcError(-32006, 'Too many subscriptions on the connection', {
        data: `Exceeded max limit of ${LIMIT}`,
      });
    }
    const id = this.#freshId();
    const peer = this.#peer;
    let held: string[] | undefined = [];
    const entry: Open = { close: () => {} };
    this.#open.set(id, entry);
    const push = ((item: unknown) => {
      if (this.#open.get(id) !== entry) return false;
      const result = item instanceof RawJson ? String(item.text) : stringifyJson(item);
      const frame = `{"jsonrpc":"2.0","method":${JSON.stringify(notification)},"params":{"subscription":${id},"result":${result}}}`;
      if (!held) peer.send(frame);
      else if (held.length < HELD_LIMIT) held.push(frame);
      else return false;
      return true;
    }) as { (item: unknown): boolean; buffered: () => number; end: () => void };
    push.buffered = () => peer.buffered;
    push.end = () => this.close(id);
    try {
      const stop = await start(push);
      this.#install(
        id,
        entry,
        caller,
        typeof stop === 'function' ? (stop as () => void) : () => {},
      );
    } catch (error) {
      this.#open.delete(id);
      throw error;
    }
    return {
      id,
      release: () => {
        const frames = held ?? [];
        held = undefined;
        for (const frame of frames) peer.send(frame);
      },
    };
  }

  /** @returns whether it was open */
  close(id: number): boolean {
    const entry = this.#open.get(id);
    if (!entry) return false;
    this.#open.delete(id);
    entry.close();
    return true;
  }

  closeAll(): void {
    for (const id of [...this.#open.keys()]) this.close(id);
  }

  #install(id: number, entry: Open, caller: Principal, stop: () => void): void {
    const end = () => {
      this.close(id);
    };
    entry.close = () => {
      caller.ended.removeEventListener('abort', end);
      stop();
    };
    // The peer or the stream may have gone while it was being opened.
    if (this.#open.get(id) !== entry || this.#peer.closed.aborted || caller.ended.aborted) {
      this.#open.delete(id);
      entry.close();
      return;
    }
    // One credential may hold any number of subscriptions.
    setMaxListeners(0, caller.ended);
    caller.ended.addEventListener('abort', end, { once: true });
  }

  #freshId(): number {
    for (;;) {
      const id = randomBytes(8).readBigUInt64LE() & 0x1fffffffffffffn;
      if (!this.#open.has(Number(id))) return Number(id);
    }
  }
}

import type { Readable } from 'node:stream';
import type { ScriptHost } from './api.ts';
import type { FetchOrder } from './fetch-order.ts';
import { gate } from './gate.ts';
import type { Answer } from './messages.ts';

/** Fetches of one run at a time; more wait (js-runtime.md §6.1). */
const MOST_FETCHES = 500;
/** Answers whose bodies were not read to the end; the oldest body is given up when there are more. */
const MOST_UNREAD = 1_000;
/** Bytes of fetched bodies that are held for one run at a time. */
const MOST_HELD = 64 * 1_048_576;

/** A fetch from its order until its body is read or given up. */
interface Fetch {
  readonly abort: AbortController;
  body?: Readable;
  isRead: boolean;
}

/** The fetches of one run and their bodies. The script numbers them. */
export class Fetches {
  readonly #send: ScriptHost['fetch'];
  readonly #gate = gate(MOST_FETCHES);
  readonly #open = new Map<number, Fetch>();
  /** Bytes of bodies that were read as a whole and are not released yet. */
  readonly #held = new Map<number, number>();
  #bytes = 0;

  constructor(send: ScriptHost['fetch']) {
    this.#send = send;
  }

  async start(order: FetchOrder, bytes: Uint8Array | undefined): Promise<Answer> {
    const { key, method } = order;
    if (this.#open.has(key)) throw new TypeError('the request is malformed');
    const fetch: Fetch = { abort: new AbortController(), isRead: false };
    this.#open.set(key, fetch);
    try {
      const answer = await this.#gate(() => this.#request(order, fetch, bytes));
      const { status, url, redirected, headers, body } = answer;
      const isEmpty = method === 'HEAD' || [204, 205, 304].includes(status);
      if (isEmpty) {
        body.resume();
        this.#open.delete(key);
      } else this.#keep(fetch, body);
      return { text: JSON.stringify({ status, redirected, url, headers, body: !isEmpty }) };
    } catch (error) {
      this.#open.delete(key);
      throw error;
    }
  }

  /** Reads a whole body, which the script's thread holds until it is `released`. */
  async pull(key: number): Promise<Answer> {
    const body = this.#reading(key);
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of body) {
        this.#hold(key, (chunk as Buffer).length);
        chunks.push(chunk as Buffer);
      }
    } catch (error) {
      this.released(key);
      throw failed(error);
    } finally {
      this.#open.delete(key);
    }
    return { text: 'null', bytes: new Uint8Array(Buffer.concat(chunks)), body: key };
  }

  /** The next piece of a body. */
  async chunk(key: number): Promise<Answer> {
    const body = this.#reading(key);
    for (;;) {
      const chunk = body.read() as Buffer | null;
      if (chunk !== null) {
        this.#reading(key, false);
        return { text: String(chunk.length), bytes: new Uint8Array(chunk) };
      }
      if (body.readableEnded || body.destroyed) {
        this.#open.delete(key);
        if (body.errored) throw failed(body.errored);
        return { text: 'null' };
      }
      await nextEvent(body);
    }
  }

  /** Closes the connection of a fetch that the script has given up. */
  cancel(key: number): void {
    const { abort, body } = this.#open.get(key) ?? {};
    abort?.abort();
    body?.destroy();
    // One without an answer leaves by itself.
    if (body) this.#open.delete(key);
  }

  /** The script's thread does not hold this body any more. */
  released(key: number): void {
    this.#bytes -= this.#held.get(key) ?? 0;
    this.#held.delete(key);
  }

  end(): void {
    for (const key of [...this.#open.keys()]) this.cancel(key);
  }

  #request(order: FetchOrder, { abort: { signal } }: Fetch, bytes: Uint8Array | undefined) {
    signal.throwIfAborted();
    const body = order.body ? (bytes ?? new Uint8Array()) : undefined;
    return this.#send({ ...order, body, signal });
  }

  #keep(fetch: Fetch, body: Readable): void {
    // An error that comes before the script reads is kept by the stream and given to the next read.
    body.on('error', () => undefined);
    fetch.body = body;
    if (fetch.abort.signal.aborted) body.destroy();
    if (this.#open.size > MOST_UNREAD) this.#giveUpOldest();
  }

  #giveUpOldest(): void {
    for (const [key, { body, isRead }] of this.#open) {
      if (!body || isRead) continue;
      this.cancel(key);
      return;
    }
  }

  #hold(key: number, bytes: number): void {
    this.#held.set(key, (this.#held.get(key) ?? 0) + bytes);
    this.#bytes += bytes;
    if (this.#bytes > MOST_HELD) throw new Error(`one run may hold ${MOST_HELD} bytes of bodies`);
  }

  #reading(key: number, isRead = true): Readable {
    const fetch = this.#open.get(key);
    if (!fetch?.body) throw new TypeError('the body is gone');
    fetch.isRead = isRead;
    return fetch.body;
  }
}

function failed(error: unknown): TypeError {
  const { message: cause } = error as Error;
  return new TypeError(`Failed to fetch: ${cause}`, { cause });
}

function nextEvent(body: Readable): Promise<void> {
  return new Promise((resolve) => {
    const names = ['readable', 'end', 'close', 'error'] as const;
    const done = () => {
      for (const name of names) body.off(name, done);
      resolve();
    };
    for (const name of names) body.on(name, done);
  });
}

import { setMaxListeners } from 'node:events';
import type { CloseFrame, Peer } from '@svc/plugin-sdk';

/** Bytes on their way to the other server that its reader has not taken: the window of one direction. */
export const WINDOW_BYTES = 1024 * 1024;
/** Told to the sender in pieces of this size; less than `LOW_BYTES`, or a sender would wait for ever. */
const ACK_BYTES = WINDOW_BYTES / 8;
/** A sender goes on when no more than this is on its way. */
const LOW_BYTES = WINDOW_BYTES / 4;
/** One message of the bus holds about this much at most: it travels whole. */
const PIECE_BYTES = 256 * 1024;
/** What a message costs beside its bytes: empty ones must not be free. */
const MESSAGE_BYTES = 256;

/** What goes between the two ends of a relayed side, in order. */
export type RelayPart =
  | { readonly kind: 'data'; readonly sizes: readonly number[]; readonly bytes: Uint8Array }
  | { readonly kind: 'taken'; readonly bytes: number }
  | { readonly kind: 'close'; readonly code?: number | undefined; readonly reason: string }
  | { readonly kind: 'broken' };

interface Message {
  readonly data: Buffer;
  readonly binary: boolean;
}

export interface RelayWire {
  /** @returns false: it was dropped */
  send(part: RelayPart): boolean;
  /** Resolves when the bus takes more. */
  drained(): Promise<void>;
  /** The channel is over: nothing more is sent or received. */
  ended(): void;
}

const costOf = (bytes: number): number => bytes + MESSAGE_BYTES;

/**
 * The socket of another server, as a peer of this one: what is sent here is sent there. Bounded both ways: the other end
 * tells what its reader has taken, and no more than a window is ever on its way.
 */
export class RelayPeer implements Peer {
  readonly id: string;
  readonly address = 'relayed';
  closeFrame: CloseFrame | undefined;
  readonly #wire: RelayWire;
  readonly #closed = new AbortController();
  #queue: Message[] = [];
  #queued = 0;
  /** Sent and not taken yet. */
  #underWay = 0;
  #pumping = false;
  #closing: { readonly code: number | undefined; readonly reason: string } | undefined;
  #drains: (() => void)[] = [];
  #listener: ((data: Buffer, binary: boolean) => void) | undefined;
  #inbox: Message[] = [];
  #paused = true;
  /** Handed to the listener since the last word of it. */
  #taken = 0;

  constructor(id: string, wire: RelayWire) {
    this.id = id;
    this.#wire = wire;
    setMaxListeners(0, this.closed);
  }

  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  get buffered(): number {
    return this.#queued + this.#underWay;
  }

  send(data: string | Uint8Array): void {
    this.#put(data, typeof data !== 'string');
  }

  sendText(data: string | Uint8Array): void {
    this.#put(data, false);
  }

  close(code?: number, reason = ''): void {
    if (this.#closing || this.closed.aborted) return;
    this.#closing = { code, reason };
    this.#start();
  }

  raiseMessageLimit(): void {
    // Who holds the socket decides about its limits.
  }

  listen(onMessage: (data: Buffer, binary: boolean) => void): void {
    this.#listener = onMessage;
    this.resume();
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#deliver();
  }

  drained(): Promise<void> {
    if (this.closed.aborted || this.buffered <= LOW_BYTES) return Promise.resolve();
    return new Promise((resolve) => this.#drains.push(resolve));
  }

  /** A part came from the other end. */
  receive(part: RelayPart): void {
    if (this.closed.aborted) return;
    if (part.kind === 'data') {
      for (const message of messagesOf(part.sizes, part.bytes)) this.#inbox.push(message);
      this.#deliver();
    } else if (part.kind === 'taken') {
      this.#underWay = Math.max(0, this.#underWay - part.bytes);
      this.#wakeDrains();
      this.#start();
    } else if (part.kind === 'close') this.#end({ code: part.code, reason: part.reason });
    else this.fail();
  }

  /** The channel broke: bytes were lost, or the other server. */
  fail(): void {
    this.#end(undefined);
  }

  #end(frame: CloseFrame | undefined): void {
    if (this.closed.aborted) return;
    // At most a window: what was said before the end is passed on, whoever reads it.
    this.#paused = false;
    this.#deliver();
    this.closeFrame = frame;
    this.#finish();
  }

  #finish(): void {
    this.#queue = [];
    this.#queued = 0;
    this.#inbox = [];
    this.#closed.abort();
    this.#wire.ended();
    this.#wakeDrains();
  }

  #put(data: string | Uint8Array, binary: boolean): void {
    if (this.#closing || this.closed.aborted) return;
    const bytes = typeof data === 'string' ? Buffer.from(data) : bufferOf(data);
    this.#queue.push({ data: bytes, binary });
    this.#queued += costOf(bytes.length);
    this.#start();
  }

  #start(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    // What is sent in one turn of the event loop travels together.
    setImmediate(() => void this.#pump());
  }

  /** Never rejects: the wire does not. */
  async #pump(): Promise<void> {
    while (!this.closed.aborted && this.#queue.length > 0 && this.#underWay < WINDOW_BYTES) {
      if (!this.#wire.send(this.#piece())) this.fail();
      else await this.#wire.drained();
    }
    this.#pumping = false;
    if (this.#queue.length > 0 || !this.#closing || this.closed.aborted) return;
    this.#wire.send({ kind: 'close', ...this.#closing });
    this.#finish();
  }

  #piece(): RelayPart {
    const some: Message[] = [];
    let cost = 0;
    for (const message of this.#queue) {
      if (some.length > 0 && cost >= PIECE_BYTES) break;
      some.push(message);
      cost += costOf(message.data.length);
    }
    this.#queue.splice(0, some.length);
    this.#queued -= cost;
    this.#underWay += cost;
    const sizes = some.map(({ data, binary }) => (binary ? data.length : ~data.length));
    return { kind: 'data', sizes, bytes: Buffer.concat(some.map(({ data }) => data)) };
  }

  #deliver(): void {
    while (!this.#paused && this.#listener) {
      const message = this.#inbox.shift();
      if (!message) return;
      this.#taken += costOf(message.data.length);
      this.#listener(message.data, message.binary);
      if (this.#taken >= ACK_BYTES) {
        const bytes = this.#taken;
        this.#taken = 0;
        this.#wire.send({ kind: 'taken', bytes });
      }
    }
  }

  #wakeDrains(): void {
    if (!this.closed.aborted && this.buffered > LOW_BYTES) return;
    const waiting = this.#drains;
    this.#drains = [];
    for (const resolve of waiting) resolve();
  }
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** The messages of one piece; a text has the complement of its length as size. */
function* messagesOf(sizes: readonly number[], bytes: Uint8Array): Generator<Message> {
  const buffer = bufferOf(bytes);
  let at = 0;
  for (const size of sizes) {
    const length = size < 0 ? ~size : size;
    yield { data: buffer.subarray(at, at + length), binary: size >= 0 };
    at += length;
  }
}

/** Bytes on their way to the other server that its reader has not taken: the window of one direction. */
const WINDOW_BYTES = 1024 * 1024;
/** The reader acknowledges pieces of this size; less than `LOW_BYTES`, or a sender would wait without end. */
const ACKNOWLEDGED_BYTES = WINDOW_BYTES / 8;
/** A sender continues when no more than this is on its way. */
const LOW_BYTES = WINDOW_BYTES / 4;
/** One message of the bus holds about this much at most: it travels whole. */
const PIECE_BYTES = 256 * 1024;
/** Cost of a message in addition to its bytes: empty ones must not be free. */
const MESSAGE_BYTES = 256;

/** Messages, and acknowledged bytes, of one direction. The size of a text is the complement of its length. */
export type WindowPart =
  | { readonly kind: 'data'; readonly sizes: readonly number[]; readonly bytes: Uint8Array }
  | { readonly kind: 'taken'; readonly bytes: number };

interface Message {
  readonly data: Buffer;
  readonly binary: boolean;
}

const costOf = (bytes: number): number => bytes + MESSAGE_BYTES;

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

export interface OutgoingOptions {
  /** @returns false: the part was dropped */
  readonly send: (part: WindowPart) => boolean;
  /** Resolves when the bus takes more. */
  readonly drained: () => Promise<void>;
  /** Everything has been sent. */
  readonly emptied: () => void;
  readonly broken: () => void;
}

/** The outgoing direction of a channel: at most a window is on its way, the rest waits here. */
export class Outgoing {
  readonly #options: OutgoingOptions;
  #queue: Message[] = [];
  #queuedBytes = 0;
  /** Sent and not acknowledged. */
  #sentBytes = 0;
  #isPumping = false;
  #isStopped = false;
  #drains: (() => void)[] = [];

  constructor(options: OutgoingOptions) {
    this.#options = options;
  }

  get bytes(): number {
    return this.#queuedBytes + this.#sentBytes;
  }

  put(data: string | Uint8Array, binary: boolean): void {
    const bytes = typeof data === 'string' ? Buffer.from(data) : bufferOf(data);
    this.#queue.push({ data: bytes, binary });
    this.#queuedBytes += costOf(bytes.length);
    this.start();
  }

  /** The other end's reader has taken so much. */
  acknowledged(bytes: number): void {
    this.#sentBytes = Math.max(0, this.#sentBytes - bytes);
    this.#wakeDrains();
    this.start();
  }

  drained(): Promise<void> {
    if (this.#isStopped || this.bytes <= LOW_BYTES) return Promise.resolve();
    return new Promise((resolve) => this.#drains.push(resolve));
  }

  /** Sends what the window allows; what is put in one turn of the event loop travels together. */
  start(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    setImmediate(() => void this.#pump());
  }

  stop(): void {
    this.#isStopped = true;
    this.#queue = [];
    this.#queuedBytes = 0;
    this.#wakeDrains();
  }

  /** Never rejects: the bus does not. */
  async #pump(): Promise<void> {
    const { send, drained, emptied, broken } = this.#options;
    while (!this.#isStopped && this.#queue.length > 0 && this.#sentBytes < WINDOW_BYTES) {
      if (send(this.#nextPiece())) await drained();
      else broken();
    }
    this.#isPumping = false;
    if (!this.#isStopped && this.#queue.length === 0) emptied();
  }

  #nextPiece(): WindowPart {
    const some: Message[] = [];
    let cost = 0;
    for (const message of this.#queue) {
      if (some.length > 0 && cost >= PIECE_BYTES) break;
      some.push(message);
      cost += costOf(message.data.length);
    }
    this.#queue.splice(0, some.length);
    this.#queuedBytes -= cost;
    this.#sentBytes += cost;
    const sizes = some.map(({ data, binary }) => (binary ? data.length : ~data.length));
    return { kind: 'data', sizes, bytes: Buffer.concat(some.map(({ data }) => data)) };
  }

  #wakeDrains(): void {
    if (!this.#isStopped && this.bytes > LOW_BYTES) return;
    for (const resolve of this.#drains.splice(0)) resolve();
  }
}

type Listener = (data: Buffer, binary: boolean) => void;

/** The incoming direction of a channel: hands messages to the listener, and acknowledges what it has taken. */
export class Incoming {
  readonly #send: (part: WindowPart) => void;
  #messages: Message[] = [];
  #listener: Listener | undefined;
  #isPaused = true;
  #takenBytes = 0;

  constructor(send: (part: WindowPart) => void) {
    this.#send = send;
  }

  listen(listener: Listener): void {
    this.#listener = listener;
    this.resume();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#deliver();
  }

  receive({ sizes, bytes }: Extract<WindowPart, { kind: 'data' }>): void {
    const buffer = bufferOf(bytes);
    let at = 0;
    for (const size of sizes) {
      const length = size < 0 ? ~size : size;
      this.#messages.push({ data: buffer.subarray(at, at + length), binary: size >= 0 });
      at += length;
    }
    this.#deliver();
  }

  /** The channel ends: the listener gets what came before, at most a window, even if it is paused. */
  flush(): void {
    for (const { data, binary } of this.#messages.splice(0)) this.#listener?.(data, binary);
  }

  #deliver(): void {
    while (!this.#isPaused && this.#listener) {
      const message = this.#messages.shift();
      if (!message) return;
      this.#takenBytes += costOf(message.data.length);
      this.#listener(message.data, message.binary);
      if (this.#takenBytes < ACKNOWLEDGED_BYTES) continue;
      this.#send({ kind: 'taken', bytes: this.#takenBytes });
      this.#takenBytes = 0;
    }
  }
}

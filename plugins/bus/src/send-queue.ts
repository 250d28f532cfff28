import type { Logger } from '@svc/plugin-sdk';
import type { BusFrame } from './api.ts';
import { type Counts, encodeFrame } from './frame.ts';
import type { ReconnectingTransport } from './reconnecting-transport.ts';

/** Bytes that may wait for one receiver, and for all together. */
export const MAX_WAITING = 8 * 1024 * 1024;
const MAX_ALL = 4 * MAX_WAITING;
const DRAINED = 256 * 1024;
/** What one `send` of the transport takes. */
const BATCH_FRAMES = 64;
const BATCH_BYTES = 512 * 1024;
const RETRY_MS = 100;
/** A batch that the transport refuses this often although it is connected is dropped: the numbers tell the others. */
const ATTEMPTS = 5;

/** Messages to one receiver, or to everybody. */
interface Stream {
  readonly to: string | undefined;
  queue: { readonly text: string; readonly bytes: number }[];
  /** Queued and on their way. */
  bytes: number;
  /** Number of the last frame. */
  n: number;
  waiting: (() => void)[];
  full: boolean;
}

interface Batch {
  readonly frames: BusFrame[];
  readonly sizes: Map<Stream, number>;
  bytes: number;
  attempts: number;
}

const newStream = (to?: string): Stream => {
  return { to, queue: [], bytes: 0, n: 0, waiting: [], full: false };
};

export interface SendQueueOptions {
  readonly id: string;
  readonly line: ReconnectingTransport;
  readonly frameBytes: number;
  /** The beat to send now, after frames of these numbers. */
  readonly beat: (n: number, direct: Counts) => string;
  readonly log: Logger;
}

/** Messages on their way to the transport: those of one turn leave together, one batch at a time, until it has taken it. */
export class SendQueue {
  readonly #options: SendQueueOptions;
  readonly #all = newStream();
  readonly #direct = new Map<string, Stream>();
  /** Bytes of all streams. */
  #waiting = 0;
  #batch: Batch | undefined;
  #beat = false;
  #up = false;
  #running = false;
  #idle: (() => void)[] = [];

  constructor(options: SendQueueOptions) {
    this.#options = options;
  }

  /** When too much waits, all of it is dropped: the numbers tell the others. */
  publish(text: string): void {
    if (this.#put(this.#all, text)) return;
    if (!this.#all.full) {
      this.#options.log.warn('too much waits to be sent, other servers will read again', {
        bytes: this.#all.bytes,
      });
    }
    this.#all.full = true;
    this.#empty(this.#all);
  }

  /** A message that has no form on the wire counts as lost. */
  skip(): void {
    this.#all.n++;
  }

  send(to: string, text: string): boolean {
    const stream = this.#direct.get(to) ?? newStream(to);
    this.#direct.set(to, stream);
    return this.#put(stream, text);
  }

  drained(to: string): Promise<void> {
    const stream = this.#direct.get(to);
    if (!stream || stream.bytes < DRAINED) return Promise.resolve();
    return new Promise((resolve) => stream.waiting.push(resolve));
  }

  /** Its receiver is dead: what waits for it is dropped. */
  drop(to: string): void {
    const stream = this.#direct.get(to);
    if (!stream) return;
    this.#empty(stream);
    release(stream);
  }

  forget(to: string): void {
    this.#direct.delete(to);
  }

  beat(): void {
    this.#beat = true;
    this.#pump();
  }

  up(): void {
    this.#up = true;
    this.#pump();
  }

  down(): void {
    this.#up = false;
  }

  /** Resolves when nothing waits. */
  idle(): Promise<void> {
    if (!this.#running && (!this.#up || !this.#hasWork())) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Gives up what still waits. */
  close(): void {
    this.down();
    for (const stream of this.#direct.values()) release(stream);
  }

  #put(stream: Stream, text: string): boolean {
    const bytes = Buffer.byteLength(text);
    if (stream.bytes + bytes > MAX_WAITING || this.#waiting + bytes > MAX_ALL) return false;
    stream.queue.push({ text, bytes });
    this.#count(stream, bytes);
    this.#pump();
    return true;
  }

  #count(stream: Stream, bytes: number): void {
    stream.bytes += bytes;
    this.#waiting += bytes;
  }

  /** The number of a frame that never leaves tells the receivers. */
  #empty(stream: Stream): void {
    for (const { bytes } of stream.queue.splice(0)) this.#count(stream, -bytes);
    stream.n++;
  }

  #hasWork(): boolean {
    if (this.#batch || this.#beat || this.#all.queue.length > 0) return true;
    return [...this.#direct.values()].some(({ queue }) => queue.length > 0);
  }

  #pump(): void {
    if (this.#running || !this.#up) return;
    this.#running = true;
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    while (this.#up && this.#hasWork()) {
      this.#batch ??= this.#fill();
      if (await this.#try(this.#batch)) {
        this.#done(this.#batch);
        this.#batch = undefined;
      } else {
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
    this.#running = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  async #try(batch: Batch): Promise<boolean> {
    const { line, log } = this.#options;
    try {
      await line.send(batch.frames);
      return true;
    } catch (error) {
      if (++batch.attempts < ATTEMPTS) return false;
      log.error('messages cannot be sent and are dropped', { error });
      return true;
    }
  }

  #fill(): Batch {
    const batch: Batch = { frames: [], sizes: new Map(), bytes: 0, attempts: 0 };
    // A frame of each in turn: who sends much holds nobody up.
    const queued = ({ queue }: Stream) => queue.length > 0;
    let open = [this.#all, ...this.#direct.values()].filter(queued);
    for (; open.length > 0 && hasRoom(batch); open = open.filter(queued)) {
      for (const stream of open) if (hasRoom(batch)) this.#frame(stream, batch);
    }
    if (this.#beat && hasRoom(batch)) {
      this.#beat = false;
      const numbers = [...this.#direct].map(([to, { n }]) => [to, n]);
      const text = this.#options.beat(this.#all.n, Object.fromEntries(numbers));
      batch.frames.push({ to: undefined, text });
    }
    return batch;
  }

  /** As many messages as one frame takes, at least one. */
  #frame(stream: Stream, batch: Batch): void {
    const { id, frameBytes } = this.#options;
    const head = encodeFrame({ from: id, to: stream.to, n: stream.n + 1 }, []);
    let bytes = Buffer.byteLength(head);
    let count = 0;
    for (const message of stream.queue) {
      if (count > 0 && bytes + message.bytes + 1 > frameBytes) break;
      bytes += message.bytes + 1;
      count++;
    }
    const messages = stream.queue.splice(0, count);
    const size = messages.reduce((sum, message) => sum + message.bytes, 0);
    const texts = messages.map(({ text }) => text);
    const text = encodeFrame({ from: id, to: stream.to, n: ++stream.n }, texts);
    batch.frames.push({ to: stream.to, text });
    batch.sizes.set(stream, (batch.sizes.get(stream) ?? 0) + size);
    batch.bytes += bytes;
  }

  #done({ sizes }: Batch): void {
    for (const [stream, size] of sizes) {
      this.#count(stream, -size);
      stream.full = false;
      if (stream.bytes < DRAINED) release(stream);
    }
  }
}

const hasRoom = ({ frames, bytes }: Batch): boolean =>
  frames.length < BATCH_FRAMES && bytes < BATCH_BYTES;

function release(stream: Stream): void {
  for (const resolve of stream.waiting.splice(0)) resolve();
}

import { encodeFrame } from './frame.ts';

/** Bytes of messages that may wait for one receiver. */
export const MAX_WAITING = 8 * 1024 * 1024;
/** A sender of much goes on when less than this waits. */
const DRAINED = 256 * 1024;

interface Queued {
  readonly text: string;
  readonly bytes: number;
}

/** Messages to one server, or to all others. They leave in frames with consecutive numbers. */
export class Stream {
  /** The only receiver; undefined: all other servers. */
  readonly to: string | undefined;
  /** Number of the last frame. */
  number = 0;
  /** Bytes of messages that are queued, or that the transport has not taken yet. */
  bytes = 0;
  #queue: Queued[] = [];
  #waiting: (() => void)[] = [];

  constructor(to?: string) {
    this.to = to;
  }

  get isEmpty(): boolean {
    return this.#queue.length === 0;
  }

  add(text: string, bytes: number): void {
    this.#queue.push({ text, bytes });
    this.bytes += bytes;
  }

  /** Drops what is queued. A number without a frame tells the receivers that messages were lost. */
  clear(): void {
    for (const { bytes } of this.#queue.splice(0)) this.bytes -= bytes;
    this.skipNumber();
  }

  skipNumber(): void {
    this.number++;
  }

  /** The next frame: as many messages as it may hold, at least one. `taken`: bytes of its messages. */
  nextFrame(from: string, frameBytes: number): { text: string; taken: number } {
    const head = { from, to: this.to, number: ++this.number };
    let room = frameBytes - Buffer.byteLength(encodeFrame(head, []));
    let count = 0;
    for (const { bytes } of this.#queue) {
      if (count > 0 && bytes + 1 > room) break;
      room -= bytes + 1;
      count++;
    }
    const messages = this.#queue.splice(0, count);
    const taken = messages.reduce((sum, { bytes }) => sum + bytes, 0);
    const texts = messages.map(({ text }) => text);
    return { text: encodeFrame(head, texts), taken };
  }

  /** The transport has taken messages of so many bytes. */
  sent(bytes: number): void {
    this.bytes -= bytes;
    if (this.bytes < DRAINED) this.release();
  }

  /** Resolves when little waits, or on `release`. */
  drained(): Promise<void> {
    if (this.bytes < DRAINED) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Lets the senders go on that wait. */
  release(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

import type { Content } from '../api.ts';
import { sizeOf, type Usage } from './usage.ts';

/** The room that one new file takes in its bucket, counted while its content comes. */
export class Room {
  readonly #usage: Usage;
  readonly #most: number;
  /** Bytes for which the replaced file counts. */
  readonly #before: number;
  #taken = 0;
  #length = 0;

  constructor(usage: Usage, most: number, before: number | undefined) {
    this.#usage = usage;
    this.#most = most;
    this.#before = before === undefined ? 0 : sizeOf(before);
  }

  /** The content, which fails with BucketFull where the bucket is full. @throws BucketFull when that is known before */
  async counted(content: Content): Promise<Content> {
    await this.#usage.ready();
    await this.#grow(content instanceof Uint8Array ? content.length : 0);
    return content instanceof Uint8Array ? content : this.#stream(content);
  }

  /** Counts the new file, and the replaced one no longer. */
  kept(): void {
    this.#usage.received(this.#taken);
    this.#usage.add(-this.#before);
  }

  /** Gives the room back: nothing was written. */
  undone(): void {
    this.#usage.received(this.#taken);
    this.#usage.add(-this.#taken);
  }

  async *#stream(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of content) {
      await this.#grow(chunk.length);
      yield chunk;
    }
  }

  async #grow(bytes: number): Promise<void> {
    this.#length += bytes;
    const more = sizeOf(this.#length) - this.#taken;
    if (more <= 0) return;
    await this.#usage.receive(more, this.#most, this.#before);
    this.#taken += more;
  }
}

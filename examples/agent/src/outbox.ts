import type { Channel } from './channel.ts';

/** Messages kept while they cannot be sent (clients.md §2.5). */
const CAPACITY = 32;
/** With this much unsent, a slow server's messages wait in the ring, where old ones give way to new ones. */
const MAX_BACKLOG_BYTES = 256 * 1024;

/** The way out to one server: a ring of 32 messages, emptied whenever the connection takes them. */
export class Outbox {
  readonly #ring: string[] = [];
  #channel: Channel | undefined;
  #dropped = 0;

  /** Sends now, or keeps the message and drops the oldest of more than 32. */
  post(text: string): void {
    this.#ring.push(text);
    this.#pump();
    if (this.#ring.length > CAPACITY) {
      this.#ring.shift();
      this.#dropped += 1;
    }
  }

  /** Sends what has waited, then everything that comes. Gives what had been lost since the last time. */
  attach(channel: Channel): { waited: number; dropped: number } {
    const result = { waited: this.#ring.length, dropped: this.#dropped };
    this.#dropped = 0;
    this.#channel = channel;
    this.#pump();
    return result;
  }

  detach(): void {
    this.#channel = undefined;
  }

  #pump(): void {
    const channel = this.#channel;
    const mayGo = () => channel?.isOpen && channel.backlog < MAX_BACKLOG_BYTES;
    while (channel && this.#ring.length > 0 && mayGo()) {
      const text = this.#ring.shift();
      if (text !== undefined) channel.send(text, () => this.#resume(channel));
    }
  }

  #resume(channel: Channel): void {
    if (channel === this.#channel) this.#pump();
  }
}

import type { Channel } from './channel.ts';

/** Messages kept while they cannot be sent (clients.md §2.5). */
const CAPACITY = 32;
/** Characters of all kept messages together: results of `http_request` can be large. */
const MAX_CHARACTERS = 128 * 1024 * 1024;
/** While this much is unsent, further messages stay in the ring, where a new one displaces an old one. */
const MAX_BACKLOG_BYTES = 256 * 1024;

interface Message {
  readonly text: string;
  /** No later message says the same (a task's result), so reports are dropped first. */
  readonly isUnique: boolean;
}

/** The messages to one server: a ring of 32, sent as soon as the connection takes them. */
export class Outbox {
  readonly #ring: Message[] = [];
  #channel: Channel | undefined;
  #dropped = 0;
  #characters = 0;

  /** Sends now, or keeps the message. Beyond 32 the oldest report is dropped; a result only when no report is left. */
  post(text: string, { isUnique = false } = {}): void {
    this.#ring.push({ text, isUnique });
    this.#characters += text.length;
    this.#pump();
    const isFull = () => this.#ring.length > CAPACITY || this.#characters > MAX_CHARACTERS;
    while (isFull() && this.#ring.length > 1) {
      this.#take(
        Math.max(
          0,
          this.#ring.findIndex((message) => !message.isUnique),
        ),
      );
      this.#dropped += 1;
    }
  }

  /** Sends the kept messages, then every new one. Returns how many were kept, and dropped since the last connection. */
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
      const text = this.#take(0);
      if (text !== undefined) channel.send(text, () => this.#resume(channel));
    }
  }

  #take(index: number): string | undefined {
    const [message] = this.#ring.splice(index, 1);
    this.#characters -= message?.text.length ?? 0;
    return message?.text;
  }

  #resume(channel: Channel): void {
    if (channel === this.#channel) this.#pump();
  }
}

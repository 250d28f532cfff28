import type { Channel } from './channel.ts';
import type { Report } from './spool.ts';

/** Messages kept while they cannot be sent (clients.md §2.5). */
const CAPACITY = 32;
/** Characters of all kept messages together: results of `http_request` can be large. */
const MAX_CHARACTERS = 128 * 1024 * 1024;
/** Backlog from which further messages stay in the ring, where a new one displaces an old one. */
const MAX_BACKLOG_BYTES = 256 * 1024;
/** Sent reports that are remembered until the server has answered. */
const MAX_UNANSWERED = 256;

interface Message {
  readonly text: string;
  /** Tells whether no later message says the same (a task's result); reports are dropped first. */
  readonly isUnique: boolean;
  /** Report that can wait on the disk when it cannot be sent. */
  readonly report: Report | undefined;
}

/** The messages to one server: a ring of 32, sent as soon as the connection takes them. */
export class Outbox {
  readonly #ring: Message[] = [];
  /** One entry for each request without an answer, in the order of sending. */
  #unanswered: (Report | undefined)[] = [];
  readonly #spool: ((report: Report) => void) | undefined;
  #channel: Channel | undefined;
  #dropped = 0;
  #characters = 0;

  /** `spool` stores the reports that no connection took. */
  constructor(spool?: (report: Report) => void) {
    this.#spool = spool;
  }

  get isAttached(): boolean {
    return this.#channel !== undefined;
  }

  /** Sends now, or keeps the message. Beyond 32 the oldest report is dropped; a result only when no report is left. */
  post(text: string, { isUnique = false, report }: Partial<Omit<Message, 'text'>> = {}): void {
    this.#ring.push({ text, isUnique, report });
    this.#characters += text.length;
    this.#pump();
    const isFull = () => this.#ring.length > CAPACITY || this.#characters > MAX_CHARACTERS;
    while (isFull() && this.#ring.length > 1) {
      const oldest = this.#ring.findIndex((message) => !message.isUnique);
      const message = this.#remove(Math.max(0, oldest));
      if (message?.report && this.#spool) this.#spool(message.report);
      else this.#dropped += 1;
    }
  }

  /** Sends now, past the ring, or not at all: for what is made again soon. */
  sendNow(text: string): boolean {
    const channel = this.#channel;
    if (!channel?.isOpen || channel.backlog > MAX_BACKLOG_BYTES) return false;
    this.expectAnswer();
    channel.send(text);
    return true;
  }

  /** Notes a request that was sent past the ring, so that its answer is not taken for another's. */
  expectAnswer(report?: Report): void {
    if (!this.#spool) return;
    this.#unanswered.push(report);
    if (this.#unanswered.length > MAX_UNANSWERED) this.#unanswered.shift();
  }

  /** Records that the server has answered a request. All have the same id; on one connection their number tells enough. */
  answered(): void {
    this.#unanswered.shift();
  }

  /** Sends the kept messages, then every new one. Returns how many were kept, and dropped since the last connection. */
  attach(channel: Channel): { waited: number; dropped: number } {
    const result = { waited: this.#ring.length, dropped: this.#dropped };
    this.#dropped = 0;
    this.#channel = channel;
    this.#pump();
    return result;
  }

  /** Ends the use of a connection. Reports that it took and did not answer are kept when it broke. */
  detach({ isBroken = true } = {}): void {
    this.#channel = undefined;
    if (isBroken) this.#spoolAll(this.#unanswered);
    this.#unanswered = [];
  }

  /** Stores the reports that wait: no connection will come any more. */
  close(): void {
    this.#spoolAll(this.#ring.map(({ report }) => report));
    this.#ring.length = this.#characters = 0;
  }

  #spoolAll(reports: readonly (Report | undefined)[]): void {
    for (const report of reports) if (report) this.#spool?.(report);
  }

  #pump(): void {
    const channel = this.#channel;
    const mayGo = () => channel?.isOpen && channel.backlog < MAX_BACKLOG_BYTES;
    while (channel && this.#ring.length > 0 && mayGo()) {
      const message = this.#remove(0);
      if (!message) return;
      this.expectAnswer(message.report);
      channel.send(message.text, () => this.#resume(channel));
    }
  }

  #remove(index: number): Message | undefined {
    const [message] = this.#ring.splice(index, 1);
    this.#characters -= message?.text.length ?? 0;
    return message;
  }

  #resume(channel: Channel): void {
    if (channel === this.#channel) this.#pump();
  }
}

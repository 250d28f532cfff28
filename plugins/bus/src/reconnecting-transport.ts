import { inTime, type Logger } from '@svc/plugin-sdk';
import type { BusConnection, BusFrame, BusLink, BusTransport } from './api.ts';

const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 2_000;
/** The server sends every second: a connection that is dead without a word is noticed after this time. */
const ANSWER_MS = 4_000;
const CONNECT_MS = 10_000;

export interface ReconnectingTransportOptions {
  /** `Bus.id` of this server. */
  readonly id: string;
  readonly transport: BusTransport;
  readonly log: Logger;
  readonly receive: (text: string) => void;
  readonly up: () => void;
  readonly down: () => void;
  /** Frames may have passed unheard. */
  readonly lost: () => void;
}

/** A connection that is made again after every failure, until `close`. */
export class ReconnectingTransport {
  readonly #options: ReconnectingTransportOptions;
  #link: BusLink | undefined;
  #connection: BusConnection | undefined;
  #retry: NodeJS.Timeout | undefined;
  #retry_ms = 0;
  #closed = false;
  /** The loss has been told. */
  #told = false;

  constructor(options: ReconnectingTransportOptions) {
    this.#options = options;
  }

  get isUp(): boolean {
    return this.#connection !== undefined;
  }

  /** Resolves after the first attempt. */
  async open(): Promise<void> {
    const { transport, up } = this.#options;
    const link = this.#newLink();
    this.#link = link;
    try {
      const connecting = transport.connect(link);
      const connection = await inTime(CONNECT_MS, connecting).catch((error) => {
        // One that comes too late is of no use.
        connecting.then(close, () => undefined);
        throw error;
      });
      if (this.#link !== link) {
        close(connection);
        return;
      }
      this.#connection = connection;
    } catch (error) {
      this.#fail(link, error);
      return;
    }
    this.#retry_ms = 0;
    if (this.#told) this.#options.log.info('the bus is connected again');
    this.#told = false;
    up();
  }

  /** @throws when the connection is or gets lost */
  async send(frames: readonly BusFrame[]): Promise<void> {
    const link = this.#link;
    if (!link || !this.#connection) throw new Error('the bus is not connected');
    try {
      await inTime(ANSWER_MS, this.#connection.send(frames));
    } catch (error) {
      this.#fail(link, error);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    this.#link = undefined;
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close();
  }

  #newLink(): BusLink {
    const { id, receive, lost } = this.#options;
    const link: BusLink = {
      id,
      receive: (text) => {
        if (this.#link === link) receive(text);
      },
      lost: () => {
        if (this.#link === link) lost();
      },
      failed: (error) => this.#fail(link, error),
    };
    return link;
  }

  #fail(link: BusLink, error: unknown): void {
    if (this.#link !== link) return;
    this.#link = undefined;
    if (this.#connection) close(this.#connection);
    this.#connection = undefined;
    const { down, log, transport } = this.#options;
    if (!this.#told) {
      const { name } = transport;
      log.warn('the bus is not connected, other servers are not heard', { transport: name, error });
    }
    this.#told = true;
    down();
    if (this.#closed) return;
    this.#retry = setTimeout(() => void this.open(), this.#retry_ms);
    this.#retry_ms = Math.min(Math.max(FIRST_RETRY_MS, this.#retry_ms * 2), LAST_RETRY_MS);
  }
}

/** Nobody waits for the end of a connection that is lost, nor for its reasons. */
function close(connection: BusConnection): void {
  connection.close().catch(() => undefined);
}

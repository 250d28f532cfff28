import type { Clock, Logger } from '@svc/plugin-sdk';
import type { BusConnection, BusFrame, BusLink, BusTransport } from './api.ts';
import { inTime } from './deadline.ts';

const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 2_000;
/** A server sends every second, so a connection that died silently is noticed after this time. */
const ANSWER_MS = 4_000;
const CONNECT_MS = 10_000;

export interface ReconnectingTransportOptions {
  /** `Bus.id` of this server. */
  readonly id: string;
  readonly transport: BusTransport;
  readonly clock: Clock;
  readonly log: Logger;
  /** A frame came. */
  readonly receive: (text: string) => void;
  readonly connected: () => void;
  readonly disconnected: () => void;
  /** Frames of other servers may have been lost. */
  readonly lost: () => void;
}

/** A transport whose connection is made again after every failure, until `close`. */
export class ReconnectingTransport {
  readonly #options: ReconnectingTransportOptions;
  #link: BusLink | undefined;
  #connection: BusConnection | undefined;
  #cancelRetry: (() => void) | undefined;
  #retry_ms = 0;
  #closed = false;
  /** The log tells of a loss and of its end once each. */
  #lossLogged = false;

  constructor(options: ReconnectingTransportOptions) {
    this.#options = options;
  }

  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  /** Resolves after the first attempt. */
  async open(): Promise<void> {
    const { connected, log } = this.#options;
    const link = this.#newLink();
    this.#link = link;
    try {
      const connection = await this.#connect(link);
      if (this.#link !== link) {
        abandon(connection);
        return;
      }
      this.#connection = connection;
    } catch (error) {
      this.#fail(link, error);
      return;
    }
    this.#retry_ms = 0;
    if (this.#lossLogged) log.info('the bus is connected again');
    this.#lossLogged = false;
    connected();
  }

  /** @throws when there is no connection, or when it gets lost */
  async send(frames: readonly BusFrame[]): Promise<void> {
    const link = this.#link;
    if (!link || !this.#connection) throw new Error('the bus is not connected');
    try {
      await inTime(this.#options.clock, ANSWER_MS, this.#connection.send(frames));
    } catch (error) {
      this.#fail(link, error);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelRetry?.();
    this.#link = undefined;
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close();
  }

  async #connect(link: BusLink): Promise<BusConnection> {
    const { clock, transport } = this.#options;
    const connecting = transport.connect(link);
    try {
      return await inTime(clock, CONNECT_MS, connecting);
    } catch (error) {
      // A connection that comes too late is of no use.
      connecting.then(abandon, () => undefined);
      throw error;
    }
  }

  /** Calls of a connection that was given up are ignored. */
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
    if (this.#connection) abandon(this.#connection);
    this.#connection = undefined;
    const { clock, disconnected, log, transport } = this.#options;
    if (!this.#lossLogged) {
      const { name } = transport;
      log.warn('the bus is not connected, other servers are not heard', { transport: name, error });
    }
    this.#lossLogged = true;
    disconnected();
    if (this.#closed) return;
    this.#cancelRetry = clock.timeout(() => void this.open(), this.#retry_ms);
    this.#retry_ms = Math.min(Math.max(FIRST_RETRY_MS, this.#retry_ms * 2), LAST_RETRY_MS);
  }
}

/** Closes a lost connection without waiting for it. Why the closing fails does not matter. */
function abandon(connection: BusConnection): void {
  connection.close().catch(() => undefined);
}

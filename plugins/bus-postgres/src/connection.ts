import { randomUUID } from 'node:crypto';
import type { BusConnection, BusFrame, BusLink } from '@svc/plugin-bus/api';
import { within } from '@svc/plugin-sdk/util';
import type { Client, ClientConfig, Notification } from 'pg';
import { type Body, backendOf, listen, type Notice, notify, takeBodies } from './store.ts';

/** Longer frames travel as rows. A notification takes less than 8,000 bytes. */
const MAX_PAYLOAD = 7_900;
const ROW = 'row ';
const PROBE = 'probe ';
/** A notification arrives within milliseconds. */
const HEAR_MS = 5_000;
/** A database that takes the login and then stays silent is given up, and its socket closed. */
const QUERY_MS = 8_000;
/** Notifications that wait for a row. */
const MAX_WAITING = 10_000;

/** One connection for listening and notifying, in addition to the pool: a busy pool delays no message. */
export class Connection implements BusConnection {
  readonly #link: BusLink;
  readonly #client: Client;
  /** Channel of all servers. */
  #all = '';
  readonly #arrived: Notification[] = [];
  #reading = false;
  /** Called with the next probe that arrives. */
  #onProbe: (() => void) | undefined;
  #isDirect = false;

  private constructor(client: Client, link: BusLink) {
    this.#client = client;
    this.#link = link;
    client.on('error', (error) => link.failed(error));
    client.on('end', () => link.failed(new Error('the database closed the connection')));
    client.on('notification', (notification) => this.#arrive(notification));
  }

  /** @throws when the database is not there */
  static async open(settings: ClientConfig, link: BusLink): Promise<Connection> {
    // The driver costs memory, so only a server on Postgres loads it.
    const { default: pg } = await import('pg');
    const client = new pg.Client({ query_timeout: QUERY_MS, ...settings });
    const connection = new Connection(client, link);
    try {
      await client.connect();
      connection.#all = await listen(client, (all) => channelOf(all, link.id));
      return connection;
    } catch (error) {
      void connection.close();
      throw error;
    }
  }

  async send(frames: readonly BusFrame[]): Promise<void> {
    const notices: Notice[] = [];
    const bodies: Body[] = [];
    for (const { to, text } of frames) {
      const channel = to === undefined ? this.#all : channelOf(this.#all, to);
      if (Buffer.byteLength(text) <= MAX_PAYLOAD) {
        notices.push({ channel, payload: text });
        continue;
      }
      const id = randomUUID();
      bodies.push({ id, body: text });
      notices.push({ channel, payload: ROW + id });
    }
    await notify(this.#client, notices, bodies);
  }

  /**
   * Tells whether notifications arrive: behind a pooler in transaction mode none does, and nothing fails. `notifyOtherwise` sends
   * one over another connection.
   */
  async hears(
    notifyOtherwise: (channel: string, payload: string) => Promise<unknown>,
  ): Promise<boolean> {
    const { processID } = this.#client as { processID?: number };
    // A pooler tells a number of its own.
    this.#isDirect ||= (await backendOf(this.#client)) === processID;
    if (this.#isDirect) return true;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onProbe = resolve;
    await notifyOtherwise(channelOf(this.#all, this.#link.id), PROBE);
    return within(HEAR_MS, promise);
  }

  close(): Promise<void> {
    this.#arrived.length = 0;
    return this.#client.end();
  }

  #arrive(notification: Notification): void {
    const { processId, payload = '' } = notification;
    const { processID } = this.#client as { processID?: number };
    if (processId === processID) return;
    if (payload === PROBE) {
      this.#onProbe?.();
      return;
    }
    if (!this.#reading && !payload.startsWith(ROW)) {
      this.#link.receive(payload);
      return;
    }
    if (this.#arrived.length >= MAX_WAITING) {
      this.#arrived.length = 0;
      this.#link.lost();
    }
    this.#arrived.push(notification);
    if (!this.#reading) this.#read().catch((error: unknown) => this.#link.failed(error));
  }

  /** Frames that come after a row wait until it is read, so all stay in order. */
  async #read(): Promise<void> {
    this.#reading = true;
    try {
      while (this.#arrived.length > 0) {
        const arrived = this.#arrived.splice(0);
        const bodies = await this.#bodiesOf(arrived);
        for (const { payload = '' } of arrived) {
          const text = payload.startsWith(ROW) ? bodies.get(payload.slice(ROW.length)) : payload;
          if (text === undefined) this.#link.lost();
          else this.#link.receive(text);
        }
      }
    } finally {
      this.#reading = false;
    }
  }

  #bodiesOf(arrived: readonly Notification[]): Promise<Map<string, string>> {
    const idsOf = (all: boolean) =>
      arrived
        .filter(
          ({ payload = '', channel }) => payload.startsWith(ROW) && (channel === this.#all) === all,
        )
        .map(({ payload = '' }) => payload.slice(ROW.length));
    return takeBodies(this.#client, idsOf(true), idsOf(false));
  }
}

const channelOf = (all: string, id: string): string => `${all}_${id.replaceAll('-', '')}`;

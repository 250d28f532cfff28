import { type Clock, DatabaseChanged, type Logger } from '@svc/plugin-sdk';
import type { BusEvent, BusRequest, RemoteBus } from '@svc/plugin-sdk/kernel';
import type { BusTransport } from './api.ts';
import { inTime } from './deadline.ts';
import { type Counts, decodeFrame, encodeHeartbeat, encodeMessage } from './frame.ts';
import { OtherServers } from './other-servers.ts';
import { ReconnectingTransport } from './reconnecting-transport.ts';
import { SendQueue } from './send-queue.ts';
import { MAX_WAITING } from './stream.ts';

const TICK_MS = 250;
const HEARTBEAT_MS = 1_000;
/** Neither a start nor a stop waits longer for the connection. */
const WAIT_MS = 2_000;

export interface ServerBusOptions {
  readonly log: Logger;
  readonly clock: Clock;
  readonly request: BusRequest;
  readonly transport: BusTransport;
}

/** The way to the other servers: frames with numbers over a transport, and heartbeats. */
export class ServerBus implements RemoteBus {
  readonly #options: ServerBusOptions;
  readonly #others: OtherServers;
  readonly #transport: ReconnectingTransport;
  readonly #queue: SendQueue;
  #stopTicking: (() => void) | undefined;
  #closed = false;
  /** Messages since the start, and how often some of other servers were lost. */
  readonly counts = { sent: 0, received: 0, gaps: 0 };
  /** Times of `clock.monotonic`. */
  #lastHeartbeat = 0;
  #lastTick = 0;
  /** Something was sent after the last heartbeat. */
  #unconfirmed = false;
  /** Rows may have changed without a message: the next tick tells it. */
  #databaseChanged = false;
  /** Tells whether frames of other servers may have been lost, because there was no connection. */
  #missed = false;

  constructor(options: ServerBusOptions) {
    this.#options = options;
    const { clock, log, request, transport } = options;
    const { id } = request;
    this.#others = new OtherServers({
      id,
      event: (event) => this.#event(event),
      deliver: ({ topic, payload }, from) => {
        this.counts.received++;
        request.deliver(topic, payload, from);
      },
      died: () => {
        this.#databaseChanged = true;
      },
      met: () => this.#sendHeartbeat(),
      forgotten: (other) => this.#queue.forget(other),
    });
    this.#transport = new ReconnectingTransport({
      id,
      transport,
      clock,
      log,
      receive: (text) => this.#receive(text),
      connected: () => this.#connected(),
      disconnected: () => this.#disconnected(),
      lost: () => this.#lost(),
    });
    this.#queue = new SendQueue({
      id,
      transport: this.#transport,
      frameBytes: transport.frameBytes,
      heartbeat: (number, direct) => this.#heartbeat(number, direct),
      clock,
      log,
    });
  }

  /** Waits for the transport where there is no connection. */
  publish(topic: string, payload: unknown): void {
    if (this.#closed) return;
    const text = this.#encode(topic, payload);
    this.#unconfirmed = true;
    this.counts.sent++;
    if (text === undefined) this.#queue.skip();
    else this.#queue.publish(text);
  }

  send(to: string, topic: string, payload: unknown): boolean {
    if (this.#closed || !this.#others.isAlive(to)) return false;
    const text = this.#encode(topic, payload);
    if (text === undefined) return false;
    this.#unconfirmed = true;
    this.counts.sent++;
    return this.#queue.send(to, text);
  }

  drained(to: string): Promise<void> {
    return this.#closed ? Promise.resolve() : this.#queue.drained(to);
  }

  servers(): ReturnType<RemoteBus['servers']> {
    return this.#others.alive;
  }

  connected(): boolean {
    return this.#transport.isConnected;
  }

  /** Starts the transport and waits a moment for its connection: what is read after that is kept up to date. */
  async open(): Promise<void> {
    const { clock, log, transport } = this.#options;
    this.#lastTick = clock.monotonic();
    this.#stopTicking = clock.interval(() => this.#tick(), TICK_MS);
    // The first frames may come before the connection is said to be there.
    this.#others.connected(this.#lastTick);
    await inTime(clock, WAIT_MS, this.#transport.open()).catch(() => undefined);
    this.#missed = !this.#transport.isConnected;
    if (this.#transport.isConnected) log.info('bus connected', { transport: transport.name });
  }

  /** Says goodbye and closes the transport. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#stopTicking?.();
    const { clock, log } = this.#options;
    const late = (error: unknown) => log.warn('the bus was closed by force', { error });
    this.#queue.heartbeat();
    await inTime(clock, WAIT_MS, this.#queue.idle()).catch(late);
    this.#queue.close();
    await inTime(clock, WAIT_MS, this.#transport.close()).catch(late);
  }

  #receive(text: string): void {
    const frame = decodeFrame(text);
    if (frame && !this.#closed) this.#others.receive(frame, this.#options.clock.monotonic());
  }

  #connected(): void {
    this.#others.connected(this.#options.clock.monotonic());
    this.#queue.connected();
    this.#sendHeartbeat();
    if (this.#missed) this.#lost();
    this.#missed = false;
  }

  #disconnected(): void {
    this.#missed = true;
    this.#queue.disconnected();
  }

  #lost(): void {
    this.#event({ kind: 'gap', from: undefined, direct: false });
  }

  #tick(): void {
    const now = this.#options.clock.monotonic();
    const passed = now - this.#lastTick;
    this.#lastTick = now;
    // While this process slept or was cut off, it could hear no other server.
    const listened = this.#transport.isConnected ? Math.min(passed, TICK_MS) : 0;
    this.#others.forgiveSilence(now, passed - listened);
    this.#others.findDead(now);
    const isDue = now - this.#lastHeartbeat >= HEARTBEAT_MS - TICK_MS / 2;
    if (isDue || this.#unconfirmed) this.#sendHeartbeat();
    if (!this.#databaseChanged) return;
    this.#databaseChanged = false;
    this.#options.request.deliver(DatabaseChanged.name, { gap: true }, '');
  }

  #sendHeartbeat(): void {
    this.#lastHeartbeat = this.#options.clock.monotonic();
    this.#unconfirmed = false;
    if (!this.#closed) this.#queue.heartbeat();
  }

  #heartbeat(number: number, numbers: Counts): string {
    const { id, uuid, version } = this.#options.request;
    // It says nothing of dead servers: where servers die often, heartbeats stay short.
    const alive = Object.entries(numbers).filter(([to]) => this.#others.isAlive(to));
    return encodeHeartbeat(id, number, {
      uuid: uuid(),
      version,
      direct: Object.fromEntries(alive),
      countedDead: this.#others.countedDead,
      bye: this.#closed,
    });
  }

  #event(event: BusEvent): void {
    const { log, request } = this.#options;
    if (event.kind === 'gap') {
      this.counts.gaps++;
      log.debug('messages of other servers were lost', { from: event.from ?? 'all' });
      if (!event.direct) this.#databaseChanged = true;
    } else {
      const { id, uuid, version } = event.server;
      log.info(`another server ${event.kind}`, { id, server_uuid: uuid, version });
      if (event.kind === 'left') this.#queue.drop(id);
    }
    request.event(event);
  }

  #encode(topic: string, payload: unknown): string | undefined {
    const { log } = this.#options;
    try {
      const text = encodeMessage(topic, payload);
      if (text.length <= MAX_WAITING) return text;
      log.error('a message is too large for the bus', { topic, length: text.length });
    } catch (error) {
      log.error('a message has no form for the bus', { topic, error });
    }
    return undefined;
  }
}

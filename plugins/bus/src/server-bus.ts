import {
  type BusEvent,
  type BusRequest,
  DatabaseChanged,
  inTime,
  type Logger,
  type RemoteBus,
} from '@svc/plugin-sdk';
import type { BusTransport } from './api.ts';
import { type Counts, decodeFrame, encodeBeat, encodeMessage } from './frame.ts';
import { OtherServers } from './other-servers.ts';
import { ReconnectingTransport } from './reconnecting-transport.ts';
import { MAX_WAITING, SendQueue } from './send-queue.ts';

const TICK_MS = 250;
const BEAT_MS = 1_000;
/** A connection that takes longer is not waited for, neither at the start nor at the end. */
const WAIT_MS = 2_000;
/** Messages of plugins' setups, which wait for the transport. */
const MAX_EARLY = 1_000;
interface Connection {
  readonly line: ReconnectingTransport;
  readonly outbox: SendQueue;
  readonly timer: NodeJS.Timeout;
}

/** The way to the other servers: frames with numbers over a transport. */
export class ServerBus implements RemoteBus {
  readonly #log: Logger;
  readonly #request: BusRequest;
  readonly #others: OtherServers;
  #connection: Connection | undefined;
  #lastBeat = 0;
  #lastTick = 0;
  /** Something was sent after the last beat. */
  #unconfirmed = false;
  #reread = false;
  /** Frames of others may have passed unheard. */
  #missed = false;
  #early: string[] | undefined = [];

  constructor(log: Logger, request: BusRequest) {
    this.#log = log;
    this.#request = request;
    this.#others = new OtherServers({
      id: request.id,
      event: (event) => this.#event(event),
      deliver: ({ topic, payload }, from) => request.deliver(topic, payload, from),
      died: () => {
        this.#reread = true;
      },
      greet: () => this.#beat(),
      forgotten: (id) => this.#connection?.outbox.forget(id),
    });
  }

  readonly publish = (topic: string, payload: unknown): void => {
    const outbox = this.#connection?.outbox;
    if (!outbox && !this.#early) return;
    const text = this.#encode(topic, payload);
    this.#unconfirmed = true;
    if (text === undefined) outbox?.skip();
    else if (outbox) outbox.publish(text);
    else if (this.#early && this.#early.length < MAX_EARLY) this.#early.push(text);
  };

  readonly send = (to: string, topic: string, payload: unknown): boolean => {
    if (!this.#connection || !this.#others.isAlive(to)) return false;
    const text = this.#encode(topic, payload);
    if (text === undefined) return false;
    this.#unconfirmed = true;
    return this.#connection.outbox.send(to, text);
  };

  readonly drained = (to: string): Promise<void> =>
    this.#connection?.outbox.drained(to) ?? Promise.resolve();

  readonly servers = () => this.#others.alive;

  /** Starts the transport and waits a moment for its connection: what is read after that is kept up to date. */
  async open(transport: BusTransport): Promise<void> {
    const early = this.#early ?? [];
    this.#early = undefined;
    const { id } = this.#request;
    const common = { id, log: this.#log };
    const line = new ReconnectingTransport({
      ...common,
      transport,
      receive: (text) => this.#receive(text),
      up: () => this.#up(),
      down: () => this.#down(),
      lost: () => this.#lost(),
    });
    const beat = (n: number, numbers: Counts) => {
      const { uuid, version } = this.#request;
      // Of the dead nothing is said: where servers die often, beats stay short.
      const alive = Object.entries(numbers).filter(([to]) => this.#others.isAlive(to));
      const said = { uuid: uuid(), version, mourned: this.#others.mourned };
      const direct = Object.fromEntries(alive);
      return encodeBeat(id, n, { ...said, direct, bye: this.#connection === undefined });
    };
    const outbox = new SendQueue({ ...common, line, frameBytes: transport.frameBytes, beat });
    for (const text of early) outbox.publish(text);
    const timer = setInterval(() => this.#tick(), TICK_MS);
    this.#connection = { line, outbox, timer };
    this.#lastTick = performance.now();
    // The first frames may come before the connection is said to be up.
    this.#others.begin(this.#lastTick);
    await inTime(WAIT_MS, line.open()).catch(() => undefined);
    this.#missed = !line.isUp;
    if (line.isUp) this.#log.info('bus connected', { transport: transport.name });
  }

  /** Says goodbye and closes the transport. */
  async close(): Promise<void> {
    const connection = this.#connection;
    if (!connection) return;
    const { line, outbox, timer } = connection;
    this.#connection = undefined;
    clearInterval(timer);
    outbox.beat();
    const late = (error: unknown) => this.#log.warn('the bus was closed by force', { error });
    await inTime(WAIT_MS, outbox.idle()).catch(late);
    outbox.close();
    await inTime(WAIT_MS, line.close()).catch(late);
  }

  #receive(text: string): void {
    const frame = decodeFrame(text);
    if (frame && this.#connection) this.#others.hear(frame, performance.now());
  }

  #up(): void {
    this.#others.begin(performance.now());
    this.#connection?.outbox.up();
    this.#beat();
    if (this.#missed) this.#lost();
    this.#missed = false;
  }

  #down(): void {
    this.#missed = true;
    this.#connection?.outbox.down();
  }

  #lost(): void {
    this.#event({ kind: 'gap', from: undefined, direct: false });
  }

  #tick(): void {
    const now = performance.now();
    const passed = now - this.#lastTick;
    this.#lastTick = now;
    // While this process slept or was cut off, nobody could be heard.
    const awake = this.#connection?.line.isUp ? Math.min(passed, TICK_MS) : 0;
    this.#others.excuse(now, passed - awake);
    this.#others.tick(now);
    const since = now - this.#lastBeat;
    if (since >= BEAT_MS - TICK_MS / 2 || this.#unconfirmed) this.#beat();
    if (!this.#reread) return;
    this.#reread = false;
    this.#request.deliver(DatabaseChanged.name, { gap: true }, '');
  }

  #beat(): void {
    this.#lastBeat = performance.now();
    this.#unconfirmed = false;
    this.#connection?.outbox.beat();
  }

  #event(event: BusEvent): void {
    if (event.kind === 'gap') {
      this.#log.debug('messages of other servers were lost', { from: event.from ?? 'all' });
      if (!event.direct) this.#reread = true;
    } else {
      const { id, uuid, version } = event.server;
      this.#log.info(`another server ${event.kind}`, { id, server_uuid: uuid, version });
      if (event.kind === 'left') this.#connection?.outbox.drop(id);
    }
    this.#request.event(event);
  }

  #encode(topic: string, payload: unknown): string | undefined {
    try {
      const text = encodeMessage(topic, payload);
      if (text.length <= MAX_WAITING) return text;
      this.#log.error('a message is too large for the bus', { topic, length: text.length });
    } catch (error) {
      this.#log.error('a message has no form for the bus', { topic, error });
    }
    return undefined;
  }
}

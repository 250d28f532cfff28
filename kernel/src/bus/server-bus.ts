import { randomUUID } from 'node:crypto';
import type { Bus, BusEvent, BusTransport, Logger } from '@svc/plugin-sdk';
import { inTime } from '../deadline.ts';
import { type Counts, decodeFrame, encodeBeat, encodeMessage, type Message } from './frame.ts';
import { Line } from './line.ts';
import { MAX_WAITING, Outbox } from './outbox.ts';
import { Peers } from './peers.ts';

type Listener = Parameters<Bus['subscribe']>[1];

const TICK_MS = 250;
const BEAT_MS = 1_000;
/** A connection that takes longer is not waited for, neither at the start nor at the end. */
const WAIT_MS = 2_000;
/** Messages of plugins' setups, which wait for the transport. */
const MAX_EARLY = 1_000;
/** What every cache of rows listens to. */
const DATABASE_CHANGED = 'database.changed';

interface About {
  readonly uuid: () => string;
  readonly version: string;
}

interface Connection {
  readonly line: Line;
  readonly outbox: Outbox;
  readonly timer: NodeJS.Timeout;
}

/** The bus of one process: local delivery, and frames with numbers over a transport when there is one. */
export class ServerBus implements Bus {
  readonly id = randomUUID();
  readonly #log: Logger;
  readonly #about: About;
  readonly #topics = new Map<string, Set<Listener>>();
  readonly #watchers = new Set<(event: BusEvent) => void>();
  readonly #peers: Peers;
  #connection: Connection | undefined;
  #lastBeat = 0;
  #lastTick = 0;
  /** Something was sent after the last beat. */
  #unconfirmed = false;
  #reread = false;
  /** Frames of others may have passed unheard. */
  #missed = false;
  #early: string[] | undefined = [];

  constructor(log: Logger, about: About) {
    this.#log = log;
    this.#about = about;
    this.#peers = new Peers({
      id: this.id,
      event: (event) => this.#event(event),
      deliver: ({ topic, payload }, from) => this.#deliver(topic, payload, from),
      died: () => {
        this.#reread = true;
      },
      greet: () => this.#beat(),
      forgotten: (id) => this.#connection?.outbox.forget(id),
    });
  }

  readonly publish = (topic: string, payload: unknown): void => {
    queueMicrotask(() => this.#deliver(topic, payload, this.id));
    const outbox = this.#connection?.outbox;
    if (!outbox && !this.#early) return;
    const text = this.#encode(topic, payload);
    this.#unconfirmed = true;
    if (text === undefined) outbox?.skip();
    else if (outbox) outbox.publish(text);
    else if (this.#early && this.#early.length < MAX_EARLY) this.#early.push(text);
  };

  readonly send = (to: string, topic: string, payload: unknown): boolean => {
    if (to === this.id) {
      queueMicrotask(() => this.#deliver(topic, payload, to));
      return true;
    }
    if (!this.#connection || !this.#peers.isAlive(to)) return false;
    const text = this.#encode(topic, payload);
    if (text === undefined) return false;
    this.#unconfirmed = true;
    return this.#connection.outbox.send(to, text);
  };

  readonly drained = (to: string): Promise<void> =>
    this.#connection?.outbox.drained(to) ?? Promise.resolve();

  readonly subscribe = (topic: string, listener: Listener): (() => void) => {
    const listeners = this.#topics.get(topic) ?? new Set();
    this.#topics.set(topic, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  };

  readonly servers = () => this.#peers.alive;

  readonly watch = (listener: (event: BusEvent) => void): (() => void) => {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  };

  /** Starts the transport if there is one, and waits a moment for its connection: what is read after that is kept up to date. */
  async open(transport: BusTransport | undefined): Promise<void> {
    const early = this.#early ?? [];
    this.#early = undefined;
    if (!transport) return;
    const { id } = this;
    const common = { id, log: this.#log };
    const line = new Line({
      ...common,
      transport,
      receive: (text) => this.#receive(text),
      up: () => this.#up(),
      down: () => this.#down(),
      lost: () => this.#lost(),
    });
    const beat = (n: number, numbers: Counts) => {
      const { uuid, version } = this.#about;
      // Of the dead nothing is said: where servers die often, beats stay short.
      const alive = Object.entries(numbers).filter(([to]) => this.#peers.isAlive(to));
      const said = { uuid: uuid(), version, mourned: this.#peers.mourned };
      const direct = Object.fromEntries(alive);
      return encodeBeat(id, n, { ...said, direct, bye: this.#connection === undefined });
    };
    const outbox = new Outbox({ ...common, line, frameBytes: transport.frameBytes, beat });
    for (const text of early) outbox.publish(text);
    const timer = setInterval(() => this.#tick(), TICK_MS);
    this.#connection = { line, outbox, timer };
    this.#lastTick = performance.now();
    // The first frames may come before the connection is said to be up.
    this.#peers.begin(this.#lastTick);
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
    if (frame && this.#connection) this.#peers.hear(frame, performance.now());
  }

  #up(): void {
    this.#peers.begin(performance.now());
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
    this.#peers.excuse(now, passed - awake);
    this.#peers.tick(now);
    const since = now - this.#lastBeat;
    if (since >= BEAT_MS - TICK_MS / 2 || this.#unconfirmed) this.#beat();
    if (!this.#reread) return;
    this.#reread = false;
    this.#deliver(DATABASE_CHANGED, { gap: true }, '');
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
    for (const watcher of this.#watchers) this.#guard('watcher', () => watcher(event));
  }

  #deliver(topic: string, payload: Message['payload'], id: string): void {
    const own = id === this.id;
    for (const listener of this.#topics.get(topic) ?? []) {
      this.#guard(topic, () => listener(payload, { id, own }));
    }
  }

  #guard(topic: string, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#log.error('bus listener failed', { topic, error });
    }
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

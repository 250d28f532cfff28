import type { Clock, Logger } from '@svc/plugin-sdk';
import type { BusFrame } from './api.ts';
import type { Counts } from './frame.ts';
import type { ReconnectingTransport } from './reconnecting-transport.ts';
import { MAX_WAITING, Stream } from './stream.ts';

/** Bytes of messages that may wait for all receivers together. */
const MAX_ALL = 4 * MAX_WAITING;
/** Bounds of one `send` of the transport. */
const BATCH_FRAMES = 64;
const BATCH_BYTES = 512 * 1024;
const RETRY_MS = 100;
/** A batch that a connected transport refuses this often is dropped. The numbers of its frames tell the other servers. */
const ATTEMPTS = 5;

/** Message of one `send` of the transport. */
interface Batch {
  readonly frames: BusFrame[];
  /** Bytes of messages in it. */
  readonly taken: Map<Stream, number>;
  bytes: number;
  attempts: number;
}

export interface SendQueueOptions {
  /** `Bus.id` of this server. */
  readonly id: string;
  readonly transport: ReconnectingTransport;
  /** Frames are filled up to this. */
  readonly frameBytes: number;
  /** The heartbeat after frames of these numbers, as text. */
  readonly heartbeat: (number: number, direct: Counts) => string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Messages that wait for the transport. Those of one turn of the event loop leave together, one batch at a time. */
export class SendQueue {
  readonly #options: SendQueueOptions;
  readonly #toAll = new Stream();
  readonly #direct = new Map<string, Stream>();
  #batch: Batch | undefined;
  #heartbeatDue = false;
  #connected = false;
  #running = false;
  /** Messages to all were dropped since the transport took some. */
  #dropping = false;
  #idle: (() => void)[] = [];

  constructor(options: SendQueueOptions) {
    this.#options = options;
  }

  /** Queues a text for all other servers. When too much waits, all of it is dropped. */
  publish(text: string): void {
    if (this.#add(this.#toAll, text)) return;
    if (!this.#dropping) {
      const { bytes } = this.#toAll;
      this.#options.log.warn('too much waits to be sent, other servers will read again', { bytes });
    }
    this.#dropping = true;
    this.#toAll.clear();
  }

  /** A message to all that has no form on the wire counts as lost. */
  skip(): void {
    this.#toAll.skipNumber();
  }

  /** @returns false: too much waits, the message is dropped */
  send(to: string, text: string): boolean {
    const stream = this.#direct.get(to) ?? new Stream(to);
    this.#direct.set(to, stream);
    return this.#add(stream, text);
  }

  drained(to: string): Promise<void> {
    return this.#direct.get(to)?.drained() ?? Promise.resolve();
  }

  /** Drops what waits for a receiver that is dead. */
  drop(to: string): void {
    const stream = this.#direct.get(to);
    stream?.clear();
    stream?.release();
  }

  /** Forgets a receiver that will not come again under its id. */
  forget(to: string): void {
    this.#direct.delete(to);
  }

  /** Sends a heartbeat behind what waits. */
  heartbeat(): void {
    this.#heartbeatDue = true;
    this.#start();
  }

  connected(): void {
    this.#connected = true;
    this.#start();
  }

  disconnected(): void {
    this.#connected = false;
  }

  /** Resolves when nothing waits that could be sent. */
  idle(): Promise<void> {
    if (!this.#running && (!this.#connected || !this.#hasWork())) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Gives up what still waits. */
  close(): void {
    this.disconnected();
    for (const stream of this.#direct.values()) stream.release();
  }

  #add(stream: Stream, text: string): boolean {
    const bytes = Buffer.byteLength(text);
    const all = this.#streams.reduce((sum, { bytes: some }) => sum + some, 0);
    if (stream.bytes + bytes > MAX_WAITING || all + bytes > MAX_ALL) return false;
    stream.add(text, bytes);
    this.#start();
    return true;
  }

  get #streams(): Stream[] {
    return [this.#toAll, ...this.#direct.values()];
  }

  #hasWork(): boolean {
    if (this.#batch || this.#heartbeatDue) return true;
    return this.#streams.some(({ isEmpty }) => !isEmpty);
  }

  #start(): void {
    if (this.#running || !this.#connected) return;
    this.#running = true;
    setImmediate(() => void this.#run());
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    while (this.#connected && this.#hasWork()) {
      this.#batch ??= this.#fill();
      if (await this.#trySend(this.#batch)) this.#taken(this.#batch);
      else if (this.#connected) await this.#pause();
    }
    this.#running = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#options.clock.timeout(resolve, RETRY_MS);
    });
  }

  /** @returns false: the same batch must be sent again */
  async #trySend(batch: Batch): Promise<boolean> {
    const { transport, log } = this.#options;
    try {
      await transport.send(batch.frames);
      return true;
    } catch (error) {
      if (++batch.attempts < ATTEMPTS) return false;
      log.error('messages cannot be sent and are dropped', { error });
      return true;
    }
  }

  #taken({ taken }: Batch): void {
    this.#batch = undefined;
    for (const [stream, bytes] of taken) stream.sent(bytes);
    if (taken.has(this.#toAll)) this.#dropping = false;
  }

  #fill(): Batch {
    const batch: Batch = { frames: [], taken: new Map(), bytes: 0, attempts: 0 };
    const isQueued = ({ isEmpty }: Stream) => !isEmpty;
    // One frame of each stream in turn: a stream with much to send delays no other.
    let queued = this.#streams.filter(isQueued);
    for (; queued.length > 0 && hasRoom(batch); queued = queued.filter(isQueued)) {
      for (const stream of queued) if (hasRoom(batch)) this.#addFrame(stream, batch);
    }
    if (this.#heartbeatDue && hasRoom(batch)) {
      this.#heartbeatDue = false;
      const direct = [...this.#direct].map(([to, { number }]) => [to, number]);
      const text = this.#options.heartbeat(this.#toAll.number, Object.fromEntries(direct));
      batch.frames.push({ to: undefined, text });
    }
    return batch;
  }

  #addFrame(stream: Stream, batch: Batch): void {
    const { id, frameBytes } = this.#options;
    const { text, taken } = stream.nextFrame(id, frameBytes);
    batch.frames.push({ to: stream.to, text });
    batch.taken.set(stream, (batch.taken.get(stream) ?? 0) + taken);
    batch.bytes += Buffer.byteLength(text);
  }
}

const hasRoom = ({ frames, bytes }: Batch): boolean =>
  frames.length < BATCH_FRAMES && bytes < BATCH_BYTES;

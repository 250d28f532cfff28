import type { Appender, AppenderOptions, SqlValue } from '../database.ts';
import { isTold } from '../database-away.ts';
import { within } from '../deadline.ts';
import { RpcError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { databaseError } from './errors.ts';
import { sizeOfValues } from './executed.ts';
import { Fifo } from './fifo.ts';

/** A row gets 103 when it could not be stored for this long: the database is away, or hangs. */
const DEADLINE_MS = 30_000;
/** Bytes that may wait, beside `capacityRows`; and bytes of one batch. Texts count by their length. */
const CAPACITY_BYTES = 64 * 2 ** 20;
const BATCH_BYTES = 8 * 2 ** 20;
const FLUSH_TIMEOUT_MS = 8_000;
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 1_000;

/** One row on its way. */
export interface Entry {
  readonly row: readonly SqlValue[];
  readonly seq: number;
  /** `performance.now()` of `append`: a clock that is set does not end the wait. */
  readonly at: number;
  readonly bytes: number;
  /** Made once per row by a sink that needs one, so that a repeated batch is recognised. */
  id: string | undefined;
  /** A batch with this row failed, and may have been stored all the same. */
  doubtful: boolean;
  settled: boolean;
  /** With a rejected promise: it was not stored. */
  done(refusal?: Promise<never>): void;
}

/** Without error: stored. */
export type Settle = (entry: Entry, error?: unknown) => void;

/** Stores batches: a driver's bulk insert. */
export interface Sink {
  /** Batches in flight at most. */
  readonly parallel: number;
  /**
   * Stores the entries and calls `settle` for each: without error after the commit that holds it, with one when the row
   * itself cannot be stored. Rejects when the database cannot be reached; what was not settled is then sent again.
   */
  store(entries: readonly Entry[], settle: Settle): Promise<void>;
}

/**
 * Group commit: a batch closes as soon as the sink is idle, or is full, so batches grow with the load and no row waits for
 * a clock.
 * `append` resolves after the commit that holds the row; rows over the capacity wait for room, in order.
 */
export class GroupAppender implements Appender {
  readonly #options: AppenderOptions;
  readonly #sink: Sink;
  readonly #log: Logger;
  readonly #deadline_ms: number;
  readonly #queue = new Fifo<Entry>();
  /** Rows that wait for room in the queue. */
  readonly #outside = new Fifo<Entry>();
  /** A list: the former tables of a Set, once they are old, keep batch after batch alive until the next full collection. */
  #inFlight: (readonly Entry[])[] = [];
  readonly #flushes = new Set<{ upTo: number; resolve(): void }>();
  #queueBytes = 0;
  #seq = 0;
  #scheduled = false;
  #retry: { delay_ms: number; timer: NodeJS.Timeout | undefined } | undefined;
  #sweeper: NodeJS.Timeout | undefined;
  #closed = false;
  refused = 0;
  readonly stored = { rows: 0, batches: 0, ms: 0 };

  constructor(options: AppenderOptions, sink: Sink, log: Logger, deadline_ms = DEADLINE_MS) {
    this.#options = options;
    this.#sink = sink;
    this.#log = log;
    this.#deadline_ms = deadline_ms;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  append(row: readonly SqlValue[]): Promise<void> {
    if (this.#closed) return Promise.reject(RpcError.database('the database is closed'));
    const { table, columns } = this.#options;
    if (row.length !== columns.length) {
      return Promise.reject(
        new RangeError(`a row of ${table} has ${columns.length} values, not ${row.length}`),
      );
    }
    return new Promise((done) => {
      const seq = this.#seq++;
      // An integer takes no room of its own.
      const at = Math.round(performance.now());
      const bytes = sizeOfValues(row);
      // Each member is written here: those of a spread object would stand apart.
      const entry = { row, seq, at, bytes, done, id: undefined, doubtful: false, settled: false };
      this.#outside.push(entry);
      this.#admit();
      this.#schedule();
      this.#sweeper ??= setInterval(() => this.#sweep(), this.#deadline_ms / 30);
    });
  }

  flush(): Promise<void> {
    return new Promise((resolve) => {
      this.#flushes.add({ upTo: this.#seq, resolve });
      this.#afterSettling();
    });
  }

  /** Stores what waits, at most 8 s long; then refuses what is left and every later row. */
  async close(): Promise<void> {
    await within(FLUSH_TIMEOUT_MS, this.flush());
    this.#closed = true;
    clearTimeout(this.#retry?.timer);
    clearInterval(this.#sweeper);
    this.#settleAll(this.#unsettled(), 'the database was closed before the row was stored');
  }

  /** Rows move inside in order of arrival; a row larger than the whole room may enter an empty queue. */
  #admit(): void {
    for (let entry = this.#outside.peek(); entry; entry = this.#outside.peek()) {
      const full =
        this.#queue.length >= this.#options.capacityRows ||
        this.#queueBytes + entry.bytes > CAPACITY_BYTES;
      if (full && this.#queue.length > 0) return;
      this.#outside.shift();
      this.#queue.push(entry);
      this.#queueBytes += entry.bytes;
    }
  }

  /** Waits for the end of this turn of the event loop: what other sockets delivered in it joins the batch. */
  #schedule(): void {
    if (this.#scheduled || this.#retry?.timer || !this.#hasPlace) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#send();
    });
  }

  /** A second batch goes beside the first one only when it is full: two halves cost more than one whole. */
  get #hasPlace(): boolean {
    const isFull = this.#queue.length >= this.#options.maxBatchRows;
    return this.#inFlight.length < (isFull ? this.#sink.parallel : 1);
  }

  #send(): void {
    while (!this.#closed && !this.#retry?.timer && this.#queue.length > 0 && this.#hasPlace) {
      const batch = this.#takeBatch();
      this.#admit();
      if (batch.length > 0) void this.#store(batch);
    }
  }

  #takeBatch(): Entry[] {
    const batch: Entry[] = [];
    let bytes = 0;
    for (
      let entry = this.#queue.peek();
      entry && batch.length < this.#options.maxBatchRows;
      entry = this.#queue.peek()
    ) {
      if (batch.length > 0 && bytes + entry.bytes > BATCH_BYTES) break;
      this.#queue.shift();
      this.#queueBytes -= entry.bytes;
      bytes += entry.bytes;
      if (!entry.settled) batch.push(entry);
    }
    return batch;
  }

  async #store(batch: readonly Entry[]): Promise<void> {
    const { table } = this.#options;
    this.#inFlight.push(batch);
    const refusedBefore = this.refused;
    const begun = performance.now();
    let sample: unknown;
    try {
      await this.#sink.store(batch, (entry, error) => {
        sample ??= error;
        this.#settle(entry, error === undefined ? undefined : databaseError(error));
      });
      this.stored.batches++;
      this.stored.ms += performance.now() - begun;
      this.#recovered();
      this.#log.debug('rows stored', { table, rows: batch.length });
    } catch (error) {
      this.#postpone(batch, error);
    }
    this.#inFlight = this.#inFlight.filter((other) => other !== batch);
    const rows = this.refused - refusedBefore;
    // The driver's alarm speaks for all of them when the disk is full, or the database is away.
    if (rows > 0 && !isTold(sample)) {
      const reason = sample instanceof Error ? sample.message : String(sample);
      this.#log.warn('Rows were refused by the database.', { table, rows, reason });
    }
    this.#afterSettling();
    this.#send();
  }

  #settle(entry: Entry, error?: Error): void {
    if (entry.settled) return;
    entry.settled = true;
    if (error === undefined) {
      this.stored.rows++;
      entry.done();
    } else {
      this.refused++;
      entry.done(Promise.reject(error));
    }
  }

  /** Puts the unsettled rows of a failed batch back in their old places and waits before the next try. */
  #postpone(batch: readonly Entry[], error: unknown): void {
    if (this.#closed) return;
    const back = batch.filter((entry) => !entry.settled);
    for (const entry of back) {
      entry.doubtful = true;
      this.#queueBytes += entry.bytes;
    }
    // Another batch may have come back before: `take` all and sort, this is rare.
    const all = [...back, ...this.#queue.take(this.#queue.length)].sort((a, b) => a.seq - b.seq);
    this.#queue.unshift(all);
    const { table } = this.#options;
    if (!this.#retry)
      this.#log.warn('The database cannot be reached; rows wait.', { table, error });
    const delay_ms = Math.min((this.#retry?.delay_ms ?? FIRST_RETRY_MS / 2) * 2, LAST_RETRY_MS);
    clearTimeout(this.#retry?.timer);
    const retry = { delay_ms, timer: undefined as NodeJS.Timeout | undefined };
    retry.timer = setTimeout(() => {
      retry.timer = undefined;
      this.#send();
    }, delay_ms);
    this.#retry = retry;
  }

  #recovered(): void {
    if (!this.#retry || this.#retry.timer) return;
    this.#retry = undefined;
    this.#log.info('The database stores rows again.', { table: this.#options.table });
  }

  /** Refuses rows past their deadline: waiting ones and those of a batch that hangs. */
  #sweep(): void {
    const limit = performance.now() - this.#deadline_ms;
    const left = [...this.#unsettled()];
    const late = left.filter((entry) => entry.at < limit);
    this.#settleAll(late, `the row could not be stored within ${this.#deadline_ms} ms`);
    if (left.length === 0) {
      clearInterval(this.#sweeper);
      this.#sweeper = undefined;
    }
  }

  #settleAll(entries: Iterable<Entry>, reason: string): void {
    for (const entry of entries) this.#settle(entry, RpcError.database(reason));
    this.#afterSettling();
  }

  #afterSettling(): void {
    if (this.#flushes.size === 0) return;
    let lowest = this.#seq;
    for (const entry of this.#unsettled()) lowest = Math.min(lowest, entry.seq);
    for (const flush of this.#flushes) {
      if (flush.upTo > lowest) continue;
      this.#flushes.delete(flush);
      flush.resolve();
    }
  }

  *#unsettled(): Generator<Entry> {
    for (const entries of [...this.#inFlight, this.#queue, this.#outside]) {
      for (const entry of entries) if (!entry.settled) yield entry;
    }
  }
}

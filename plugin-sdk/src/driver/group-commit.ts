import { RpcError } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { AppenderOptions } from '../sql/database.ts';
import type { SqlValue } from '../sql/statements.ts';
import { isTold } from '../util/database-away.ts';
import { within } from '../util/deadline.ts';
import { rounds } from '../util/lateness.ts';
import { databaseError } from './errors.ts';
import { Fifo } from './fifo.ts';
import { Pace } from './pace.ts';
import type { Entry, Member, Sink } from './sink.ts';

/** Time after which a row that could not be stored gets 103: the database is away, or hangs. */
const DEADLINE_MS = 30_000;
/** Bytes of one batch. Texts count by their length. */
const BATCH_BYTES = 8 * 2 ** 20;
const FLUSH_TIMEOUT_MS = 8_000;
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 1_000;

/**
 * The queue of one or several appenders. A batch takes the rows of all of them. It closes when it is full, or when the sink
 * is idle and 64 rows wait or the first one has waited for `wait_ms`: so batches grow with the load, and a commit for each
 * row of a trickle is spared.
 */
export class GroupCommit {
  readonly #pace: Pace;
  readonly #maxBatchRows: number;
  readonly #sink: Sink;
  readonly #log: Logger;
  readonly #deadline_ms: number;
  readonly #appenders: Member[] = [];
  readonly #queue = new Fifo<Entry>();
  /** A list: the former tables of a Set, once they are old, keep batch after batch alive until the next full collection. */
  #inFlight: (readonly Entry[])[] = [];
  readonly #flushes = new Set<{ upTo: number; resolve(): void }>();
  #seq = 0;
  #scheduled = false;
  #retry: { delay_ms: number; timer: NodeJS.Timeout | undefined } | undefined;
  #sweeper: NodeJS.Timeout | undefined;
  isClosed = false;

  constructor(options: AppenderOptions, sink: Sink, log: Logger, deadline_ms = DEADLINE_MS) {
    this.#pace = new Pace(options);
    this.#maxBatchRows = options.maxBatchRows;
    this.#sink = sink;
    this.#log = log;
    this.#deadline_ms = deadline_ms;
  }

  join(appender: Member): void {
    this.#appenders.push(appender);
  }

  append(appender: Member, row: readonly SqlValue[], bytes: number, done: Entry['done']): void {
    const seq = this.#seq++;
    // An integer takes no room of its own.
    const at = Math.round(performance.now());
    // Each member is written here: those of a spread object would stand apart.
    const entry: Entry = {
      row,
      appender,
      seq,
      at,
      bytes,
      done,
      id: undefined,
      doubtful: false,
      settled: false,
    };
    appender.outside.push(entry);
    this.#admit(appender);
    this.#schedule();
    this.#sweeper ??= rounds(this.#deadline_ms / 30, (...at) => this.#sweep(...at));
  }

  /** Has rows that were appended up to now wait for no clock. */
  hurry(): void {
    this.#pace.hurry(this.#seq);
    this.#schedule();
  }

  flush(): Promise<void> {
    return new Promise((resolve) => {
      this.#flushes.add({ upTo: this.#seq, resolve });
      this.hurry();
      this.#afterSettling();
    });
  }

  async close(): Promise<void> {
    await within(FLUSH_TIMEOUT_MS, this.flush());
    this.isClosed = true;
    clearTimeout(this.#retry?.timer);
    this.#pace.stop();
    clearInterval(this.#sweeper);
    this.#settleAll(this.#unsettled(), 'the database was closed before the row was stored');
  }

  /** Rows move inside in order of arrival. */
  #admit(appender: Member): void {
    const { outside } = appender;
    for (let entry = outside.peek(); entry; entry = outside.peek()) {
      if (!appender.hasRoomFor(entry)) return;
      outside.shift();
      this.#queue.push(entry);
      this.#count(entry, 1);
    }
  }

  #count({ appender, bytes }: Entry, sign: 1 | -1): void {
    appender.waiting += sign;
    appender.waitingBytes += sign * bytes;
  }

  /** Waits for the end of this turn of the event loop: what other sockets delivered in it joins the batch. */
  #schedule(): void {
    if (this.#scheduled || this.#retry?.timer || !this.#hasPlace) return;
    if (!this.#pace.isDue(this.#queue)) {
      this.#wait();
      return;
    }
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#send();
    });
  }

  #wait(): void {
    const first = this.#queue.peek();
    if (first) this.#pace.wait(first, () => this.#send());
  }

  /** A second batch goes at the same time as the first one only when it is full: two halves cost more than one whole. */
  get #hasPlace(): boolean {
    const isFull = this.#queue.length >= this.#maxBatchRows;
    return this.#inFlight.length < (isFull ? this.#sink.parallel : 1);
  }

  #send(): void {
    while (!this.isClosed && !this.#retry?.timer && this.#queue.length > 0 && this.#hasPlace) {
      if (!this.#pace.isDue(this.#queue)) {
        this.#wait();
        return;
      }
      this.#pace.stop();
      const batch = this.#takeBatch();
      for (const appender of this.#appenders) this.#admit(appender);
      if (batch.length > 0) void this.#store(batch);
    }
  }

  #takeBatch(): Entry[] {
    const batch: Entry[] = [];
    let bytes = 0;
    for (
      let entry = this.#queue.peek();
      entry && batch.length < this.#maxBatchRows;
      entry = this.#queue.peek()
    ) {
      if (batch.length > 0 && bytes + entry.bytes > BATCH_BYTES) break;
      this.#queue.shift();
      this.#count(entry, -1);
      bytes += entry.bytes;
      if (!entry.settled) batch.push(entry);
    }
    return batch;
  }

  async #store(batch: readonly Entry[]): Promise<void> {
    this.#inFlight.push(batch);
    const begun = performance.now();
    const refused: Entry[] = [];
    let sample: unknown;
    try {
      await this.#sink.store(batch, (entry, error) => {
        sample ??= error;
        const isRefused = this.#settle(entry, error === undefined ? error : databaseError(error));
        if (isRefused) refused.push(entry);
      });
      this.#stored(batch, performance.now() - begun);
    } catch (error) {
      this.#postpone(batch, error);
    }
    this.#inFlight = this.#inFlight.filter((other) => other !== batch);
    // The driver's alarm speaks for all of them when the disk is full, or the database is away.
    if (refused.length > 0 && !isTold(sample)) {
      const reason = sample instanceof Error ? sample.message : String(sample);
      const rows = refused.length;
      const table = tablesOf(refused);
      this.#log.warn('Rows were refused by the database.', { table, rows, reason });
    }
    this.#afterSettling();
    this.#send();
  }

  #stored(batch: readonly Entry[], ms: number): void {
    for (const { stored } of new Set(batch.map(({ appender }) => appender))) {
      stored.batches++;
      stored.ms += ms;
    }
    const table = tablesOf(batch);
    if (this.#retry && !this.#retry.timer) {
      this.#retry = undefined;
      this.#log.info('The database stores rows again.', { table });
    }
    this.#log.debug('rows stored', { table, rows: batch.length });
  }

  /** @returns whether it was refused now */
  #settle(entry: Entry, error?: Error): boolean {
    if (entry.settled) return false;
    entry.settled = true;
    if (error === undefined) {
      entry.appender.stored.rows++;
      entry.done();
      return false;
    }
    entry.appender.refused++;
    entry.done(Promise.reject(error));
    return true;
  }

  /** Puts the unsettled rows of a failed batch back in their old places and waits before the next try. */
  #postpone(batch: readonly Entry[], error: unknown): void {
    if (this.isClosed) return;
    const back = batch.filter((entry) => !entry.settled);
    for (const entry of back) {
      entry.doubtful = true;
      this.#count(entry, 1);
    }
    // Another batch may have come back before: `take` all and sort, this is rare.
    const all = [...back, ...this.#queue.take(this.#queue.length)].sort((a, b) => a.seq - b.seq);
    this.#queue.unshift(all);
    if (!this.#retry)
      this.#log.warn('The database cannot be reached; rows wait.', {
        table: tablesOf(batch),
        error,
      });
    const delay_ms = Math.min((this.#retry?.delay_ms ?? FIRST_RETRY_MS / 2) * 2, LAST_RETRY_MS);
    clearTimeout(this.#retry?.timer);
    const retry = { delay_ms, timer: undefined as NodeJS.Timeout | undefined };
    retry.timer = setTimeout(() => {
      retry.timer = undefined;
      this.#pace.hurry(this.#seq);
      this.#send();
    }, delay_ms);
    this.#retry = retry;
  }

  /** Refuses rows past their deadline: waiting ones and those of a batch that hangs. */
  #sweep(now: number, late_ms: number): void {
    const limit = now - this.#deadline_ms;
    const left = [...this.#unsettled()];
    // A process that was held up heard no answer of the database meanwhile.
    for (const entry of left) entry.at += Math.round(late_ms);
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
    const outside = this.#appenders.map((appender) => appender.outside);
    for (const entries of [...this.#inFlight, this.#queue, ...outside]) {
      for (const entry of entries) if (!entry.settled) yield entry;
    }
  }
}

const tablesOf = (entries: readonly Entry[]): string =>
  [...new Set(entries.map(({ appender }) => appender.options.table))].join(', ');

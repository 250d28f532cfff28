import { RpcError } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { Appender, AppenderOptions } from '../sql/database.ts';
import type { SqlValue } from '../sql/statements.ts';
import { sizeOfValues } from './executed.ts';
import { Fifo } from './fifo.ts';
import { GroupCommit } from './group-commit.ts';
import type { Entry, Member, Sink } from './sink.ts';

/** Bytes that may wait, besides `capacityRows`. Texts count by their length. */
const CAPACITY_BYTES = 64 * 2 ** 20;

/**
 * Rows of one table on their way into a group commit, which other appenders may share (`with`).
 * `append` resolves after the commit that holds the row; rows over the capacity wait for room, in order.
 */
export class GroupAppender implements Appender, Member {
  readonly options: AppenderOptions;
  readonly #commit: GroupCommit;
  readonly outside = new Fifo<Entry>();
  waiting = 0;
  waitingBytes = 0;
  refused = 0;
  readonly stored = { rows: 0, batches: 0, ms: 0 };

  constructor(options: AppenderOptions, sink: Sink, log: Logger, deadline_ms?: number) {
    this.options = options;
    const shared = options.with instanceof GroupAppender ? options.with.#commit : undefined;
    this.#commit = shared ?? new GroupCommit(options, sink, log, deadline_ms);
    this.#commit.join(this);
  }

  append(row: readonly SqlValue[]): Promise<void> {
    if (this.#commit.isClosed) return Promise.reject(RpcError.database('the database is closed'));
    const { table, columns } = this.options;
    if (row.length !== columns.length) {
      return Promise.reject(
        new RangeError(`a row of ${table} has ${columns.length} values, not ${row.length}`),
      );
    }
    return new Promise((done) => this.#commit.append(this, row, sizeOfValues(row), done));
  }

  hasRoomFor({ bytes }: Entry): boolean {
    const isFull =
      this.waiting >= this.options.capacityRows || this.waitingBytes + bytes > CAPACITY_BYTES;
    // A row larger than the whole room may enter an empty queue.
    return !isFull || this.waiting === 0;
  }

  hurry(): void {
    this.#commit.hurry();
  }

  flush(): Promise<void> {
    return this.#commit.flush();
  }

  /** Stores what waits in the whole group, at most 8 s long; then refuses what is left and every later row. */
  close(): Promise<void> {
    return this.#commit.close();
  }
}

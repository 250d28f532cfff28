import type { Logger } from '../log.ts';
import type { AppenderOptions } from '../sql/database.ts';
import type { QueryBuilder } from '../sql/query.ts';
import { isUniqueViolation } from './errors.ts';
import { GroupAppender } from './group-appender.ts';
import { closeQueryBuilder } from './query-builder.ts';
import type { Sink } from './sink.ts';

/** A query builder over the driver's connections. */
interface Builder {
  on(event: 'query', listener: (query: { readonly sql: string }) => void): unknown;
  destroy(): Promise<void>;
}

/** Base of a driver's database: the query builder, the appenders, and the order in which everything is closed. */
export abstract class DriverDatabase {
  readonly query: QueryBuilder;
  readonly isUniqueViolation = isUniqueViolation;
  protected readonly log: Logger;
  readonly #builder: Builder;
  readonly #sink: Sink;
  readonly #appenders: GroupAppender[] = [];
  #closing: Promise<void> | undefined;

  constructor(builder: Builder, sink: Sink, log: Logger) {
    builder.on('query', ({ sql }) => log.trace('statement', { sql }));
    this.query = builder as unknown as QueryBuilder;
    this.log = log;
    this.#builder = builder;
    this.#sink = sink;
  }

  appender(options: AppenderOptions): GroupAppender {
    const appender = new GroupAppender(options, this.#sink, this.log);
    this.#appenders.push(appender);
    return appender;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all(this.#appenders.map((appender) => appender.close()));
    await this.closeReaders();
    await closeQueryBuilder(this.#builder, this.log);
    await this.closeConnections();
  }

  /** Ends what reads next to the query builder; the appenders are closed. */
  protected abstract closeReaders(): Promise<unknown>;

  /** Ends what is left once the query builder is closed. */
  protected async closeConnections(): Promise<void> {}
}

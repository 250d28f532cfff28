import { service } from './service.ts';

export type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error';
export type Fields = { readonly [name: string]: unknown };

/** Context of a record, innermost first; `fields` is one line of `key=value` pairs. */
export interface Span {
  readonly name: string;
  readonly fields?: string;
}

/** One log record as `svc-server_log` returns it (svc-server.md §9.1). */
export interface LogRecord {
  readonly timestamp: string;
  readonly level: Uppercase<Level>;
  readonly target: string;
  readonly message: string;
  readonly fields: Fields;
  readonly spans: readonly Span[];
}

/** Messages are constant sentences, facts are fields. Values of fields named like a secret are masked. */
export interface Logger {
  trace(message: string, fields?: Fields): void;
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  /** An `Error` under `error` is written with its cause chain. */
  error(message: string, fields?: Fields): void;
  /** Tells whether some sink takes this level: guard for fields that cost something to make. */
  enabled(level: Level): boolean;
  /** Same sinks, another target (svc-server.md §9.1 lists the ones in use). */
  target(name: string): Logger;
  /** Same target, one more span around every record. */
  span(span: Span): Logger;
}

/** The log's sinks: a service of the program. */
export interface LogSinks {
  /** Snapshot of the memory ring, oldest first. */
  recent(): LogRecord[];
  /**
   * Live records that pass a filter of the form `target=level,level` (svc-server.md §10); the default level is off.
   * @returns removes the listener
   */
  stream(filter: string, listener: (record: LogRecord) => void): () => void;
  /**
   * One plain line for the person who starts the server: on the console when the start is over, also where it failed,
   * and in no sink. For values that are shown once.
   */
  announce(line: string): void;
}
export const LogSinks = service<LogSinks>('log-sinks');

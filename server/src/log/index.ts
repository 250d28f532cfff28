import { isatty } from 'node:tty';
import type { Logger, LogSinks } from '@svc/plugin-sdk';
import { stringifyJson } from '@svc/plugin-sdk/json';
import type { LogRecord } from '@svc/plugin-sdk/kernel';
import type { Head } from '../config/head.ts';
import { forTerminal } from '../terminal-text.ts';
import { consoleLine } from './console.ts';
import { type Filter, parseFilter } from './filter.ts';
import { Hub } from './hub.ts';
import { complain, type Output, openOutput } from './output.ts';
import { openRotating } from './rotating.ts';
import { addStream } from './stream.ts';

const CLOSE_TIMEOUT_MS = 2000;
/** Number of records beyond the capacity that may wait to be cut off at once. */
const SLACK = 1000;

/** The table `[logging]` (configuration.md §1). */
export type LoggingConfig = Partial<Head['logging']> & Pick<Head['logging'], 'memory_log_capacity'>;

/** The log of one server. */
export interface Log {
  /** Target `server`. */
  readonly logger: Logger;
  readonly sinks: Omit<LogSinks, 'announce'>;
  /** One plain line on the console, in order with the log's and in no sink. */
  readonly print: (line: string) => void;
  /** Writes what waits, 2 s at most; the ring and the streams go on, console and file are closed. */
  close(): Promise<void>;
}

export interface LogOptions {
  /** Value of `RUST_LOG`: wins over `log_filter`. */
  readonly env?: string | undefined;
  readonly console?: 'stdout' | 'none' | ((line: string) => void);
  readonly brand?: { readonly word: string };
}

/** Sets up the sinks of configuration.md §5, once per process. What cannot be opened or parsed is told on standard error. */
export function openLog(config: LoggingConfig, options: LogOptions = {}): Log {
  const { word = 'svc' } = options.brand ?? {};
  // One target bears the brand.
  const hub = new Hub((target) => (target === 'svc' ? word : target));
  const terminal = openConsole(options.console ?? 'stdout');
  const filter = parse(options.env ?? config.log_filter ?? 'info');
  const filterOr = (text: string | undefined) => (text === undefined ? filter : parse(text));

  if (options.console !== 'none') {
    hub.add({
      filter,
      write: (record) => terminal.write(consoleLine(record, terminal.isTerminal)),
    });
  }
  const file = addFile(hub, config, filterOr(config.json_log_filter));
  const { memory_log_capacity: capacity } = config;
  let kept: LogRecord[] = [];
  const remember = (record: LogRecord) => {
    kept.push(record);
    if (kept.length >= capacity + SLACK) kept = kept.slice(-capacity);
  };
  if (capacity > 0) hub.add({ filter: filterOr(config.memory_log_filter), write: remember });

  return {
    logger: hub.logger('server'),
    sinks: {
      recent: () => kept.slice(-capacity),
      stream: (text, listener) => addStream(hub, text, listener),
    },
    print: (line) => terminal.write(terminal.isTerminal ? forTerminal(line) : line),
    close: async () => {
      await Promise.all([file?.close(CLOSE_TIMEOUT_MS), terminal.close(CLOSE_TIMEOUT_MS)]);
    },
  };
}

function openConsole(kind: NonNullable<LogOptions['console']>): Output & { isTerminal: boolean } {
  if (kind === 'stdout') return { ...openOutput(1, 'standard output'), isTerminal: isatty(1) };
  const write = kind === 'none' ? () => {} : kind;
  return { write, close: async () => {}, isTerminal: false };
}

function addFile(hub: Hub, config: LoggingConfig, filter: Filter): Output | undefined {
  const { json_log_file: path, json_log_max_mb = 0, json_log_files = 1 } = config;
  if (path === undefined) return undefined;
  try {
    const file = openRotating(path, json_log_max_mb * 2 ** 20, json_log_files);
    hub.add({ filter, write: (record) => file.write(stringifyJson(record)) });
    return file;
  } catch (error) {
    complain(`the log file ${path} cannot be opened: ${(error as Error).message}`);
    return undefined;
  }
}

function parse(text: string): Filter {
  return parseFilter(text, (directive) =>
    complain(`invalid log filter directive skipped: ${directive}`),
  );
}

import { DATABASE_AWAY, isDatabaseAway } from './util/database-away.ts';
import { DISK_FULL, isDiskFull } from './util/disk-full.ts';
import { sameInEveryCopy } from './util/same-class.ts';

/** An error that goes to the caller as a JSON-RPC error object (conventions.md §5). */
export class RpcError extends Error {
  static {
    sameInEveryCopy(RpcError, 'RpcError');
  }
  override readonly name = 'RpcError';
  readonly code: number;
  /** Sent as `error.data` when not undefined; `DISK_FULL` and `DATABASE_AWAY` by themselves where that is the cause. */
  readonly data: unknown;

  constructor(code: number, message: string, options: { data?: unknown; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.data = options.data ?? reasonOf(options.cause);
  }

  /** 101: text that could not be parsed. */
  static parse = factory(101, 'Parse error: ');
  /** 101: a value that could not be serialised. */
  static serialization = factory(101, 'Serialization error: ');
  /** 101: reading or writing a file or socket failed. */
  static io = factory(101, 'IO error: ');
  /** 102: permission denied or bad credential. */
  static denied = factory(102, 'Permission denied: ');
  /** 103: the database refused or could not be reached. */
  static database = factory(103, 'Database error: ');
  /** 104: the agent is not connected. */
  static agent = factory(104, 'Unable to connect agent: ');
  /** 105: the named thing does not exist. */
  static notFound = factory(105, 'Not found in database: ');
  /** 106: an unknown agent, in methods that the protocol does not name; those that it names answer 105. */
  static uuid = factory(106, 'UUID not found: ');
  /** 107: a configuration or component is not there. */
  static config = factory(107, 'Config not found: ');
  /** 108: well-formed input that is not acceptable. */
  static invalid = factory(108, 'Invalid input: ');
  /** 999: anything else. */
  static other = factory(999, 'Other error: ');

  /** -32602; `data` is the reason as text. */
  static params(reason: string): RpcError {
    return new RpcError(-32602, 'Invalid params', { data: reason });
  }

  /** 108: a text with U+0000, which Postgres does not hold. */
  static zero(): RpcError {
    return RpcError.invalid(
      'a text holds the character U+0000, which cannot be stored: leave it out',
    );
  }

  /** -32008: one serialised response passed `max_response_body_size`. */
  static responseTooBig(limit: number): RpcError {
    return new RpcError(-32008, 'Response is too big', { data: `Exceeded max limit of ${limit}` });
  }
}

function reasonOf(cause: unknown): string | undefined {
  if (cause === undefined) return undefined;
  if (isDiskFull(cause)) return DISK_FULL;
  return isDatabaseAway(cause) ? DATABASE_AWAY : undefined;
}

function factory(code: number, prefix: string) {
  return (detail: string, options?: { data?: unknown; cause?: unknown }): RpcError =>
    new RpcError(code, prefix + detail, options);
}

/** A mistake of the operator (configuration, command line): printed without a stack, says what to change. */
export class UserError extends Error {
  static {
    sameInEveryCopy(UserError, 'UserError');
  }
  override readonly name = 'UserError';
}

/** A failure inside a plugin, or a plugin that acted at the wrong time; carries the plugin's name. */
export class PluginError extends Error {
  static {
    sameInEveryCopy(PluginError, 'PluginError');
  }
  override readonly name = 'PluginError';
  readonly plugin: string;

  constructor(plugin: string, message: string, options: { cause?: unknown } = {}) {
    super(
      `plugin '${plugin}': ${message}`,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.plugin = plugin;
  }
}

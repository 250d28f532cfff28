import type { LogRecord } from './log.ts';
import type { Plugin } from './plugin.ts';

/** A server for one test: real database, real listener on a free loopback port. */
export interface TestApp {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** `key:secret` of the Super Token when the plugin `token` runs, else empty. */
  readonly superToken: string;
  readonly rootPassword: string;
  readonly dialect: 'sqlite' | 'postgres';
  /** Directory of this server's files; removed by `stop`. */
  readonly dir: string;
  /** Lines that the console has shown since the last start. */
  readonly console: readonly string[];
  /** The fake time when `clock` was asked for. */
  readonly clock: TestClock;
  /** One call over HTTP POST. @throws RpcFailure with code, message and data */
  call(method: string, params?: unknown): Promise<any>;
  /** The whole response object of one call. */
  rpc(request: unknown): Promise<any>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  connect(path?: string): Promise<TestSocket>;
  /** Runs one statement on the main database, for looking behind the wire. */
  sql(sql: string, params?: readonly unknown[]): Promise<any[]>;
  /** A token with these limits, as `key:secret`. */
  token(limits: unknown, extra?: Record<string, unknown>): Promise<string>;
  /** Stops; `keep` leaves files and database for a second start with `restart`. */
  stop(): Promise<void>;
  /** Stops and starts again on the same files and database. */
  restart(): Promise<void>;
  /** Reads the configuration file again, as `svc-server_edit_config` does. */
  reload(): Promise<void>;
  /** The records that the memory log holds. */
  records(): LogRecord[];
  /** Kernel that runs, as an in-process handle for what has no wire. */
  readonly kernel: unknown;
}

export interface TestClock {
  now(): number;
  /** Moves time and runs what is due. */
  advance(ms: number): Promise<void>;
  /** The process sleeps: time moves, and what is due then runs once. */
  sleep(ms: number): Promise<void>;
}

export interface TestSocket {
  call(method: string, params?: unknown): Promise<any>;
  /** Sends raw text and gives the next message, parsed. */
  exchange(text: string): Promise<any>;
  send(text: string | Uint8Array): void;
  /** The next message that answers no `call`. */
  next(timeout_ms?: number): Promise<any>;
  readonly closed: Promise<{ code: number; reason: string }>;
  close(): void;
  /** The `ws` socket. */
  readonly raw: any;
}

/** An error answer of `call`. */
export class RpcFailure extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export interface TestOptions {
  readonly dialect?: 'sqlite' | 'postgres';
  /** Fake clock instead of the machine's. */
  readonly clock?: boolean;
  /** A database that no server has used. Else it may have the tables of every built-in plugin. */
  readonly empty?: boolean;
  /** Tells whether the test is about calls that hold the server up. Otherwise `stop` fails after a turn of more than 50 ms of processor time. */
  readonly mayHold?: boolean;
}

/**
 * Starts a server with these plugins (objects, built-in names or paths) and this configuration over the minimal one.
 * Postgres is the server named by `PGHOST`; the test runner starts one.
 */
export async function bootForTest(
  plugins: readonly (Plugin<any, any> | string)[] | undefined,
  config: Record<string, unknown> = {},
  options: TestOptions = {},
): Promise<TestApp> {
  // The kit depends on the program only at run time: the program's own types depend on this package.
  const program: string = '@svc/server/testing';
  const kit = (await import(program)) as { bootForTest: typeof bootForTest };
  const app = await kit.bootForTest(plugins, config, options);
  const token: TestApp['token'] = async (token_limit, extra = {}) => {
    const token = { token_limit, ...extra };
    const { key, secret } = await app.call('token_create', [app.superToken, token]);
    return `${key}:${secret}`;
  };
  return Object.assign(app, { token });
}

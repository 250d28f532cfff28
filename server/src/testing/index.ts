import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, machineClock } from '@svc/kernel';
import { ConfigurationFile, LogSinks, type Plugin } from '@svc/plugin-sdk';
import type { TestApp, TestOptions, TestSocket } from '@svc/plugin-sdk/testing';
import { onLongTurn } from '@svc/plugin-sdk/util';
import { start as startProgram } from '../start.ts';
import { writeConfiguration } from './configuration.ts';
import { createTestDatabase, isBuiltIn } from './database.ts';
import { fakeClock } from './fake-clock.ts';
import { HttpCalls } from './http.ts';
import { openSocket, unwrap, WAIT_MS } from './socket.ts';

/** See `bootForTest` of `@svc/plugin-sdk/testing`. */
export async function bootForTest(
  plugins: readonly (Plugin | string)[] | undefined,
  config: Record<string, unknown> = {},
  options: TestOptions = {},
): Promise<Omit<TestApp, 'token'>> {
  const dialect = options.dialect ?? 'sqlite';
  const dir = await mkdtemp(join(tmpdir(), 'svc-test-'));
  const copied = !options.empty && areBuiltIn(plugins, config);
  const database = await createTestDatabase(dialect, dir, copied);
  const removeFiles = async () => {
    await database.drop();
    await rm(dir, { recursive: true, force: true });
  };
  const file = await writeConfiguration(dir, database.url, { plugins, config });
  const clock = fakeClock();
  const program = new Program(file, plugins, options.clock ? clock : machineClock);
  await program.start().catch(async (error) => {
    await removeFiles();
    throw error;
  });
  const endWatch = watchLongTurns(options);
  const first = firstCredentials(program.app);
  const { closeSockets, close, ...calls } = clientOf(program);

  return {
    get url() {
      return program.app.url;
    },
    superToken: first?.token ?? '',
    rootPassword: first?.password ?? '',
    dialect,
    dir,
    console: program.console,
    clock,
    ...calls,
    async stop() {
      closeSockets();
      const refuseLongTurns = endWatch();
      await program.app.stop('test');
      close();
      await removeFiles();
      refuseLongTurns();
    },
    async restart() {
      await program.app.stop('restart');
      await program.start();
    },
    reload: async () => program.app.service(ConfigurationFile)?.reload(),
    records: () => program.app.service(LogSinks)?.recent() ?? [],
    get kernel() {
      return program.app;
    },
  };
}

function areBuiltIn(
  plugins: readonly (Plugin | string)[] | undefined,
  config: Record<string, unknown>,
): boolean {
  const listed = (key: string) => (config[key] as string[] | undefined) ?? [];
  return (plugins ?? [...listed('plugins'), ...listed('extra_plugins')]).every(isBuiltIn);
}

/** The server of a test, which may be started again on the same files. */
class Program {
  /** Lines of the console since the last start. */
  readonly console: string[] = [];
  readonly #config: string;
  readonly #plugins: readonly (Plugin | string)[] | undefined;
  readonly #clock: typeof machineClock;
  #app: App | undefined;

  constructor(
    config: string,
    plugins: readonly (Plugin | string)[] | undefined,
    clock: typeof machineClock,
  ) {
    this.#config = config;
    this.#plugins = plugins;
    this.#clock = clock;
  }

  get app(): App {
    return this.#app as App;
  }

  async start(): Promise<void> {
    this.console.length = 0;
    this.#app = await startProgram({
      config: this.#config,
      plugins: this.#plugins,
      checkPayloads: true,
      clock: this.#clock,
      console: process.env['SVC_TEST_LOG'] ? 'stdout' : (line) => void this.console.push(line),
    });
  }
}

/** The ways into a running server: calls over HTTP, connections, and SQL on its database. */
function clientOf(program: Program) {
  const http = new HttpCalls(WAIT_MS);
  const sockets = new Set<TestSocket>();
  const rpc = (request: unknown): Promise<unknown> => http.post(`${program.app.url}/`, request);
  return {
    rpc,
    call: async (method: string, params: unknown = []): Promise<unknown> =>
      unwrap(await rpc({ jsonrpc: '2.0', id: 1, method, params })),
    fetch: (path: string, init?: RequestInit) => fetch(`${program.app.url}${path}`, init),
    async connect(path = '/') {
      const socket = await openSocket(`${program.app.url.replace(/^http/, 'ws')}${path}`);
      sockets.add(socket);
      return socket;
    },
    async sql(text: string, params: readonly unknown[] = []): Promise<unknown[]> {
      // Numbers of a test are integers where they have no fraction.
      const values = params.map((value) =>
        Number.isInteger(value) ? BigInt(value as number) : value,
      );
      const { rows } = await program.app.db.execute(text, values as never, {
        maxRows: 100_000,
        timeout_ms: WAIT_MS,
      });
      return [...rows];
    },
    closeSockets() {
      for (const socket of sockets) socket.close();
    },
    close: () => http.close(),
  };
}

/**
 * Watches for calls that hold the main thread up while others wait. Its result ends the watch, and returns a check.
 * @throws Error (the check) that names these calls, unless the test is about them
 */
function watchLongTurns({ mayHold }: TestOptions): () => () => void {
  const held: string[] = [];
  const end = onLongTurn(({ cpu_ms, calls }) => {
    // Turns that no call began are the test's own work.
    if (calls.length > 0) held.push(`${cpu_ms} ms in ${calls.join(', ')}`);
  });
  const check = () => {
    if (held.length === 0 || mayHold) return;
    const which = held.slice(0, 10).join('; ');
    throw new Error(
      `${held.length} turns of the main thread took more than 50 ms of processor time: ${which}`,
    );
  };
  return () => {
    end();
    return check;
  };
}

/** Credentials that a plugin offers at a first start, under the service name `token.first`. */
const firstCredentials = (app: App) =>
  app.service<{ token: string; password: string } | undefined>({ service: 'token.first' });

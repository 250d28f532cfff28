import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, machineClock } from '@svc/kernel';
import { ConfigurationFile, LogSinks, type Plugin } from '@svc/plugin-sdk';
import {
  RpcFailure,
  type TestApp,
  type TestOptions,
  type TestSocket,
} from '@svc/plugin-sdk/testing';
import { onLongTurn } from '@svc/plugin-sdk/util';
import { stringify } from 'smol-toml';
import { WebSocket } from 'ws';
import { start as startProgram } from '../start.ts';
import { createTestDatabase, isBuiltIn } from './database.ts';
import { fakeClock } from './fake-clock.ts';
import { HttpCalls } from './http.ts';

const CONFIG = 'config.toml';
/** Every wait of the kit ends here; a machine that runs much else at the same time needs it. */
const WAIT_MS = 120_000;
/** So long a statement waits for a connection: a test may ask for much at once. */
const CONNECTION_MS = 30_000;

/** See `bootForTest` of `@svc/plugin-sdk/testing`. */
export async function bootForTest(
  plugins: readonly (Plugin | string)[] | undefined,
  config: Record<string, unknown> = {},
  options: TestOptions = {},
): Promise<Omit<TestApp, 'token'>> {
  const { dialect, dir, database } = await makeSite(plugins, config, options);
  const clock = fakeClock();
  const shown: string[] = [];
  const start = () => {
    shown.length = 0;
    return startProgram({
      config: join(dir, CONFIG),
      plugins,
      checkPayloads: true,
      clock: options.clock ? clock : machineClock,
      console: process.env['SVC_TEST_LOG'] ? 'stdout' : (line) => void shown.push(line),
    });
  };
  let app = await start().catch(async (error) => {
    await database.drop();
    await rm(dir, { recursive: true, force: true });
    throw error;
  });
  const held: string[] = [];
  const endWatch = onLongTurn(({ cpu_ms, calls }) => {
    // What no call began is the test's own work.
    if (calls.length > 0) held.push(`${cpu_ms} ms in ${calls.join(', ')}`);
  });
  const first = firstCredentials(app);
  const sockets = new Set<TestSocket>();

  const http = new HttpCalls(WAIT_MS);
  const rpc = (request: unknown): Promise<unknown> => http.post(`${app.url}/`, request);
  const call = async (method: string, params: unknown = []): Promise<unknown> =>
    unwrap(await rpc({ jsonrpc: '2.0', id: 1, method, params }));

  return {
    get url() {
      return app.url;
    },
    superToken: first?.token ?? '',
    rootPassword: first?.password ?? '',
    dialect,
    dir,
    console: shown,
    clock,
    call,
    rpc,
    fetch: (path, init) => fetch(`${app.url}${path}`, init),
    async connect(path = '/') {
      const socket = await openSocket(`${app.url.replace(/^http/, 'ws')}${path}`);
      sockets.add(socket);
      return socket;
    },
    sql: (text, params = []) => runSql(app, text, params),
    async stop() {
      for (const socket of sockets) socket.close();
      endWatch();
      await app.stop('test');
      http.close();
      await database.drop();
      await rm(dir, { recursive: true, force: true });
      refuseLongTurns(held, options);
    },
    async restart() {
      await app.stop('restart');
      app = await start();
    },
    reload: async () => app.service(ConfigurationFile)?.reload(),
    records: () => app.service(LogSinks)?.recent() ?? [],
    get kernel() {
      return app;
    },
  };
}

/** A folder with a configuration file, and an empty or a copied database. */
async function makeSite(
  plugins: readonly (Plugin | string)[] | undefined,
  config: Record<string, unknown>,
  { dialect = 'sqlite', empty }: TestOptions,
) {
  const dir = await mkdtemp(join(tmpdir(), 'svc-test-'));
  await mkdir(join(dir, 'static'));
  const listed = (key: string) => (config[key] as string[] | undefined) ?? [];
  const chosen = plugins ?? [...listed('plugins'), ...listed('extra_plugins')];
  const database = await createTestDatabase(dialect, dir, !empty && chosen.every(isBuiltIn));
  // A slow hash at every start and login is for the tests that are about it.
  const token = !plugins || plugins.includes('token') ? { password_kdf: 'sha256' } : undefined;
  const base = {
    ...baseConfig(dir, database.url),
    token,
    ...quickCommits(plugins ?? config['plugins']),
  };
  await writeFile(join(dir, CONFIG), stringify(merge(base, config)));
  return { dialect, dir, database };
}

async function runSql(app: App, text: string, params: readonly unknown[]): Promise<unknown[]> {
  // Numbers of a test are integers where they have no fraction.
  const values = params.map((value) => (Number.isInteger(value) ? BigInt(value as number) : value));
  const limits = { maxRows: 100_000, timeout_ms: WAIT_MS };
  const { rows } = await app.db.execute(text, values as never, limits);
  return [...rows];
}

/** @throws Error that names the calls which held the main thread up: others wait meanwhile */
function refuseLongTurns(held: readonly string[], { mayHold }: TestOptions): void {
  if (held.length === 0 || mayHold) return;
  const which = held.slice(0, 10).join('; ');
  throw new Error(
    `${held.length} turns of the main thread took more than 50 ms of processor time: ${which}`,
  );
}

const baseConfig = (dir: string, url: string) => ({
  server_uuid: randomUUID(),
  ws_listener: '127.0.0.1:0',
  static_path: join(dir, 'static'),
  db_path: join(dir, 'db'),
  database: {
    database_url: url,
    connect_timeout_ms: CONNECTION_MS,
    acquire_timeout_ms: CONNECTION_MS,
    sqlite_reserve_mb: 0,
  },
  logging: { log_filter: 'info', memory_log_filter: 'trace' },
});

/**
 * A test sends one report after the other, and would wait for 200 ms each time. `SVC_TEST_OWN_PACE`: it waits, as a user of
 * the product does.
 */
const quickCommits = (plugins: unknown): Record<string, unknown> =>
  (Array.isArray(plugins) && !plugins.includes('agent')) || process.env['SVC_TEST_OWN_PACE']
    ? {}
    : { monitoring_buffer: { flush_interval_ms: 1 } };

function merge(
  base: Record<string, unknown>,
  over: Record<string, unknown>,
): Record<string, unknown> {
  const merged = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const both = isTable(base[key]) && isTable(value);
    if (value === undefined) delete merged[key];
    else merged[key] = both ? merge(base[key] as Record<string, unknown>, value) : value;
  }
  return merged;
}

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a credentials plugin offers of a first start, under the service name `token.first`. */
const firstCredentials = (app: App) =>
  app.service<{ token: string; password: string } | undefined>({ service: 'token.first' });

function unwrap(response: unknown): unknown {
  const { result, error } = response as {
    result?: unknown;
    error?: { code: number; message: string; data?: unknown };
  };
  if (error) throw new RpcFailure(error.code, error.message, error.data);
  return result;
}

async function openSocket(url: string): Promise<TestSocket> {
  const socket = new WebSocket(url);
  const pending = new Map<string, (message: unknown) => void>();
  const inbox: unknown[] = [];
  const waiting: ((message: unknown) => void)[] = [];
  let lastId = 0;
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as { id?: string };
    const answer = message.id === undefined ? undefined : pending.get(message.id);
    if (answer) {
      pending.delete(message.id as string);
      answer(message);
      return;
    }
    const next = waiting.shift();
    if (next) next(message);
    else inbox.push(message);
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: String(reason) }));
  });
  socket.on('error', () => {
    // The closing code tells what a test needs; `open` below rejects on its own.
  });
  await withDeadline(once(socket, 'open'), `connecting to ${url}`);
  const next = (timeout_ms = WAIT_MS) => {
    if (inbox.length > 0) return Promise.resolve(inbox.shift());
    let take: (message: unknown) => void = () => {};
    const message = new Promise((resolve) => {
      take = resolve;
      waiting.push(take);
    });
    return withDeadline(message, 'the next message', timeout_ms).catch((error) => {
      // A waiter that has given up takes no message from the later ones.
      waiting.splice(waiting.indexOf(take), 1);
      throw error;
    });
  };
  return {
    async call(method, params = []) {
      const id = `t${++lastId}`;
      const answer = new Promise((resolve) => pending.set(id, resolve));
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      return unwrap(await withDeadline(answer, method));
    },
    exchange(text) {
      const answer = next();
      socket.send(text);
      return answer;
    },
    send: (text) => socket.send(text),
    next,
    closed,
    close: () => socket.terminate(),
    raw: socket,
  };
}

async function withDeadline<T>(work: Promise<T>, what: string, timeout_ms = WAIT_MS): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const fail = () => reject(new Error(`${what}: nothing within ${timeout_ms} ms`));
  const timer = setTimeout(fail, timeout_ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from './ports.ts';
import { account, findBinaries } from './postgres-binaries.ts';
import { NoPostgres } from './runner/without-postgres.ts';

export interface TestPostgres {
  /** Address of a database of this server. */
  url(database: string): string;
  /** Makes an empty database with a fresh name. @returns its address */
  createDatabase(): Promise<string>;
  dropDatabase(url: string): Promise<void>;
  /** Stops the server, as a crash does unless `fast`, and starts it again on the same port. Not with `PGHOST`. */
  restart(how?: 'crash' | 'fast'): Promise<void>;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Default false: the data lives as long as the tests. */
  readonly fsync?: boolean;
  /** Further server settings. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Own server even where `PGHOST` names one: for tests that restart it. */
  readonly own?: boolean;
}

const START_TIMEOUT_MS = 60_000;

/**
 * Address of the Postgres that the test runner started for all files.
 * @throws NoPostgres in a run without one
 */
export function sharedPostgres(): string {
  const url = process.env['SVC_TEST_POSTGRES_URL'];
  if (url) return url;
  throw new NoPostgres('SVC_TEST_POSTGRES_URL names no Postgres: run tests through test/run.ts');
}

/** A Postgres server for tests: the one `PGHOST` names, else a new one on a free loopback port that ends with this process. */
export async function startPostgres(options: PostgresOptions = {}): Promise<TestPostgres> {
  if (process.env['SVC_TEST_FAST'] === '1') throw new NoPostgres('--fast starts no Postgres');
  if (process.env['PGHOST'] && !options.own) return foreignServer(process.env['PGHOST']);
  const server = new OwnServer(options);
  try {
    await server.start();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

/** Makes an empty database, given the address of any database of the server. @returns its address */
export async function createDatabase(maintenanceUrl: string): Promise<string> {
  const name = `test_${process.pid}_${randomBytes(6).toString('hex')}`;
  await administer(maintenanceUrl, `create database ${name}`);
  return withDatabase(maintenanceUrl, name);
}

/** Drops the database of this address, its connections too. */
export async function dropDatabase(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  await administer(withDatabase(url, 'postgres'), `drop database if exists "${name}" with (force)`);
}

async function administer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 30_000 });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

function foreignServer(host: string): TestPostgres {
  const { PGPORT = '5432', PGUSER = 'postgres', PGPASSWORD, PGDATABASE = 'postgres' } = process.env;
  const base = new URL(`postgres://${host.startsWith('/') ? 'localhost' : host}:${PGPORT}/`);
  base.username = encodeURIComponent(PGUSER);
  if (PGPASSWORD) base.password = encodeURIComponent(PGPASSWORD);
  if (host.startsWith('/')) base.searchParams.set('host', host);
  const url = (database: string) => withDatabase(base.href, database);
  return {
    url: (database) => url(database === 'postgres' ? PGDATABASE : database),
    createDatabase: () => createDatabase(url(PGDATABASE)),
    dropDatabase,
    restart: () => Promise.reject(new Error('the server named by PGHOST is not ours to restart')),
    stop: () => Promise.resolve(),
  };
}

/** A shell holds the server; when our end of the pipe closes, as a killed process's does, it ends it and tidies up. */
const keeper = `dir=$1; shift; "$@" </dev/null & pid=$!
read -r signal || { signal=QUIT; orphan=1; }
kill -s "$signal" $pid; wait $pid
[ -z "$orphan" ] || rm -rf "$dir"; exit 0`;

class OwnServer implements TestPostgres {
  readonly #options: PostgresOptions;
  readonly #dir = mkdtempSync(join(tmpdir(), 'svc-postgres-'));
  readonly #password = randomBytes(16).toString('hex');
  #binaries = '';
  #port = 0;
  #keeper: ChildProcess | undefined;
  readonly #atExit = () => rmSync(this.#dir, { recursive: true, force: true });

  constructor(options: PostgresOptions) {
    this.#options = options;
    process.on('exit', this.#atExit);
    if (account.uid !== undefined) chownSync(this.#dir, account.uid, account.gid ?? account.uid);
  }

  url(database: string): string {
    return `postgres://svc:${this.#password}@127.0.0.1:${this.#port}/${database}`;
  }

  createDatabase(): Promise<string> {
    return createDatabase(this.url('postgres'));
  }

  dropDatabase(url: string): Promise<void> {
    return dropDatabase(url);
  }

  async start(): Promise<void> {
    this.#binaries = findBinaries(this.#dir);
    this.#port = await freePort();
    this.#initialise();
    await this.#run();
  }

  async restart(how: 'crash' | 'fast' = 'crash'): Promise<void> {
    await this.#end(how === 'crash' ? 'QUIT' : 'INT');
    await this.#run();
  }

  async stop(): Promise<void> {
    await this.#end('QUIT');
    process.off('exit', this.#atExit);
    rmSync(this.#dir, { recursive: true, force: true });
  }

  #initialise(): void {
    const secret = join(this.#dir, 'password');
    writeFileSync(secret, this.#password);
    // Whatever the umask says.
    if (account.uid !== undefined) chownSync(secret, account.uid, account.gid ?? account.uid);
    const args = [
      '-D',
      this.#data(),
      '-U',
      'svc',
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
      '--auth=scram-sha-256',
      `--pwfile=${secret}`,
    ];
    const made = spawnSync(join(this.#binaries, 'initdb'), args, {
      ...account,
      encoding: 'utf8',
      cwd: this.#dir,
    });
    rmSync(secret);
    if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`);
  }

  async #run(): Promise<void> {
    const log = openSync(this.#log(), 'a', 0o666);
    const command = [join(this.#binaries, 'postgres'), '-D', this.#data(), ...this.#settings()];
    this.#keeper = spawn('/bin/sh', ['-c', keeper, 'sh', this.#dir, ...command], {
      ...account,
      cwd: this.#dir,
      stdio: ['pipe', log, log],
    });
    closeSync(log);
    // The pipe breaks when the shell ends first; `#answers` says why.
    this.#keeper.stdin?.on('error', () => undefined);
    await this.#answers();
  }

  #settings(): string[] {
    const settings = {
      listen_addresses: '127.0.0.1',
      port: String(this.#port),
      unix_socket_directories: '',
      fsync: this.#options.fsync ? 'on' : 'off',
      max_connections: '200',
      ...this.#options.settings,
    };
    return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  }

  async #answers(): Promise<void> {
    for (const until = Date.now() + START_TIMEOUT_MS; ; ) {
      try {
        return await administer(this.url('postgres'), 'select 1');
      } catch (error) {
        if (Date.now() > until) {
          throw new Error(
            `Postgres does not start: ${readFileSync(this.#log(), 'utf8').slice(-2_000)}`,
            { cause: error },
          );
        }
        await delay(30);
      }
    }
  }

  async #end(signal: 'QUIT' | 'INT'): Promise<void> {
    const child = this.#keeper;
    this.#keeper = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.stdin?.end(`${signal}\n`);
    await ended;
  }

  #data = () => join(this.#dir, 'data');
  #log = () => join(this.#dir, 'log');
}

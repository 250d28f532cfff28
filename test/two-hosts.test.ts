// proof only: 60
/** examples/two-hosts as its README starts it: two servers with different roles on one Postgres, one agent on both. */
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { freePort } from './ports.ts';
import { createDatabase, dropDatabase, sharedPostgres } from './postgres.ts';
import { rpc } from './process/server.ts';
import { suite } from './runner/suite.ts';

const folder = resolve(import.meta.dirname, '../examples/two-hosts');

/** The example under way. */
class Example {
  readonly data = mkdtempSync(join(tmpdir(), 'svc-two-hosts-'));
  readonly reportHost: string;
  readonly taskHost: string;
  readonly #database: string;
  #child: ReturnType<typeof spawn> | undefined;
  #ended = Promise.resolve<number | null>(null);
  output = '';

  constructor(database: string, [report, task]: readonly [number, number]) {
    this.#database = database;
    this.reportHost = `http://127.0.0.1:${report}`;
    this.taskHost = `http://127.0.0.1:${task}`;
  }

  static async make(): Promise<Example> {
    const database = await createDatabase(sharedPostgres());
    return new Example(database, [await freePort(), await freePort()]);
  }

  get superToken(): string {
    return readFileSync(join(this.data, 'super-token'), 'utf8').trim();
  }

  get agent(): string {
    const text = readFileSync(join(this.data, 'agent.toml'), 'utf8');
    return /^agent_uuid = "(.+)"$/m.exec(text)![1]!;
  }

  get #env() {
    return {
      ...process.env,
      DATABASE_URL: this.#database,
      DATA: this.data,
      REPORT_LISTEN: this.reportHost.slice('http://'.length),
      TASK_LISTEN: this.taskHost.slice('http://'.length),
    };
  }

  has = (name: string): boolean => existsSync(join(this.data, name));

  /** In a process group of its own, as a terminal does it. */
  start(): void {
    const child = spawn(join(folder, 'start.sh'), [], {
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const atExit = () => this.signal('SIGKILL', 'all');
    process.on('exit', atExit);
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data) => {
        this.output += data;
      });
    }
    // Only once every process that holds the pipes has ended: nothing is left behind then.
    this.#ended = new Promise((done) => {
      child.on('close', (status) => {
        process.off('exit', atExit);
        this.#child = undefined;
        done(status);
      });
    });
    this.#child = child;
  }

  signal(signal: NodeJS.Signals, to: 'all' | 'start.sh'): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    try {
      process.kill(to === 'all' ? -pid : pid, signal);
    } catch (error) {
      // It has just ended by itself.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  /** Resolves when nothing of it runs any more. @returns the status */
  ended = (): Promise<number | null> => this.#ended;

  /** As Ctrl-C does. @returns the status */
  async stop(): Promise<number | null> {
    this.signal('SIGINT', 'all');
    return this.#ended;
  }

  /** Makes the tables and the file of the Super Token once more. */
  init = () => spawnSync(join(folder, 'role.sh'), ['init'], { env: this.#env, encoding: 'utf8' });

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.data, { recursive: true, force: true });
    await dropDatabase(this.#database);
  }

  call = async (url: string, method: string, ...params: unknown[]): Promise<any> => {
    const answer = await rpc(url, method, [this.superToken, ...params]).catch(() => undefined);
    return answer?.error ? `${answer.error.code} ${answer.error.message}` : answer?.result;
  };

  /** Time of the agent's newest summary, 0 as long as there is none. */
  newest = async (): Promise<number> => {
    if (!this.has('agent.toml')) return 0;
    const method = 'agent_dynamic_summary_multi_last_query';
    const rows = await this.call(this.reportHost, method, [this.agent], ['cpu_usage']);
    return Array.isArray(rows) && rows[0] ? rows[0].timestamp : 0;
  };
}

/** Five processes of Node start side by side: slow where two cores do much else. */
const DEADLINE_MS = 120_000;

async function until<T>(what: string, ask: () => Promise<T>, good: (value: T) => boolean) {
  for (const end = Date.now() + DEADLINE_MS; ; await pause(100)) {
    const value = await ask();
    if (good(value)) return value;
    if (Date.now() > end) throw new Error(`${what} did not come: ${JSON.stringify(value)}`);
  }
}

const test = suite('two hosts (postgres)');
let example: Example;

test.before(async () => {
  example = await Example.make();
});
test.after(() => example?.remove());

test('a start that is broken off leaves no process behind, and the next one goes on with its files', async () => {
  example.start();
  await until('the start', async () => example.has('init.log'), Boolean);
  example.signal('SIGTERM', 'start.sh');
  assert.is(await example.ended(), 0, example.output);
  assert.equal(readdirSync(example.data), ['super-token']);
  example.start();
  await until('a server', async () => example.has('report-host.toml'), Boolean);
  example.signal('SIGKILL', 'all');
  await example.ended();
  example.start();
});

test('the agent reports to the one host', async () => {
  await until('a report', example.newest, (time) => time > 0).catch((error) => {
    throw new Error(`${error.message}\n${example.output}`);
  });
  const { uuids } = await example.call(example.reportHost, 'svc-server_list_all_agent_uuid');
  assert.equal(uuids, [example.agent]);
});

test('a blocking task through the other host is carried out', async () => {
  const task = () =>
    example.call(example.taskHost, 'task_create_task_blocking', example.agent, 'version', 10_000);
  const answer = await until('the answer', task, (value) => typeof value === 'object');
  assert.is(answer.success, true);
  assert.is(answer.agent_uuid, example.agent);
  assert.is(answer.task_event_result.version.binary_type, 'Agent');
});

test('each host has its role and no other, and a UUID of its own', async () => {
  const { reportHost, taskHost, call } = example;
  assert.match(await call(reportHost, 'task_create_task', example.agent, 'version'), /^-32601 /);
  assert.match(await call(taskHost, 'agent_query_static', {}), /^-32601 /);
  const uuids = await Promise.all(
    [reportHost, taskHost].map((url) => call(url, 'svc-server_uuid')),
  );
  assert.is(new Set(uuids).size, 2);
});

test('credentials can be read by their owner alone', () => {
  for (const name of ['super-token', 'agent.toml', 'report-host.toml', 'task-host.toml']) {
    assert.is(statSync(join(example.data, name)).mode & 0o077, 0, name);
  }
});

test('Ctrl-C ends all three, and a second start goes on with what is there', async () => {
  const { agent } = example;
  assert.is(await example.stop(), 0, example.output);
  const since = Date.now();
  const before = example.output.length;
  example.start();
  await until('a report after the second start', example.newest, (time) => time > since);
  // Only then does a server end in order.
  const listening = () => example.output.slice(before).match(/server: listening/g)?.length;
  await until(
    'both servers',
    async () => listening(),
    (count) => count === 2,
  );
  assert.is(example.agent, agent);
  assert.is(await example.stop(), 0, example.output);
});

test('a Super Token that was printed by a start that ended at once has its file after the next one', () => {
  const { superToken, data } = example;
  const file = join(data, 'super-token');
  writeFileSync(join(data, 'init.log'), `Super Token: ${superToken}\nRoot Password: x\n`);
  renameSync(file, `${file}.old`);
  assert.is(example.init().status, 0);
  assert.is(example.superToken, superToken);
  rmSync(file);
  const { status, stderr } = example.init();
  assert.is(status, 1);
  assert.match(stderr, /^this database is not new: .*roll-super-token/s);
  assert.not(example.has('super-token'));
  renameSync(`${file}.old`, file);
});

test('the agent sends no report to the host that takes none', () => {
  const refused = example.output
    .split('\n')
    .filter((line) => /answered with an error|method=agent_report/.test(line));
  assert.equal(refused, []);
});

test.run();

/** examples/two-hosts as its README starts it: two servers with different roles on one Postgres, one agent on both. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { freePort } from './ports.ts';
import { createDatabase, dropDatabase } from './postgres.ts';
import { killAtExit, rpc } from './process/server.ts';

const start = resolve(import.meta.dirname, '../examples/two-hosts/start.sh');

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
    const database = await createDatabase(process.env['SVC_TEST_POSTGRES_URL']!);
    return new Example(database, [await freePort(), await freePort()]);
  }

  get superToken(): string {
    return readFileSync(join(this.data, 'super-token'), 'utf8').trim();
  }

  get agent(): string {
    const text = readFileSync(join(this.data, 'agent.toml'), 'utf8');
    return /^agent_uuid = "(.+)"$/m.exec(text)![1]!;
  }

  start(): void {
    const env = {
      ...process.env,
      DATABASE_URL: this.#database,
      DATA: this.data,
      REPORT_LISTEN: this.reportHost.slice('http://'.length),
      TASK_LISTEN: this.taskHost.slice('http://'.length),
    };
    const child = spawn(start, [], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    killAtExit(child);
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data) => {
        this.output += data;
      });
    }
    this.#ended = new Promise((done) => child.on('close', done));
    this.#child = child;
  }

  /** As Ctrl-C does. @returns the status */
  async stop(): Promise<number | null> {
    this.#child?.kill('SIGTERM');
    return this.#ended;
  }

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
    if (!existsSync(join(this.data, 'agent.toml'))) return 0;
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
  example.start();
});
test.after(() => example?.remove());

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

test('credentials are nobody else’s to read', () => {
  for (const name of ['super-token', 'agent.toml', 'report-host.toml', 'task-host.toml']) {
    assert.is(statSync(join(example.data, name)).mode & 0o077, 0, name);
  }
});

test('Ctrl-C ends all three, and a second start goes on with what is there', async () => {
  const { agent } = example;
  assert.is(await example.stop(), 0, example.output);
  const since = Date.now();
  example.start();
  await until('a report after the second start', example.newest, (time) => time > since);
  assert.is(example.agent, agent);
  assert.is(await example.stop(), 0, example.output);
});

test('the agent sends no report to the host that takes none', () => {
  const refused = example.output
    .split('\n')
    .filter((line) => /answered with an error|method=agent_report/.test(line));
  assert.equal(refused, []);
});

test.run();

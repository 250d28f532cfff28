// proof only: 20
/** Every configuration in `config/` starts, and so does `npm start` on an empty data directory. */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { freePort } from './ports.ts';
import { makePlace } from './process/place.ts';
import { killAtExit, rpc, startServer, superToken } from './process/server.ts';
import { suite } from './runner/suite.ts';

const root = resolve(import.meta.dirname, '..');
const filesOf = (folder: string) =>
  readdirSync(join(root, folder)).filter((name) => name.endsWith('.toml'));
const earlier = readdirSync(join(root, 'test/upgrade'))
  .filter((name) => /^\d/.test(name))
  .map((version) => `test/upgrade/${version}/config`);

/** Those of this version, and those of earlier ones that read differently: text to path. */
const configurations = new Map(
  [...earlier, 'config']
    .flatMap((folder) => filesOf(folder).map((name) => join(folder, name)))
    .map((path) => [readFileSync(join(root, path), 'utf8'), path]),
);
const test = suite('configurations');

test('the seven configurations of the documentation are there', () => {
  const wanted = ['minimal', 'hardened', 'all', 'postgres', 'report-host', 'task-host', 'branded'];
  for (const name of wanted) assert.ok(filesOf('config').includes(`${name}.toml`), name);
});

for (const [original, path] of configurations) {
  const dialect = /database_url\s*=\s*"postgres/.test(original) ? 'postgres' : 'sqlite';
  const word = /^\s*word\s*=\s*"([^"]+)"/m.exec(original)?.[1] ?? 'svc';

  test(`${path} starts on ${dialect}, warns of nothing, and stops with status 0`, async () => {
    const place = await makePlace(dialect);
    try {
      const made = readFileSync(place.site.config, 'utf8');
      writeFileSync(place.site.config, movedTo(original, made, place.site.dir));
      const server = await startServer(place.site, { hello: `${word}-server_hello` });
      const answer = await rpc(place.site.url, `${word}-server_version`, []);
      const status = await server.end('SIGTERM');
      assert.match(answer.result.cargo_version, /^\d+\.\d+\.\d+$/);
      assert.is(status.code, 0, server.output());
      assert.equal(server.output().match(/^.*\b(?:WARN|ERROR)\b.*$/gm) ?? [], []);
    } finally {
      await place.remove();
    }
  });
}

/** The configuration with the address and database of a test site; relative paths lie in the site already. */
function movedTo(text: string, site: string, dir: string): string {
  const line = (key: string) => new RegExp(`^${key} = .*$`, 'm').exec(site)![0];
  return text
    .replace(/^\s*ws_listener\s*=.*$/m, () => line('ws_listener'))
    .replace(/^\s*server_uuid\s*=.*$/m, () => line('server_uuid'))
    .replace(/^\s*database_url\s*=.*$/m, () => line('database_url'))
    .replace(/^(\s*unix_socket_path\s*=).*$/m, `$1 ${JSON.stringify(join(dir, 'svc.sock'))}`);
}

test('npm start serves and reports this machine from an empty data directory, twice', async () => {
  const data = mkdtempSync(join(tmpdir(), 'svc-data-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  try {
    const first = await start(data, port);
    await until(async () => /^Root Password: \S+$/m.test(first.output()));
    const token = superToken(first.output());
    assert.match(first.output(), new RegExp(`^svc is ready: ${url}\n`, 'm'));
    const uuid = await agentOf(url, token);
    // An agent is listed before its first report is stored.
    await until(async () => (await latest(url, token, uuid))?.total_memory > 0);
    assert.is(statSync(join(data, 'agent.toml')).mode & 0o777, 0o600);
    assert.is(statSync(join(data, 'server.toml')).mode & 0o777, 0o600);
    assert.ok(existsSync(join(data, 'svc.db')));
    await first.stop();

    const since = Date.now();
    const second = await start(data, port);
    await until(async () => (await latest(url, token, uuid)).timestamp > since);
    const { result } = await rpc(url, 'token_list_all_tokens', { token });
    assert.is(result.tokens.length, 2, 'the agent kept its credential');
    await second.stop();
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
});

test('npm start -- --no-agent runs no agent and makes no credential', async () => {
  const data = mkdtempSync(join(tmpdir(), 'svc-data-'));
  try {
    const server = await start(data, await freePort(), '--no-agent');
    // A process that ends bundles the agent for other machines, where the server runs from sources.
    await until(async () => childrenOf(server.process.pid!).length === 0);
    assert.not.ok(existsSync(join(data, 'agent.toml')));
    await server.stop();
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
});

test.run();

interface Started {
  readonly process: ChildProcess;
  output(): string;
  /** SIGTERM; checks the status and that no child outlives it. */
  stop(): Promise<void>;
}

async function start(data: string, port: number, ...more: string[]): Promise<Started> {
  const options = ['--data', data, '--listen', `127.0.0.1:${port}`, ...more];
  const process_ = spawn(
    process.execPath,
    [join(root, 'scripts', 'run.mjs'), 'start', ...options],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  killAtExit(process_);
  let output = '';
  for (const stream of [process_.stdout, process_.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const closed = new Promise((done) => process_.on('close', done));
  const stop = async () => {
    const children = childrenOf(process_.pid!);
    process_.kill('SIGTERM');
    assert.is(await closed, 0, output);
    await until(async () => !children.some(lives));
  };
  try {
    await until(async () => {
      assert.is(process_.exitCode, null, output);
      return /^svc is ready: .*\n/m.test(output);
    }, 120_000);
  } catch (error) {
    process_.kill('SIGKILL');
    throw error;
  }
  return { process: process_, output: () => output, stop };
}

/** The one agent that the server knows. */
async function agentOf(url: string, token: string): Promise<string> {
  let uuids: string[] = [];
  await until(async () => {
    const { result } = await rpc(url, 'svc-server_list_all_agent_uuid', { token });
    uuids = result.uuids;
    return uuids.length > 0;
  });
  assert.is(uuids.length, 1);
  return uuids[0]!;
}

async function latest(url: string, token: string, uuid: string): Promise<any> {
  const query = { fields: ['total_memory', 'cpu_usage'], condition: [{ uuid }, 'last'] };
  const answer = await rpc(url, 'agent_query_dynamic_summary', { token, query });
  return answer.result[0];
}

async function until(holds: () => Promise<boolean>, limit_ms = 60_000): Promise<void> {
  const deadline = Date.now() + limit_ms;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`not so after ${limit_ms} ms: ${holds}`);
    await pause(50);
  }
}

/** A process that was not waited for yet is still listed: for ever where the machine's first process does not wait. */
function lives(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    // Gone, before or while it was read.
    return false;
  }
}

/** Process ids of the children, from /proc; empty where there is none. */
function childrenOf(pid: number): number[] {
  if (!existsSync('/proc/self/task')) return [];
  const file = `/proc/${pid}/task/${pid}/children`;
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

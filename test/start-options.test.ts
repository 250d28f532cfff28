// proof only: 14
/** `npm start` and `npm test` as they are typed on the first day: options, mistakes, and the ways in which a window ends them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { loadPty } from '../agent/src/terminal/pty.ts';
import { freePort } from './ports.ts';
import { killAtExit, makeSite } from './process/server.ts';
import { suite } from './runner/suite.ts';

const test = suite('npm start');
const root = resolve(import.meta.dirname, '..');
const LIMIT_MS = 60_000;

let data = '';
test.before.each(() => {
  data = mkdtempSync(join(tmpdir(), 'svc-start-'));
});
test.after.each(() => rmSync(data, { recursive: true, force: true }));

async function until(what: string, isTrue: () => boolean): Promise<void> {
  for (const end = Date.now() + LIMIT_MS; !isTrue(); await pause(10))
    if (Date.now() > end) throw new Error(`not within ${LIMIT_MS / 1000} s: ${what}`);
}

/** One of the project's scripts, as `npm start` and `npm test` run it. */
function script(name: string, args: readonly string[]) {
  const child = spawn(process.execPath, [join(root, 'scripts', 'run.mjs'), name, ...args], {
    cwd: data,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  killAtExit(child);
  const seen = { out: '', err: '' };
  child.stdout.on('data', (chunk) => (seen.out += chunk));
  child.stderr.on('data', (chunk) => (seen.err += chunk));
  const closed = once(child, 'close').then(([code]) => code as number | null);
  return { child, seen, closed };
}

const start = (...args: string[]) => script('start', ['--no-agent', '--data', data, ...args]);

/** Starts, waits until it is ready, and stops. @returns its address */
async function serveOnce(...args: string[]): Promise<string> {
  const { child, seen, closed } = start(...args);
  const ready = /svc is ready: (\S+)/;
  await until('ready', () => ready.test(seen.out) || child.exitCode !== null);
  child.kill('SIGTERM');
  assert.is(await closed, 0, seen.out + seen.err);
  return ready.exec(seen.out)?.[1] ?? seen.err;
}

const saved = () => readFileSync(join(data, 'server.toml'), 'utf8');
const listener = () => /^ws_listener = "(.*)"$/m.exec(saved())?.[1];

test('--listen takes a port alone, the first start keeps it, and a later one wins for its run', async () => {
  const [first, second] = [await freePort(), await freePort()];
  assert.is(await serveOnce('--listen', String(first)), `http://127.0.0.1:${first}`);
  assert.is(listener(), `127.0.0.1:${first}`);
  assert.match(saved(), /^server_uuid = ?"[0-9a-f-]{36}"$/m);
  const before = saved();
  assert.is(await serveOnce('--listen', `[::1]:${second}`), `http://[::1]:${second}`);
  assert.is(saved(), before);
  assert.is(await serveOnce(), `http://127.0.0.1:${first}`);
});

test('it says where the page for people is and how to log in there, and that is right', async () => {
  const { child, seen, closed } = start('--listen', String(await freePort()));
  const told = /^Open +(\S+)\n[\s\S]*new ones/m;
  await until('told', () => told.test(seen.out) || child.exitCode !== null);
  try {
    const [, url = ''] = told.exec(seen.out) ?? [];
    assert.match(await (await fetch(url)).text(), '<div id="app">');
    const token = `root|${/^Root password.*?(\S+)$/im.exec(seen.out)?.[1]}`;
    const answer = await fetch(new URL('/', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'token_get', params: { token } }),
    });
    const { result } = (await answer.json()) as { result: { username: string } };
    assert.is(result.username, 'root');
  } finally {
    child.kill('SIGTERM');
  }
  assert.is(await closed, 0, seen.err);
});

test('--listen wins over a file that is named, and the agent of this machine follows it', async () => {
  const site = await makeSite('sqlite://{dir}/svc.db?mode=rwc');
  const text = readFileSync(site.config, 'utf8');
  try {
    const agent = join(data, 'agent.toml');
    for (const port of [await freePort(), await freePort()]) {
      const options = ['--data', data, '--config', site.config, '--listen', String(port)];
      const { child, seen, closed } = script('start', options);
      const url = `ws://127.0.0.1:${port}`;
      await until(url, () => existsSync(agent) && readFileSync(agent, 'utf8').includes(url));
      child.kill('SIGTERM');
      assert.is(await closed, 0, seen.out + seen.err);
    }
    assert.match(readFileSync(agent, 'utf8'), 'allow_task = false');
    const kept = readFileSync(site.config, 'utf8').replace(/^server_uuid.*$/m, '');
    assert.is(kept, text.replace(/^server_uuid.*$/m, ''));
  } finally {
    site.remove();
  }
});

test('a first start that fails saves nothing, so the next one begins anew', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const { seen, closed } = start('--listen', String(port));
  const code = await closed;
  taken.close();
  assert.is(code, 1);
  assert.match(seen.err, `ws_listener: cannot listen on 127.0.0.1:${port}`);
  assert.match(seen.err, `(configuration: ${join(data, 'server.toml')})`);
  assert.not.match(seen.err, /\n {4}at /);
  assert.not.match(seen.out, /Super Token/);
  assert.not.ok(existsSync(join(data, 'server.toml')));
  assert.not.ok(existsSync(join(data, 'svc.db')));
  assert.not.ok(existsSync(join(data, 'package.json')));
  const next = await freePort();
  assert.is(await serveOnce('--listen', String(next)), `http://127.0.0.1:${next}`);
  // npm installs plugins beside the configuration, not in the package of the checkout.
  assert.ok(existsSync(join(data, 'package.json')));
});

const mistakes: [name: string, script: string, args: string[], says: RegExp][] = [
  ['an unknown option', 'start', ['--port', '1'], /^Unknown option '--port'/],
  ['a word that is no option', 'start', ['2211'], /^Unexpected argument '2211'/],
  [
    'an address that is none',
    'start',
    ['--listen', 'localhost:1'],
    /^--listen localhost:1: give PORT/,
  ],
  ['a port that is none', 'start', ['--listen', '99999'], /^--listen 127.0.0.1:99999: give PORT/],
  ['an option without its value', 'start', ['--data'], /^Option '--data <value>' argument missing/],
  ['an unknown option of the tests', 'test', ['--port', '1'], /^Unknown option '--port'/],
  ['a number of lanes that is none', 'test', ['--lanes=many'], /^--lanes=many: give a number/],
];
for (const [name, command, args, says] of mistakes) {
  test(`${name} is answered with the usage: npm ${command} -- ${args.join(' ')}`, async () => {
    const { seen, closed } = script(command, args);
    assert.is(await closed, 2, seen.out + seen.err);
    assert.match(seen.err, says);
    assert.match(seen.err, command === 'start' ? 'npm start -- [options]' : 'npm test [-- WORDS');
    assert.not.match(seen.err + seen.out, /\n {4}at /);
    assert.not.ok(existsSync(join(data, 'server.toml')));
  });
}

for (const command of ['start', 'test']) {
  test(`npm ${command} -- --help prints the usage and nothing else`, async () => {
    for (const option of ['--help', '-h']) {
      const { seen, closed } = script(command, [option]);
      assert.is(await closed, 0, seen.out + seen.err);
      assert.match(seen.out, new RegExp(`^npm ${command} `));
      assert.match(seen.out, '--help');
      assert.is(seen.err, '');
    }
  });
}

interface Terminal {
  write(text: string): void;
  onData(listen: (text: unknown) => void): unknown;
  onExit(listen: (end: { exitCode: number; signal?: number }) => void): unknown;
  on(event: 'error', listen: () => void): unknown;
  destroy(): void;
}

/** True while a process has this word on its command line. */
const isRunning = (word: string): boolean =>
  readdirSync('/proc').some((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(word);
    } catch {
      // No process, or one that has ended meanwhile.
      return false;
    }
  });

const endings: [name: string, signal: string, end: (terminal: Terminal) => void][] = [
  ['Ctrl-C', 'SIGINT', (terminal) => terminal.write('\u0003')],
  ['closing the window', 'SIGHUP', (terminal) => terminal.destroy()],
];
for (const [name, signal, end] of endings) {
  test(`${name} ends npm start, its server and its agent once and in order`, async () => {
    const log = join(data, 'log.json');
    const logging = `[logging]\njson_log_file = ${JSON.stringify(log)}`;
    const site = await makeSite('sqlite://{dir}/svc.db?mode=rwc', '', logging);
    try {
      const { spawn: open } = await loadPty();
      const args = ['start', '--', '--data', data, '--config', site.config];
      const terminal = open('npm', args, { cwd: root, env: process.env }) as unknown as Terminal;
      terminal.on('error', () => {});
      let shown = '';
      terminal.onData((text) => (shown += String(text)));
      const exited = new Promise<string>((done) =>
        terminal.onExit(({ exitCode, signal }) => done(`${exitCode} ${signal ?? 0}`)),
      );
      const agent = join(data, 'agent.toml');
      await until('ready', () => shown.includes('svc is ready') && isRunning(agent));
      assert.ok(existsSync(join(site.dir, 'svc.db-wal')), 'the database is open');
      end(terminal);
      await until('the end', () => !isRunning(site.config) && !isRunning(agent));
      // A shell between npm and the server would die of Ctrl-C at once, and npm with it, before the server has ended.
      if (signal === 'SIGINT') assert.is(await exited, '0 0', shown);
      assert.not.match(shown, /npm error/);
      const records = readFileSync(log, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      const stops = records.filter(({ message }) => message === 'stopping');
      assert.equal(
        stops.map(({ fields }) => fields.reason),
        [signal],
      );
      assert.not.ok(existsSync(join(site.dir, 'svc.db-wal')), 'the database was closed in order');
    } finally {
      site.remove();
    }
  });
}

test.run();

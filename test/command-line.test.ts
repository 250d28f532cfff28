// proof only: 25
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { suite } from './runner/suite.ts';

const test = suite('command line');
const bin = new URL('../server/bin/svc-server.js', import.meta.url).pathname;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
let dir = '';

test.before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-cli-'));
});
test.after(() => rm(dir, { recursive: true, force: true }));

interface Outcome {
  code: number | null;
  out: string;
  err: string;
}

function start(args: readonly string[], input?: string) {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: dir,
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  const seen = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    seen.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    seen.err += chunk;
  });
  if (input !== undefined) child.stdin.end(input);
  return { child, seen };
}

async function run(args: readonly string[], input = ''): Promise<Outcome> {
  const { child, seen } = start(args, input);
  const [code] = await once(child, 'close');
  return { code, ...seen };
}

async function configure(name: string, extra = ''): Promise<string> {
  const file = join(dir, `${name}.toml`);
  await writeFile(
    file,
    `# kept comment\nserver_uuid = "auto_gen"   # also kept\nws_listener = "127.0.0.1:0"\n${extra}\n[database]\ndatabase_url = "sqlite://${name}.db?mode=rwc"\n`,
  );
  return file;
}

const usage: [name: string, args: string[], code: number, stream: 'out' | 'err', text: RegExp][] = [
  ['no arguments give the help', [], 0, 'out', /^Usage: svc-server COMMAND/],
  ['help is the help', ['help'], 0, 'out', /^Usage: svc-server COMMAND/],
  ['help takes a command', ['help', 'setup'], 0, 'out', /^Usage: svc-server setup DIR/],
  [
    '--help lists the commands, those of plugins included',
    ['--help'],
    0,
    'out',
    /^Usage: svc-server COMMAND[\s\S]*\n {2}setup DIR [\s\S]*\nCommands of plugins\n[\s\S]*\n {2}backup FILE\|DIR /,
  ],
  [
    'a command of the program says what it does, with its options',
    ['setup', '--help'],
    0,
    'out',
    /^Usage: svc-server setup DIR \[--listen IP:PORT\]\n\nWrite DIR[\s\S]*\n {2}--listen IP:PORT {2}Address/,
  ],
  [
    'a command of a plugin says what it does, without a configuration',
    ['backup', '--help'],
    0,
    'out',
    /^Usage: svc-server backup FILE\|DIR \[--every TIME\][\s\S]*\n {2}--keep N {2,}Delete all but the newest N/,
  ],
  [
    'serve says that it needs a file',
    ['serve', '-h'],
    0,
    'out',
    /^Usage: svc-server serve -c FILE\n/,
  ],
  [
    'a command that does not exist, without a configuration',
    ['bakcup'],
    2,
    'err',
    /^unknown command 'bakcup'; did you mean 'backup'\?\n/,
  ],
  ['serve without a file is a usage error', ['serve'], 2, 'err', /serve needs -c FILE/],
  [
    'setup refuses an address that is none, and makes nothing',
    ['setup', 'place', '--listen', 'localhost'],
    1,
    'err',
    /^--listen localhost: give IP:PORT or \[IPv6\]:PORT$/m,
  ],
  ['an unknown option is a usage error', ['serve', '--nope'], 2, 'err', /--nope/],
  [
    'two commands are a usage error',
    ['serve', 'init', '-c', 'x'],
    2,
    'err',
    /one command at a time/,
  ],
  [
    'a file that is not there',
    ['serve', '-c', 'missing.toml'],
    1,
    'err',
    /Failed to parse config: .*missing\.toml/,
  ],
  [
    'version needs no file',
    ['version'],
    0,
    'out',
    /^Starting svc-server\nsvc Server Version: \d+\.\d+\.\d+\n(?:.*\n)*Git Branch: .+\nCommit SHA: .+\nCommit Date: .+\nCommit Message: .+\nBuild Time: .+\nTarget Triple: .+\n/,
  ],
];
test('setup makes a configuration that a server starts with, for its user alone, and leaves one that is there', async () => {
  const listen = ['--listen', '127.0.0.1:0'];
  const made = await run(['setup', 'first/place', ...listen]);
  const file = join(dir, 'first/place/server.toml');
  assert.is(made.out, `Made ${file}. Next:\n  svc-server serve -c ${file}\n`);
  assert.is((await stat(file)).mode & 0o777, 0o600);
  assert.is((await stat(join(dir, 'first/place'))).mode & 0o777, 0o700);
  // npm installs plugins here, not in a package of a folder above.
  assert.ok(JSON.parse(await readFile(join(dir, 'first/place/package.json'), 'utf8')).private);
  assert.is((await run(['init', '-c', file])).code, 0);
  assert.ok((await stat(join(dir, 'first/place/svc.db'))).size > 0);
  const text = await readFile(file, 'utf8');
  const again = await run(['setup', 'first/place', ...listen]);
  assert.is(again.code, 0);
  assert.match(again.out, `${file} is there already, and stays as it is.`);
  assert.is(await readFile(file, 'utf8'), text);
});

for (const [name, args, code, stream, text] of usage) {
  test(name, async () => {
    const outcome = await run(args);
    assert.is(outcome.code, code);
    assert.match(outcome[stream], text);
    const isOfProtocol = /^(?:serve|version)$/.test(args[0] ?? '') && !args.includes('-h');
    assert.is(outcome.out.startsWith('Starting svc-server\n'), isOfProtocol, outcome.out);
  });
}

test('what the command `types` prints is TypeScript, and nothing else is on standard output', async () => {
  const file = await configure('types');
  await run(['init', '-c', file]);
  const { code, out, err } = await run(['types', '-c', file]);
  assert.is(code, 0, err);
  assert.match(
    out,
    /^\/\/ Methods of a server, version \d+\.\d+\.\d+\.[^\n]*\n\n\/\*\* Calls[\s\S]*\}\n$/,
  );
  assert.is(err, '');
});

const pluginUsage: [name: string, args: string[], text: RegExp][] = [
  [
    'an unknown command is a usage error that names the commands of the plugins',
    ['dance'],
    /unknown command 'dance'[\s\S]*\n {2}roll-super-token {2}Replace the Super Token/,
  ],
  [
    'a command of a plugin takes no words that it does not name',
    ['types', 'x'],
    /usage: svc-server types\n/,
  ],
  ['a command of a plugin refuses options that it does not have', ['types', '--nope'], /--nope/],
];
for (const [name, args, text] of pluginUsage)
  test(name, async () => {
    const { code, err } = await run([...args, '-c', await configure('dance')]);
    assert.is(code, 2);
    assert.match(err, text);
  });

test('commands of plugins find their configuration in SVC_CONFIG or data/server.toml', async () => {
  const without = await run(['types']);
  assert.is(without.code, 2);
  assert.match(without.err, 'types needs -c FILE');
  const file = await configure('usual');
  await mkdir(join(dir, 'data'));
  await rename(file, join(dir, 'data/server.toml'));
  assert.is((await run(['types'])).code, 0);
  await rm(join(dir, 'data'), { recursive: true });
});

test('a bad configuration exits 1 with line and key', async () => {
  const file = join(dir, 'bad.toml');
  await writeFile(
    file,
    'server_uuid = "auto_gen"\nws_listener = "localhost:1"\n[database]\ndatabase_url = "sqlite://x.db"\n',
  );
  const { code, err } = await run(['init', '-c', file]);
  assert.is(code, 1);
  assert.match(err, /^Failed to parse config: ws_listener: .*\(line 2\)/);
});

test('a corrupt database ends the start with one sentence', async () => {
  const file = await configure('corrupt');
  await writeFile(join(dir, 'corrupt.db'), 'this is no database\n'.repeat(99));
  const { code, out, err } = await run(['serve', '-c', file]);
  assert.is(code, 1);
  assert.match(
    err,
    /^database\.database_url: cannot open .*corrupt\.db: it is damaged.* restore a backup/,
  );
  assert.match(err, `\n(configuration: ${file})\n`);
  assert.not.match(out + err, /\bat .*:\d+:\d+/);
});

test('get-uuid makes the UUID once, keeps the rest of the file, and prints it as the last line', async () => {
  const file = await configure('uuid');
  const first = await run(['get-uuid', '-c', file]);
  const uuid = first.out.trim().split('\n').at(-1) ?? '';
  assert.match(uuid, UUID);
  assert.is((await run(['get-uuid', '-c', file])).out.trim().split('\n').at(-1), uuid);
  const text = await readFile(file, 'utf8');
  assert.match(text, /^# kept comment\nserver_uuid ?= ?"[0-9a-f-]{36}" {3}# also kept\n/);
});

test('init creates the Super Token once: two plain lines, the value at the end', async () => {
  const file = await configure('init');
  const first = await run(['init', '-c', file]);
  assert.is(first.code, 0);
  assert.match(first.out, /^Super Token: [A-Za-z0-9]{16}:[A-Za-z0-9]{32}$/m);
  assert.match(first.out, /^Root Password: [A-Za-z0-9]{32}$/m);
  const second = await run(['init', '-c', file]);
  assert.is(second.code, 0);
  assert.not.match(second.out, /Super Token: [A-Za-z0-9]{16}:/);
});

test('roll-super-token asks until it understands, and takes the end of input for no', async () => {
  const file = await configure('roll');
  await run(['init', '-c', file]);
  for (const input of ['', 'n\n', 'maybe\nNO\n']) {
    const { code, out } = await run(['roll-super-token', '-c', file], input);
    assert.is(code, 0);
    assert.not.match(out, /Super Token: [A-Za-z0-9]{16}:/);
  }
  const { code, out } = await run(['roll-super-token', '-c', file], 'what\nYes\n');
  assert.is(code, 0);
  assert.match(out, /Super Token: [A-Za-z0-9]{16}:[A-Za-z0-9]{32}$/m);
  assert.match(out, /Root Password: [A-Za-z0-9]{32}$/m);
});

async function serving(file: string) {
  const { child, seen } = start(['serve', '-c', file]);
  const listening = /listening .*\burl=(\S+).*\n/;
  for (const end = Date.now() + 60_000; !listening.test(seen.out); await pause(10)) {
    if (child.exitCode === null && Date.now() < end) continue;
    child.kill('SIGKILL');
    throw new Error(`it does not listen: ${seen.out}${seen.err}`);
  }
  const url = listening.exec(seen.out)?.[1] ?? '';
  return { child, seen, url };
}

/** @throws when the program has not done so within a minute */
async function until(isTrue: () => boolean, seen: { out: string; err: string }): Promise<void> {
  for (const end = Date.now() + 60_000; !isTrue(); await pause(5))
    if (Date.now() > end) throw new Error(`nothing of it was printed: ${seen.out}${seen.err}`);
}

test('serve listens, and SIGTERM ends it with 0', async () => {
  const { child, url } = await serving(await configure('serve'));
  assert.is((await fetch(url)).status, 200);
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  assert.is(code, 0);
});

test('SIGHUP reloads the configuration, and a text that cannot be served changes nothing', async () => {
  const file = await configure('hup');
  const { child, seen, url } = await serving(file);
  const text = await readFile(file, 'utf8');
  const uuid = async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'svc-server_uuid', params: [] });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(url, { method: 'POST', headers, body });
    return ((await answer.json()) as { result: string }).result;
  };
  const other = '7d0f3a5e-2f4b-4f0e-8a55-0f6f2f1a9e20';
  await writeFile(file, text.replace(/^server_uuid.*$/m, `server_uuid = "${other}"`));
  child.kill('SIGHUP');
  await until(() => /configuration reloaded/.test(seen.out), seen);
  assert.is(await uuid(), other);
  await writeFile(file, 'ws_listener = ');
  child.kill('SIGHUP');
  await until(() => /reload failed, the old configuration stays in force/.test(seen.out), seen);
  assert.is(await uuid(), other);
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  assert.is(code, 0);
});

/** Its stop ends with the second SIGINT, so that this one surely comes during the stop. */
const twoSignals = `import { writeSync } from 'node:fs';
  let second;
  const both = new Promise((resolve) => { second = resolve; });
  let count = 0;
  process.on('SIGINT', () => {
    count++;
    writeSync(1, 'signal ' + count + '\\n');
    if (count === 2) second();
  });
  export default { name: 'two-signals', version: '1.0.0', setup: ({ hooks }) => hooks.stop.tap(() => both) };`;

test('a Ctrl-C that npm passes on arrives twice within 300 ms: it stops once and in order', async () => {
  await writeFile(join(dir, 'two-signals.mjs'), twoSignals);
  const plugins = 'plugins = ["token", "server-info", "./two-signals.mjs"]';
  const { child, seen, url } = await serving(await configure('signalled', plugins));
  const socket = new WebSocket(url.replace('http', 'ws'));
  await once(socket, 'open');
  const socketClosed = once(socket, 'close');
  const ended = once(child, 'close');
  child.kill('SIGINT');
  await until(() => /signal 1/.test(seen.out), seen);
  child.kill('SIGINT');
  const [code] = await ended;
  assert.is(code, 0, seen.out + seen.err);
  assert.is((await socketClosed)[0].code, 1001);
  assert.is(seen.out.match(/server: stopping/g)?.length, 1);
});

test('a second signal after that ends the stop at once, with status 1', async () => {
  await writeFile(join(dir, 'two-signals.mjs'), twoSignals.replace('=== 2', '=== 9'));
  const plugins = 'plugins = ["token", "server-info", "./two-signals.mjs"]';
  const { child, seen } = await serving(await configure('impatient', plugins));
  const ended = once(child, 'close');
  child.kill('SIGINT');
  await until(() => /signal 1/.test(seen.out), seen);
  await pause(400);
  child.kill('SIGINT');
  assert.is((await ended)[0], 1);
});

test('a second server on the same file refuses to start, with a sentence', async () => {
  const file = await configure('twice');
  const { child } = await serving(file);
  const { code, err } = await run(['serve', '-c', file]);
  assert.is(code, 1);
  assert.match(err, /twice\.db/);
  assert.not.match(err, /\n {4}at /);
  const init = await run(['init', '-c', file]);
  assert.is(init.code, 0);
  child.kill('SIGTERM');
  await once(child, 'exit');
});

test('an address that is taken exits 1 with a sentence', async () => {
  const { child, url } = await serving(await configure('taken'));
  const file = await configure('taker');
  await writeFile(file, (await readFile(file, 'utf8')).replace('127.0.0.1:0', new URL(url).host));
  const { code, err } = await run(['serve', '-c', file]);
  assert.is(code, 1);
  assert.match(err, /^ws_listener: cannot listen on 127\.0\.0\.1:\d+/);
  child.kill('SIGTERM');
  await once(child, 'exit');
});

test.run();

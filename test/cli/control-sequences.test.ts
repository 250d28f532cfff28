/** What servers, agents and scripts wrote does not steer the terminal of who runs `svc` or `svc-server`. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { COMMANDS, main } from '../../cli/src/main.ts';
import { clean, shown } from '../../cli/src/text.ts';
import { forOneLine, forTerminal } from '../../server/src/terminal-text.ts';
import { reportHost } from '../dashboard/hosts.ts';
import { A, type Item, readyAgent, type SimAgent } from '../protocol/task-kit.ts';
import { suite } from '../runner/suite.ts';

const test = suite('control sequences');
const root = resolve(import.meta.dirname, '../..');
/** Title, colour, a C1 sequence, cursor, clipboard, direction, separator. */
const NASTY =
  '\u001b]0;pwned\u0007\u001b[31m\u009b2J\rx\b\u007f\u001b]52;c;cm0gLXJmCg==\u001b\\\u202etxt.exe\u2066\u2028end';
const STEERING = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;
let app: TestApp;
let agent: SimAgent;
let answered = 0;
let dir = '';

test.before(async () => {
  dir = mkdtempSync(join(tmpdir(), 'svc-steer-'));
  app = await bootForTest(undefined);
  const { superToken: token } = app;
  await reportHost(app, A, NASTY);
  agent = await readyAgent(app);
  for (const namespace of ['notes', A]) await app.call('kv_create', [token, namespace]);
  await app.call('kv_set_value', [token, A, 'metadata_tags', [NASTY]]);
  await app.call('kv_set_value', [token, 'notes', 'nasty', NASTY]);
  await app.call('kv_set_value', [token, 'notes', 'deep', { [NASTY]: [NASTY] }]);
  const monitor = {
    name: 'nasty',
    kind: 'http',
    spec: { url: 'http://127.0.0.1:1/' },
    tags: [NASTY],
  };
  await app.call('monitor_create', [token, { ...monitor, group: NASTY, note: NASTY }]);
  writeFileSync(join(dir, 'w.js'), `export default { onCall: () => ${JSON.stringify(NASTY)} };`);
  assert.is((await svc(['login', app.url], { input: `${token}\n` })).code, 0);
});
test.after(async () => {
  await app?.stop();
  rmSync(dir, { recursive: true, force: true });
});

interface Given {
  readonly input?: string;
  readonly isTTY?: boolean;
  readonly during?: () => Promise<void>;
}

/** Runs the program in this process. */
async function svc(args: string[], { input = '', isTTY = false, during }: Given = {}) {
  const [out, err] = [collect(isTTY), collect(isTTY)];
  const stdin = new PassThrough();
  stdin.end(input);
  const env = { XDG_CONFIG_HOME: dir };
  const done = main(args, { stdin, stdout: out.stream, stderr: err.stream, env });
  await during?.();
  const code = await done;
  return { code, out: out.text(), err: err.text() };
}

function collect(isTTY: boolean) {
  let text = '';
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 200 });
  stream.on('data', (part) => {
    text += part;
  });
  return { stream, text: () => text };
}

/** The agent says this of the next task. */
async function answer(text: string): Promise<void> {
  const items = await agent.received(++answered);
  await agent.answer(items.at(-1) as Item, { execute: text });
}

const lines: Readonly<Record<string, readonly (readonly string[])[]>> = {
  login: [['login', `http://127.0.0.1:1/${NASTY}`], ['login']],
  agents: [['agents'], ['agents', '--json']],
  watch: [['watch', NASTY]],
  run: [
    ['run', A, '--', 'x'],
    ['run', A, '--json', '--', 'x'],
    ['run', NASTY, '--', 'x'],
  ],
  sh: [['sh', NASTY]],
  call: [
    ['call', 'kv_get_value', 'namespace=notes', 'key=deep'],
    ['call', 'kv_get_value', 'namespace=notes', 'key=nasty', '--json'],
    ['call', 'kv_get_all_keys', `namespace=${NASTY}`],
    ['call', NASTY],
  ],
  kv: [
    ['kv', 'get', 'notes', 'nasty'],
    ['kv', 'get', 'notes', NASTY],
    ['kv', NASTY],
  ],
  worker: [
    ['worker', 'deploy', join('DIR', 'w.js'), '--name', 'w'],
    ['worker', NASTY, NASTY],
  ],
  logs: [['logs'], ['logs', '--json']],
  completion: [['completion', NASTY]],
  alerts: [['alerts'], ['alerts', '--json'], ['alerts', 'export'], ['alerts', 'apply', NASTY]],
  ack: [
    ['ack', NASTY],
    ['ack', '99', NASTY],
  ],
  silence: [
    ['silence', NASTY, '2h', 'reason'],
    ['silence', '--monitor', NASTY, '2h', 'reason'],
    ['silence', 'x', NASTY, 'reason'],
  ],
  monitors: [
    ['monitors'],
    ['monitors', '--json'],
    ['monitors', 'nasty', NASTY],
    ['monitors', NASTY],
    ['monitors', 'try', 'nasty'],
    ['monitors', 'try', NASTY],
    ['monitors', 'add', NASTY],
    ['monitors', 'check', NASTY],
    ['monitors', 'export'],
    ['monitors', 'apply', NASTY],
  ],
  complete: [
    ['complete', '--', 'kv', NASTY],
    ['complete', '--', 'watch', ''],
  ],
};

test('every command has a line here', () =>
  assert.equal(Object.keys(lines).sort(), Object.keys(COMMANDS).sort()));

for (const [name, all] of Object.entries(lines))
  for (const [at, given] of all.entries())
    test(`svc ${name} (${at + 1}) sends a terminal nothing that steers it`, async () => {
      const args = given.map((word) => word.replace('DIR', dir));
      const during = name === 'run' && args[1] === A ? () => answer(NASTY) : async () => {};
      const { out, err } = await svc(args, { isTTY: true, input: 'x', during });
      assert.ok(out + err, 'it prints something');
      assert.not.match(out, STEERING);
      assert.not.match(err, STEERING);
    });

test('a pipe gets what was written', async () => {
  assert.is((await svc(['kv', 'get', 'notes', 'nasty'])).out, `${NASTY}\n`);
  const { out } = await svc(['run', A, '--', 'x'], { during: () => answer(NASTY) });
  assert.is(out, NASTY);
});

for (const [text, whole, line] of [
  ['plain, ünïcode 漢 👍', 'plain, ünïcode 漢 👍', 'plain, ünïcode 漢 👍'],
  ['a\tb\nc', 'a\tb\nc', 'a\\u0009b\\nc'],
  ['a\r\nb\rc', 'a\nb\\u000dc', 'a\\u000d\\nb\\u000dc'],
  ['\u001b[0m\u009b', '\\u001b[0m\\u009b', '\\u001b[0m\\u009b'],
] as const)
  test(`both programs show ${JSON.stringify(text)} alike`, () => {
    assert.equal([forTerminal(text), forOneLine(text)], [whole, line]);
    assert.equal([shown(text), clean(text)], [whole, line.replaceAll('\\n', '\\u000a')]);
    assert.is(forTerminal(NASTY), shown(NASTY));
    assert.not.match(forTerminal(NASTY), STEERING);
  });

/** Files that write to a stream of the process, and why. */
const WRITERS: Readonly<Record<string, string>> = {
  'cli/src/output.ts': 'the one place that prints',
  'cli/src/io.ts': 'asks for a credential, in words of its own',
  'cli/src/terminal.ts': 'is a terminal',
  'server/src/terminal.ts': 'the one place that prints',
  'plugins/backup/src/passphrase.ts': 'ends the line of a question',
};

test('nothing else in the two programs and in plugins writes to a terminal', () => {
  const folders = ['cli/src', 'server/src', 'kernel/src', 'plugin-sdk/src'];
  const plugins = readdirSync(join(root, 'plugins')).map((name) => `plugins/${name}/src`);
  const found = [...folders, ...plugins].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      .filter((file) => WRITES.test(readFileSync(join(root, file), 'utf8'))),
  );
  assert.equal(found.sort(), Object.keys(WRITERS).sort());
});

const WRITES =
  /\bstd(?:out|err|in)?\.write\(|\bstream\.write\(stream\.|(?<![.\w])console\.(?:log|error|warn|info)\(/;

test.run();

// proof only: 30
// `svc-server allow-tasks`: how the file of an agent beside the server changes, and what is refused.
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { TASK_KINDS } from '../../agent/src/task-kinds.ts';
import { readAgentFile, withKinds } from '../../plugins/enrol/src/agent-file.ts';
import { TASK_KINDS as OF_THE_SERVER } from '../../plugins/task/src/permissions.ts';
import { AGENT, SERVER } from '../agent-program-kit.ts';
import { suite } from '../runner/suite.ts';
import { shell } from './kit.ts';

const files = suite('files of agents: kinds of tasks');

files('the server and the agent know the same kinds', () => {
  assert.equal([...OF_THE_SERVER].sort(), [...TASK_KINDS].sort());
});

const HEAD = `# mine\nlog_level = "info"\nagent_uuid = "${AGENT}"\n`;
const server = (lines: string, uuid = SERVER) =>
  `\n[[server]] # ${uuid}\nname = "n"\nserver_uuid = "${uuid}"\ntoken = "k:s"\n${lines}`;
const other = server('allow_task = true\n', AGENT);

// [what, lines of the server, kinds, lines afterwards]
const CHANGES: [string, string, string[], string][] = [
  [
    'puts them in the place of the old line',
    'allow_task = false # so far\nignore_cert = true\n',
    ['ping', 'web_shell'],
    'allow_task = true\nallow_task_type = ["ping", "web_shell"]\nignore_cert = true\n',
  ],
  [
    'puts them behind a server that says nothing of tasks',
    'ignore_cert = true\n\n',
    ['version'],
    'ignore_cert = true\nallow_task = true\nallow_task_type = ["version"]\n\n',
  ],
  [
    'replaces a list on several lines',
    'allow_task = true\nallow_task_type = [\n  "ping", # a word\n]\nignore_cert = true\n',
    ['dns'],
    'allow_task = true\nallow_task_type = ["dns"]\nignore_cert = true\n',
  ],
  [
    'takes all away',
    'allow_task = true\nallow_task_type = ["ping"]\nallow_ping = true\n',
    [],
    'allow_task = false\nallow_ping = true\n',
  ],
];
for (const [what, before, kinds, after] of CHANGES)
  for (const [where, around] of [
    ['the only server', (lines: string) => HEAD + server(lines)],
    ['the first of two', (lines: string) => HEAD + server(lines) + other],
    ['the second of two', (lines: string) => HEAD + other + server(lines)],
  ] as const)
    files(`${what}: ${where}, and changes nothing else`, () => {
      assert.is(withKinds(around(before), SERVER, kinds), around(after));
    });

// [lines of the server, kinds that they allow]
const READ: [string, string[]][] = [
  ['allow_task = false\nallow_task_type = ["ping"]\n', []],
  ['allow_task = true\nallow_task_type = ["ping"]\nallow_dns = true\n', ['ping']],
  ['allow_task = true\nallow_icmp_ping = true\nallow_dns = true\n', ['ping', 'dns']],
  ['allow_dns = true\n', []],
];
for (const [lines, kinds] of READ)
  files(`reads which kinds are allowed: ${lines.replaceAll('\n', '; ')}`, () => {
    const read = readAgentFile(HEAD + server(lines) + other, SERVER, TASK_KINDS);
    assert.equal(read, { uuid: AGENT, token: 'k:s', kinds });
  });

files('finds its server where the UUID is in capitals', () => {
  const text = HEAD + server('allow_task = false\n', SERVER.toUpperCase());
  const changed = text.replace('= false', '= true\nallow_task_type = ["ping"]');
  assert.is(withKinds(text, SERVER, ['ping']), changed);
});

files('a list with a bracket in a comment is another layout, not broken TOML', () => {
  const text = HEAD + server('allow_task_type = [ # see [1]\n  "ping",\n]\n');
  assert.throws(() => withKinds(text, SERVER, ['dns']), /another layout: write allow_task = true/);
});

files('a file in another layout is left to its owner, who is told what to write', () => {
  const text = `${HEAD}server = [{ name = "n", server_uuid = "${SERVER}", token = "k:s" }]\n`;
  assert.throws(
    () => withKinds(text, SERVER, ['ping']),
    /allow_task = true\nallow_task_type = \["ping"\] into it by hand/,
  );
});
files.run();

const bin = new URL('../../server/bin/svc-server.js', import.meta.url).pathname;
const limits = (...permissions: object[]) => [{ scopes: [{ agent_uuid: AGENT }], permissions }];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`svc-server allow-tasks (${dialect})`);
  let app: TestApp;
  let file = '';
  const run = (args: string) =>
    shell(`${process.execPath} ${bin} allow-tasks ${args} -c ${join(app.dir, 'config.toml')}`);
  test.before(async () => {
    const plugins = ['token', 'server-info', 'agent-uuid', 'agent', 'task', 'kv', 'enrol'];
    app = await bootForTest(undefined, { plugins }, { dialect });
    const token = await app.token(limits({ task: 'listen' }, { task: { write: '*' } }));
    file = join(app.dir, 'agent.toml');
    const lines = server('allow_task = false\n', await app.call('svc-server_uuid'));
    writeFileSync(file, HEAD + lines.replace('k:s', token), { mode: 0o600 });
  });
  test.after(() => app?.stop());

  test('allows kinds in the file beside the configuration, one after the other', async () => {
    const first = await run('web_shell');
    assert.is(first.code, 0, first.err);
    assert.match(first.out, /agent\.toml: allows web_shell\.\n$/);
    assert.match(first.err, 'takes this over within seconds');
    const second = await run('ping,dns');
    assert.match(second.out, 'allows ping, web_shell, dns.');
    assert.match(
      readFileSync(file, 'utf8'),
      'allow_task = true\nallow_task_type = ["ping", "web_shell", "dns"]\n',
    );
    assert.is(statSync(file).mode & 0o777, 0o600);
    assert.match((await run('none')).out, 'allows no tasks.');
    assert.match(readFileSync(file, 'utf8'), 'allow_task = false\n');
  });

  // biome-ignore format: one case per line
  const wrong: [args: string, code: number, says: RegExp][] = [
    ['shell', 1, /there is no kind of task 'shell': use ping,/],
    ['', 2, /usage: svc-server allow-tasks KINDS/],
    ['ping --agent missing.toml', 1, /there is no missing\.toml: npm start makes it .*install\.sh --allow KINDS/],
    [`ping --agent ${bin}`, 1, /svc-server\.js: line \d+/],
  ];
  for (const [args, code, says] of wrong)
    test(`allow-tasks ${args.replace(bin, 'PROGRAM')} is refused with a sentence, and changes nothing`, async () => {
      const before = readFileSync(file, 'utf8');
      const said = await run(args);
      assert.is(said.code, code, said.err);
      assert.match(said.err, says, said.err);
      assert.not.match(said.err, /\n {4}at /);
      assert.is(readFileSync(file, 'utf8'), before);
    });

  test('a token that may not take tasks is told, with the rule that it lacks', async () => {
    const less = await app.token(limits({ dynamic_monitoring_summary: 'write' }));
    const poor = join(app.dir, 'poor.toml');
    const text = readFileSync(file, 'utf8').replace(/^token = .*$/m, `token = "${less}"`);
    writeFileSync(poor, text);
    const said = await run(`ping --agent ${poor}`);
    assert.is(said.code, 1);
    assert.match(said.err, /poor\.toml: its token \w+ may not take tasks: add the rule {"scopes":/);
    assert.not.match(said.err, less);
    assert.is(readFileSync(poor, 'utf8'), text);
  });

  test('a username and password in the file are looked at as the token of that name', async () => {
    const made = (username: string, ...permissions: object[]) =>
      app.call('token_create', {
        father_token: app.superToken,
        token_creation: { username, password: 'Pass word 12', token_limit: limits(...permissions) },
      });
    await made('worker', { task: 'listen' }, { task: { write: '*' } });
    await made('reporter', { dynamic_monitoring_summary: 'write' });
    const named = join(app.dir, 'named.toml');
    const write = (name: string) =>
      writeFileSync(
        named,
        readFileSync(file, 'utf8').replace(/^token = .*$/m, `token = "${name}|Pass word 12"`),
      );
    write('worker');
    const said = await run(`ping --agent ${named}`);
    assert.is(said.code, 0, said.err);
    write('reporter');
    const refused = await run(`dns --agent ${named}`);
    assert.match(refused.err, /its token reporter may not take tasks/);
  });

  test('the file is replaced at once: a link stays a link, the mode stays, nothing else is left', async () => {
    const [target, link] = [join(app.dir, 'real.toml'), join(app.dir, 'link.toml')];
    writeFileSync(target, readFileSync(file, 'utf8'), { mode: 0o640 });
    symlinkSync('real.toml', link);
    const { ino } = statSync(target);
    const said = await run(`dns --agent ${link}`);
    assert.is(said.code, 0, said.err);
    assert.ok(lstatSync(link).isSymbolicLink());
    assert.match(readFileSync(target, 'utf8'), '"dns"');
    assert.is(statSync(target).mode & 0o777, 0o640);
    assert.is.not(statSync(target).ino, ino);
    assert.not.ok(readdirSync(app.dir).some((name) => name.includes('.toml.tmp.')));
  });

  test('the file of an agent of another server stays as it is', async () => {
    const foreign = join(app.dir, 'foreign.toml');
    writeFileSync(foreign, HEAD + other);
    const said = await run(`ping --agent ${foreign}`);
    assert.is(said.code, 1);
    assert.match(said.err, /foreign\.toml: it has no \[\[server\]\] with server_uuid = /);
    assert.is(readFileSync(foreign, 'utf8'), HEAD + other);
    assert.not.ok(existsSync(`${foreign}.new`));
  });
  test.run();
}

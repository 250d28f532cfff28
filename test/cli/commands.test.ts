// proof only: 15
/** The program `svc` against a real server with a real agent. */

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { loadPty } from '../../agent/src/terminal/pty.ts';
import { main } from '../../cli/src/main.ts';
import { AGENT } from '../agent-program-kit.ts';
import { type Running, startAgent, stopAgent, until } from '../agent-program-process.ts';
import { has, shell } from '../documentation-kit.ts';
import { freePort } from '../ports.ts';
import { summaryReport } from '../protocol/agent-kit.ts';
import { eventually } from '../protocol/token-kit.ts';
import { suite } from '../runner/suite.ts';

const test = suite('svc');
const hasPty = await loadPty().then(
  () => true,
  () => false,
);
let app: TestApp;
let agent: Running;
let dir = '';

const agentRights = [
  {
    scopes: [{ agent_uuid: AGENT }],
    permissions: [
      { dynamic_monitoring_summary: 'write' },
      { task: 'listen' },
      { task: { write: 'execute' } },
      { task: { write: 'web_shell' } },
      { task: { write: 'version' } },
    ],
  },
];

test.before(async () => {
  dir = mkdtempSync(join(tmpdir(), 'svc-cli-'));
  app = await bootForTest(undefined);
  agent = await startAgent(app, await app.token(agentRights), {
    head: 'terminal_shell = "sh"',
    server: 'allow_task = true\nallow_execute = true\nallow_web_shell = true\nallow_version = true',
  });
  for (const namespace of ['notes', AGENT])
    await app.call('kv_create', [app.superToken, namespace]);
  await app.call('kv_set_value', [app.superToken, AGENT, 'metadata_name', 'edge 7']);
  const tags = ['rack 1', 'eu'];
  await app.call('kv_set_value', [app.superToken, AGENT, 'metadata_tags', tags]);
  const list = () => app.call('agent-uuid_list_all', [app.superToken]);
  await until('a report', list, (uuids) => uuids.length === 1);
  assert.is((await svc(['login', app.url], { input: `${app.superToken}\n` })).code, 0);
});
test.after(async () => {
  await stopAgent(agent);
  await app.stop();
  rmSync(dir, { recursive: true, force: true });
});

interface Given {
  readonly input?: string;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly during?: (text: () => string, stdin: PassThrough) => Promise<void>;
}

/** Runs the program in this process. */
async function svc(args: string[], { input, isTTY = false, columns, during }: Given = {}) {
  const collect = () => {
    let text = '';
    const stream = Object.assign(new PassThrough(), { isTTY, ...(columns && { columns }) });
    stream.on('data', (part) => {
      text += part;
    });
    return { stream, text: () => text };
  };
  const [out, err] = [collect(), collect()];
  const stdin = new PassThrough();
  if (input !== undefined) stdin.end(input);
  const env = { XDG_CONFIG_HOME: dir };
  const done = main(args, { stdin, stdout: out.stream, stderr: err.stream, env });
  await during?.(out.text, stdin);
  const code = await done;
  return { code, out: out.text(), err: err.text() };
}

test('login keeps the credential for its owner alone, and takes none as an argument', async () => {
  const file = join(dir, 'svc/credentials.json');
  assert.is(statSync(file).mode & 0o777, 0o600);
  assert.is(statSync(join(dir, 'svc')).mode & 0o777, 0o700);
  assert.equal(JSON.parse(readFileSync(file, 'utf8')), {
    current: app.url,
    logins: [{ url: app.url, token: app.superToken }],
  });
  const wrong = await svc(['login', app.url], { input: 'a:b' });
  assert.equal(
    [wrong.code, wrong.err],
    [1, 'svc: the server refuses (102): Permission denied: Invalid credentials\n'],
  );
  assert.is((await svc(['login', app.url, app.superToken])).code, 2);
  assert.is((await svc(['login', app.url.replace('//', '//a:b@')], { input: 'x' })).code, 2);
});

test('login with a user and password keeps a session, and says once it is over', async () => {
  const file = join(dir, 'svc/credentials.json');
  const done = await svc(['login', app.url], { input: `root|${app.rootPassword}` });
  assert.match(done.out, /^Logged in to \S+ as root until \d{4}-\d\d-\d\d; kept in /);
  const text = readFileSync(file, 'utf8');
  assert.not.match(text, app.rootPassword);
  const { logins } = JSON.parse(text);
  const [session] = (await app.call('session_list', [app.superToken])).sessions;
  assert.equal([session.key, session.ends_at], [logins[0].token.slice(0, 16), logins[0].ends_at]);
  assert.is((await svc(['agents'])).code, 0);
  writeFileSync(file, text.replace(String(session.ends_at), '1'));
  assert.equal(await svc(['agents']), {
    code: 1,
    out: '',
    err: `svc: the login to ${app.url} is over: svc login ${app.url}\n`,
  });
  await svc(['login', app.url], { input: app.superToken });
  await app.call('session_revoke', { token: app.superToken, all: true });
});

const refused: [args: string[], code: number, text: RegExp][] = [
  [[], 2, /^svc talks to a server/],
  [['dance'], 2, /^svc: no command 'dance'; svc --help lists them$/m],
  [['agents', '--quickly'], 2, /Unknown option '--quickly'/],
  [['watch'], 2, /AGENT is missing/],
  [['watch', ''], 2, /AGENT is empty:\n {2}svc watch AGENT/],
  [['sh', ' '], 2, /AGENT is empty:\n {2}svc sh AGENT/],
  [['run', '', '--', 'echo', 'x'], 2, /AGENT is empty:\n {2}svc run AGENT/],
  [['watch', 'ffff'], 1, /no agent 'ffff': svc agents lists them/],
  [['watch', '0b6f', '-n', 'all'], 2, /-n 'all': give a whole number from 1/],
  [['call', 'kv_nothing'], 1, /\(-32601\).*svc call rpc.discover/],
  [['call', 'kv_get_value', 'namespace'], 2, /'namespace': write key=value/],
  [['call', 'kv_get_value', 'namespace=notes'], 1, /\(-32602\): Invalid params: .*key/],
  [
    ['kv', 'put', 'a', 'b'],
    2,
    /^svc: 'put': get or set:\n {2}svc kv get NAMESPACE KEY .*\n {2}svc kv set/,
  ],
  [['kv', 'set', 'a', 'b'], 2, /^svc: VALUE is missing:\n {2}svc kv get/],
  [['kv'], 2, /^svc: get or set is missing:/],
  [['agents', 'of', 'mine'], 2, /'of' is one word too many:\n {2}svc agents/],
  [['run', '--', 'df', '-h'], 2, /^svc: AGENT is missing before --:\n {2}svc run AGENT -- CMD/],
  [['run', '--json', '--', 'df'], 2, /AGENT is missing before --/],
  [['run'], 2, /AGENT is missing/],
  [['run', '0b6f'], 2, /CMD is missing:\n {2}svc run AGENT/],
  [['worker', 'deploy', '/none.js'], 1, /ENOENT/],
  [['agents', '--server', 'http://127.0.0.1:1'], 1, /not logged in to/],
];
for (const [args, code, text] of refused) {
  test(`svc ${args.join(' ')}: says what to change`, async () => {
    const done = await svc(args);
    assert.is(done.code, code, done.err);
    assert.match(done.err, text);
    assert.is(done.out, '');
  });
}

test('agents: a table on a terminal, tabs in a pipe, JSON when asked for', async () => {
  const shown = await svc(['agents'], { isTTY: true });
  assert.match(
    shown.out,
    /^NAME +UUID +SEEN +CPU +MEMORY .*TASKS.*\nedge 7 +0b6f1c52 +\d+ s +[\d.]+ % .* yes/,
  );
  const piped = await svc(['agents']);
  assert.is(piped.out.split('\t').length, 11);
  const wide = () => svc(['agents'], { isTTY: true, columns: 200 });
  assert.match((await wide()).out, /TAGS/);
  assert.not.match((await wide()).out, /VERSION/, 'no agent has told its version');
  await app.call('task_create_task_blocking', {
    token: app.superToken,
    target_uuid: AGENT,
    task_type: 'version',
    timeout_ms: 60_000,
  });
  assert.match((await wide()).out, /VERSION.*\n.* \d+\.\d+\.\d+ /);
  const [row] = JSON.parse((await svc(['agents', '--json'])).out);
  assert.equal([row.uuid, row.name, row.connected_for_tasks], [AGENT, 'edge 7', true]);
  assert.type(row.cpu_usage, 'number');
});

test('watch: a line for each report, of the agent that the beginning of its UUID names', async () => {
  const { out, code } = await svc(['watch', '0B6F', '-n', '2']);
  assert.match(out, /^(?:\d\d:\d\d:\d\d {2}cpu [\d.]+ % {2}memory .+ {2}load .+\n){2}$/);
  assert.is(code, 0);
});

test('a token for tasks alone runs a command on the agent whose UUID it gives', async () => {
  const permissions = [{ task: { create: 'execute' } }, { task: { read: 'execute' } }];
  const token = await app.token([{ scopes: [{ agent_uuid: AGENT }], permissions }]);
  await svc(['login', app.url], { input: token });
  const done = await svc(['run', AGENT, '--', 'echo', 'allowed']);
  const { err } = await svc(['agents']);
  await svc(['login', app.url], { input: app.superToken });
  assert.equal([done.out, done.err], ['allowed\n', '']);
  assert.match(err, /^svc: the server refuses \(102\): Permission denied: (?!Permission)/);
});

test('addresses that are no server of svc are told apart', async () => {
  const other = createServer((_request, response) => void response.writeHead(404).end('nothing'));
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
  const { port } = other.address() as AddressInfo;
  for (const [url, text] of [
    [`http://127.0.0.1:${port}`, /^svc: that is no server of svc: .*404/],
    [app.url.replace('http:', 'https:'), /^svc: that address speaks no TLS: write http:/],
    [`http://127.0.0.1:${await freePort()}`, /^svc: no answer from the server: .*ECONNREFUSED/],
  ] as const) {
    const { code, err } = await svc(['login', url], { input: 'a:b' });
    assert.is(code, 1);
    assert.match(err, text);
  }
  other.close();
});

test('a server without the plugin of a command is told as that', async () => {
  const bare = await bootForTest(['token', 'server-info']);
  await svc(['login', bare.url], { input: bare.superToken });
  const { err } = await svc(['kv', 'get', 'a', 'b']);
  await svc(['login', app.url], { input: app.superToken });
  await bare.stop();
  assert.is(err, 'svc: this server cannot do that: it runs without the plugin kv\n');
});

test('an agent that a word does not single out: the ones that fit are shown', async () => {
  const other = `${AGENT.slice(0, -3)}999`;
  await app.call('agent_report_dynamic_summary', [
    app.superToken,
    { uuid: other, time: Date.now(), cpu_usage: 5 },
  ]);
  const { err } = await svc(['watch', '0b6f']);
  const { out } = await svc(['agents'], { isTTY: true });
  await app.call('agent-uuid_delete', [app.superToken, other]);
  assert.is(
    err,
    `svc: '0b6f' may be one of these: give more of the name, or the UUID\n  ${AGENT}  edge 7\n  ${other}  0b6f1c52\n`,
  );
  assert.match(out, /^0b6f1c52 +0b6f1c52 +\d+ s +0\.5 % +- /m);
});

test('run: prints what the command printed, and fails when it could not be run', async () => {
  const done = await svc(['run', '0b6f', '--', 'echo', '-n', 'it works']);
  assert.equal([done.code, done.out], [0, 'it works']);
  const { code, err } = await svc(['run', 'edge 7', '--', '/none/such']);
  assert.is(code, 1);
  assert.match(err, /^svc: .+/);
});

(hasPty ? test : test.skip)(
  'sh: what is typed reaches a shell there, and its output comes back',
  async () => {
    const done = await svc(['sh', '0b6f'], {
      async during(text, stdin) {
        await eventually(() => assert.match(text(), /[$#] /));
        stdin.write('echo $((6 * 7))-there; exit\n');
        await eventually(() => assert.match(text(), /42-there/));
      },
    });
    assert.equal([done.code, done.err], [0, '']);
  },
);

const lost: [what: string, cut: (server: TestApp, there: Running) => unknown, said: RegExp][] = [
  ['the agent', (_, { child }) => child.kill('SIGKILL'), /^svc: the agent is gone, or its/],
  ['the server', (server) => server.stop(), /^svc: the connection to the server was lost \(1/],
];
for (const [what, cut, said] of lost)
  (hasPty ? test : test.skip)(`sh: ends with 1 and a sentence when ${what} is lost`, async () => {
    const server = await bootForTest(undefined);
    const there = await startAgent(server, server.superToken, {
      head: 'terminal_shell = "sh"',
      server: 'allow_task = true\nallow_web_shell = true',
    });
    const list = () => server.call('agent-uuid_list_all', [server.superToken]);
    await until('a report', list, (uuids) => uuids.length === 1);
    await svc(['login', server.url], { input: server.superToken });
    try {
      const { code, err } = await svc(['sh', '0b6f'], {
        async during(text, stdin) {
          await eventually(() => assert.match(text(), /[$#] /));
          stdin.write('echo $((6 * 7))-there; sleep 30; exit 7\n');
          await eventually(() => assert.match(text(), /42-there/));
          await cut(server, there);
        },
      });
      assert.is(code, 1);
      assert.match(err, said);
      assert.match(err, /how the shell ended is not known\n$/);
    } finally {
      await svc(['login', app.url], { input: app.superToken });
      await stopAgent(there);
      await server.stop();
    }
  });

test('call: values are JSON, or else text', async () => {
  const set = ['call', 'kv_set_value', 'namespace=notes', 'key=a', 'value={"n":[1,2]}'];
  assert.equal(JSON.parse((await svc(set)).out), { success: true });
  const get = ['call', 'kv_get_value', 'namespace=notes', 'key=a', '--json'];
  assert.is((await svc(get)).out, '{"n":[1,2]}\n');
});

test('call -f: the items of a stream, one a line', async () => {
  const { code, out } = await svc('call -f agent_subscribe fields=["cpu_usage"] -n 2'.split(' '));
  const items = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal([code, items.length, items[0].agents[0].uuid], [0, 2, AGENT]);
});

test('kv: sets and gets, also from standard input', async () => {
  assert.is((await svc(['kv', 'set', 'notes', 'name', 'edge 7'])).code, 0);
  assert.is((await svc(['kv', 'get', 'notes', 'name'])).out, 'edge 7\n');
  assert.is((await svc(['kv', 'set', 'notes', 'big', '-'], { input: '[1,2]' })).code, 0);
  assert.is((await svc(['kv', 'get', 'notes', 'big'])).out, '[1,2]\n');
});

test('worker: deploy makes and replaces; dev runs on every save and shows log and answer', async () => {
  const file = join(dir, 'nightly.js');
  const save = (text: string) =>
    writeFileSync(file, `export default { onCall: (p) => { ${text} } };`);
  save('return 1;');
  assert.is((await svc(['worker', 'deploy', file])).out, 'created nightly\n');
  assert.is((await svc(['worker', 'deploy', file])).out, 'updated nightly\n');
  save("svcLog.warn('x', 'careful'); return p.n + 1;");
  const { out } = await svc(['worker', 'dev', file, '--params', '{"n":41}', '-n', '2'], {
    async during(text) {
      await eventually(() => assert.match(text(), /✓ \d+ ms 42\n/));
      await eventually(() => assert.match(text(), / {2}WARN careful\n/));
      save('throw new Error("broken");');
    },
  });
  assert.match(out, /✗ .*broken/);
});

test('worker: a route and an env come from options, the env as a file', async () => {
  const file = join(dir, 'door.js');
  writeFileSync(
    file,
    'export default { onCron: (p, env) => env, onRoute: () => new Response("in") };',
  );
  const env = join(dir, 'door.json');
  writeFileSync(env, '{"token":"a:b"}');
  const options = ['--route', 'door', '--env', env];
  const { out } = await svc(['worker', 'dev', file, ...options, '--as', 'cron', '-n', '1']);
  assert.match(out, /✓ \d+ ms \{"token":"a:b"\}\n$/);
  assert.is(await (await app.fetch('/svc/worker-route/door')).text(), 'in');
  writeFileSync(env, 'a:b');
  const wrong = await svc(['worker', 'deploy', file, '--env', env]);
  assert.equal([wrong.code, wrong.err.includes('holds no JSON object')], [1, true]);
  assert.match((await svc(['worker', 'types'])).out, /^declare function svc</m);
});

test('logs: the records that are there, and those that come', async () => {
  const { out } = await svc(['logs', '-n', '3']);
  assert.is(out.trimEnd().split('\n').length, 3);
  assert.match(out, /^\d{4}-\S+ (?:INFO|WARN|ERROR|DEBUG|TRACE) \w+/);
});

test('completion: commands, options, agents, methods and parameters of the server', async () => {
  const lines = async (...line: string[]) =>
    (await svc(['complete', '--', ...line])).out.trim().split('\n');
  const words = async (...line: string[]) =>
    (await lines(...line)).map((text) => text.split('\t')[0]);
  assert.ok((await lines('')).includes('agents\tthe machines, and their state'));
  assert.equal(await lines('watch', ''), [`edge 7\t${AGENT}`]);
  assert.equal(await words('watch', AGENT.slice(0, 3)), ['edge 7', AGENT]);
  assert.ok((await words('call', 'kv')).includes('kv_get_value'));
  assert.equal(await words('call', 'kv_get_value', ''), ['namespace=', 'key=']);
  assert.equal(await words('call', '-f', 'kv_get_value', ''), ['namespace=', 'key=']);
  assert.equal(await words('kv', ''), ['get', 'set']);
  assert.equal(await words('completion', ''), ['bash', 'zsh']);
  assert.ok((await words('agents', '--')).includes('--json'));
  assert.equal(await words('agents', '--server', ''), ['']);
});

test('what a server says is never run by the completion of bash', async () => {
  const script = (await svc(['completion', 'bash'])).out;
  const answer = "printf '%s\\n' agents 'ag$(touch ran)' login";
  const line = `COMP_WORDS=(svc ag); COMP_CWORD=1; _svc; printf '%s\\n' "\${COMPREPLY[@]}"; ls`;
  const asked = `cd $(mktemp -d)\nsvc() { ${answer}; }\n${script}${line}`;
  const { code, output } = await shell(asked, { cwd: dir });
  // As a word that the shell takes for itself, for who presses Enter then.
  assert.equal([code, output], [0, 'agents\nag\\$\\(touch\\ ran\\)\n']);
});

/** A shell that somebody types into, with the program in its path. */
async function typeInto(name: string, args: string[], steps: [typed: string, seen: RegExp][]) {
  const program = resolve(import.meta.dirname, '../../cli/bin/svc.js');
  const wrapper = `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`;
  writeFileSync(join(dir, 'svc-program'), wrapper, { mode: 0o755 });
  const { spawn } = await loadPty();
  const env = { PATH: process.env['PATH'], HOME: dir, XDG_CONFIG_HOME: dir, TERM: 'dumb' };
  const terminal = spawn(name, args, { cwd: dir, env, cols: 200, rows: 50, encoding: null });
  let text = '';
  terminal.onData((part) => {
    text += part;
  });
  try {
    for (const [typed, seen] of steps) {
      text = '';
      terminal.write(Buffer.from(typed));
      await eventually(() => assert.match(stripVTControlCharacters(text), seen));
    }
  } finally {
    process.kill(-terminal.pid, 'SIGKILL');
  }
}

for (const [name, args] of [
  ['bash', ['--norc', '--noprofile', '-i']],
  ['zsh', ['-f', '-i']],
] as const) {
  const isHere = hasPty && has(name);
  if (!isHere) process.stdout.write(`  skipped: ${name} or a pseudo-terminal is not there\n`);
  (isHere ? test : test.skip)(`the Tab key of a real ${name} asks the server`, () =>
    typeInto(
      name,
      [...args],
      [
        ['', /\S/],
        ['svc() { ./svc-program "$@"; }\r', /\n.*\S/],
        [`source <(svc completion ${name}); echo re''ady\r`, /ready\r\n/],
        ['svc age\t', /svc agents $/],
        ['\u0015svc call kv_get_v\t', /svc call kv_get_value $/],
        ['names\t', /namespace=$/],
        [`\u0015svc watch ${AGENT.slice(0, 4)}\t`, new RegExp(`svc watch ${AGENT} $`)],
        ['\u0015svc watch ed\t', /svc watch edge\\ 7 $/],
        ['\u0015svc watch edge\\ \t', /svc watch edge\\ 7 $/],
        ['\u0015svc watch "ed\t', /svc watch "edge 7" $/],
        ['\u0015svc kv s\t', /svc kv set $/],
      ],
    ),
  );
}

test('as a program of its own it prints its help and its version', async () => {
  const program = resolve(import.meta.dirname, '../../cli/bin/svc.js');
  const { code, output } = await shell(`${process.execPath} ${program} --help`, { cwd: dir });
  assert.is(code, 0);
  assert.match(output, /svc login URL/);
  for (const line of output.split('\n')) assert.ok(line.length <= 80, line);
  assert.match((await svc(['--version'])).out, /^\d+\.\d+\.\d+\n$/);
  assert.match((await svc(['help'])).out, /svc login URL/);
});

test('kv set gives a machine that has none its namespace, and makes no other ones', async () => {
  assert.is(
    (await svc(['kv', 'set', 'nothing', 'k', 'v'])).err,
    "svc: there is no namespace 'nothing': svc call kv_create namespace=NAME makes one\n",
  );
  const uuid = '7d1f0c5e-1c2b-4d3e-9f40-51a2b3c4d5e6';
  const unknown = await svc(['kv', 'set', uuid, 'metadata_name', 'edge 8']);
  assert.is(unknown.code, 1);
  const data = summaryReport({ uuid, time: Date.now() });
  await app.call('agent_report_dynamic_summary', [app.superToken, data]);
  const list = () => app.call('agent-uuid_list_all', [app.superToken]);
  await until('its report', list, (uuids) => uuids.includes(uuid));
  const { code, err } = await svc(['kv', 'set', uuid, 'metadata_name', 'edge 8']);
  assert.equal([code, err], [0, '']);
  assert.is((await svc(['kv', 'get', uuid, 'metadata_name'])).out, 'edge 8\n');
});

test.run();

// proof only: 30
/** The program `svc` as it is typed: in a pipe, with no input, and in a pseudo-terminal. */

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { loadPty } from '../../agent/src/terminal/pty.ts';
import { AGENT } from '../agent-program-kit.ts';
import { type Running, startAgent, stopAgent, until } from '../agent-program-process.ts';
import { reportHost } from '../dashboard/hosts.ts';
import { suite } from '../runner/suite.ts';

const test = suite('svc: the program');
const hasPty = await loadPty().then(
  () => true,
  () => false,
);
/** Machines of simulated agents: without tasks, without terminals, and with nothing but reports. */
const [OFF, SHELLESS, FIRST, SECOND, SHELL_ONLY] = [1, 2, 3, 4, 5].map(
  (n) => `${n}${AGENT.slice(1)}`,
) as [string, string, string, string, string];
const DEADLINE_MS = 60_000;
let app: TestApp;
let agents: Running[] = [];
let dir = '';

test.before(async () => {
  dir = mkdtempSync(join(tmpdir(), 'svc-program-'));
  const program = resolve(import.meta.dirname, '../../cli/bin/svc.js');
  const wrapper = `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`;
  mkdirSync(join(dir, 'bin'));
  writeFileSync(join(dir, 'bin/svc'), wrapper, { mode: 0o755 });
  app = await bootForTest(undefined);
  const start = (uuid: string, server: string) =>
    startAgent(app, app.superToken, { uuid, server, head: 'terminal_shell = "sh"' });
  agents = [
    await start(AGENT, 'allow_task = true\nallow_execute = true\nallow_web_shell = true'),
    await start(OFF, 'allow_task = false'),
    await start(SHELLESS, 'allow_task = true\nallow_execute = true'),
    await start(SHELL_ONLY, 'allow_task = true\nallow_web_shell = true'),
  ];
  const list = () => app.call('agent-uuid_list', [app.superToken]);
  const told = (all: any[]) =>
    all.filter(({ tasks_allowed }) => tasks_allowed !== null).length === agents.length;
  await until('four agents', list, told);
  for (const [uuid, name] of [
    [AGENT, 'edge 7'],
    [OFF, 'quiet'],
    [SHELLESS, 'shell-less'],
    [SHELL_ONLY, 'shell-only'],
  ] as const) {
    await app.call('kv_create', [app.superToken, uuid]);
    await app.call('kv_set_value', [app.superToken, uuid, 'metadata_name', name]);
  }
  await app.call('kv_create', [app.superToken, 'notes']);
  assert.is((await typed(`echo '${app.superToken}' | svc login ${app.url}`)).code, 0);
});
test.after(async () => {
  for (const agent of agents) await stopAgent(agent);
  await app?.stop();
  rmSync(dir, { recursive: true, force: true });
});

const environment = () => ({
  PATH: `${dir}/bin:${process.env['PATH']}`,
  HOME: dir,
  XDG_CONFIG_HOME: dir,
});

/** What a line of a shell prints; one that does not end is killed and told as that. */
async function typed(line: string) {
  const child = spawn('sh', ['-c', line], { env: environment(), stdio: 'pipe', detached: true });
  child.stdin.end();
  let [out, err] = ['', ''];
  child.stdout.on('data', (part) => {
    out += part;
  });
  child.stderr.on('data', (part) => {
    err += part;
  });
  const kill = () => process.kill(-(child.pid as number), 'SIGKILL');
  const late = setTimeout(kill, DEADLINE_MS);
  const code = await new Promise<number | null>((done) => child.once('close', done));
  clearTimeout(late);
  return { code, out, err };
}

/** What the same line shows on a terminal of 80 columns. */
async function seen(line: string): Promise<string> {
  const { spawn: open } = await loadPty();
  const options = { cols: 80, rows: 24, cwd: dir, env: environment(), encoding: null };
  const terminal = open('sh', ['-c', line], options);
  let text = '';
  terminal.onData((part) => {
    text += part;
  });
  await new Promise<void>((done) => terminal.onExit(() => done()));
  return text;
}

// biome-ignore format: one case per line
const runs: [name: string, line: string, code: number, out: string, err: string][] = [
  ['standard error comes on standard error', `svc run 'edge 7' -- sh -c 'echo out; echo err >&2'`, 0, 'out\n', 'err\n'],
  ['the status is that of the command', `svc run 'edge 7' -- sh -c 'echo out; exit 7'`, 7, 'out\n', ''],
  ['both, with nothing on standard output', `svc run 'edge 7' -- sh -c 'echo err >&2; exit 3'`, 3, '', 'err\n'],
  ['nothing is printed where nothing was', `svc run 'edge 7' -- false`, 1, '', ''],
  ['a signal counts as in a shell', `svc run 'edge 7' -- sh -c 'kill -9 $$'`, 137, '', ''],
  ['no line end is added to what the command printed', `svc run 'edge 7' -- printf x`, 0, 'x', ''],
  ['a line that only looks like a status is output', `svc run 'edge 7' -- echo '[Process exited with code 3] or so'`, 0, '[Process exited with code 3] or so\n', ''],
];
for (const [name, line, code, out, err] of runs)
  test(`run: ${name}`, async () => {
    assert.equal(await typed(line), { code, out, err });
  });

test('a machine whose tasks are off, or that allows no terminals, is told as that', async () => {
  const off = await typed('svc run quiet -- true');
  assert.is(off.code, 1);
  assert.match(
    off.err,
    /^svc: the server refuses \(104\): .*: tasks are switched off on this agent; at that machine type\n {2}npx svc-server allow-tasks execute .*\n {2}sh \S+install.sh --allow execute /,
  );
  assert.match((await typed('svc sh quiet </dev/null')).err, /tasks are switched off/);
  const none = await typed('svc sh shell-less </dev/null');
  assert.is(none.code, 1);
  assert.match(
    none.err,
    /^svc: this agent allows no terminals \(web_shell\): .*\n {2}npx svc-server allow-tasks web_shell /,
  );
  const commands = await typed('svc run shell-only -- true');
  assert.is(commands.code, 1);
  assert.match(
    commands.err,
    /^svc: this agent runs no commands \(execute\): .*\n {2}npx svc-server allow-tasks execute /,
  );
  await stopAgent(agents.pop());
  const gone = await typed('svc run shell-only -- true');
  assert.match(gone.err, /: offline; .* is back within seconds\n$/);
});

(hasPty ? test : test.skip)('sh without input ends, and takes its input from a pipe', async () => {
  assert.is((await typed(`svc sh 'edge 7' </dev/null`)).code, 0);
  const piped = await typed(`printf 'echo $((6 * 7))-piped' | svc sh 'edge 7'`);
  assert.is(piped.code, 0);
  assert.match(piped.out, /42-piped/);
  for (const [script, status] of [
    ['exit 5', 5],
    ['(exit 3)\\nexit', 3],
    ['kill -9 $$', 137],
    ['exit 0', 0],
  ] as const) {
    const { code, err } = await typed(`printf '${script}\\n' | svc sh 'edge 7'`);
    assert.equal([code, err], [status, ''], script);
  }
  const read = await typed(`printf 'cat\\nabc\\n' | svc sh 'edge 7'`);
  assert.equal([read.code, read.out.match(/abc/g)?.length], [0, 2]);
});

(hasPty ? test : test.skip)(
  'sh opens for a login by password, too, by a pass in its address',
  async () => {
    const login = `XDG_CONFIG_HOME=${dir}/session`;
    await typed(`echo 'root|${app.rootPassword}' | ${login} svc login ${app.url}`);
    const { code, out } = await typed(`printf 'echo $((6 * 7))-in' | ${login} svc sh 'edge 7'`);
    assert.is(code, 0);
    assert.match(out, /42-in/);
    const { rows } = await app.call('audit_query', [app.superToken, {}, 100]);
    const made = rows.filter(({ method }: { method: string }) => method === 'terminal_pass');
    assert.ok(
      made.some(({ target }: { target: string }) => target === AGENT),
      JSON.stringify(rows),
    );
  },
);

for (const line of [
  `svc watch 'edge 7' | head -1`,
  `svc call -f agent_subscribe 'fields=["cpu_usage"]' | head -1`,
  `svc watch 'edge 7' --json | head -c 5`,
])
  test(`${line}: ends`, async () => {
    const { code, out, err } = await typed(line);
    assert.equal([code, err], [0, '']);
    assert.ok(out.length > 0);
  });

test('names, their beginnings in any case, and host names are accepted', async () => {
  for (const given of ['edge 7', 'edge', 'EDGE 7', AGENT, AGENT.slice(0, 5)]) {
    const { code, err } = await typed(`svc watch '${given}' -n 1`);
    assert.equal([code, err], [0, ''], given);
  }
  await reportHost(app, FIRST, 'pi-cellar');
  const host = await typed('svc watch pi -n 1 --timeout 1');
  assert.not.match(host.err, /no agent/);
  assert.match((await typed('svc agents')).out, new RegExp(`^${FIRST}\\tpi-cellar\\t`, 'm'));
  await reportHost(app, SECOND, 'pi-cellar');
  const names = (await typed('svc agents')).out.split('\n').map((row) => row.split('\t')[1]);
  const both = [`pi-cellar (${FIRST.slice(0, 8)})`, `pi-cellar (${SECOND.slice(0, 8)})`];
  assert.equal(names.slice(0, 5), ['edge 7', ...both, 'quiet', 'shell-less']);
  const { err } = await typed('svc watch pi-cellar');
  for (const label of both) assert.ok(err.includes(label), err);
  const completed = (await typed(`svc complete -- watch ''`)).out;
  for (const [label, uuid] of [
    [both[0], FIRST],
    ['edge 7', AGENT],
  ])
    assert.ok(completed.includes(`${label}\t${uuid}\n`), completed);
});

// biome-ignore format: one case per line
const addresses: [name: string, host: string, given: string, found: readonly string[]][] = [
  ['the whole UUID of another machine takes nothing from it', AGENT, AGENT, [AGENT]],
  ['the beginning of the UUID of another machine is refused', AGENT.slice(0, 8), AGENT.slice(0, 8), [AGENT, FIRST]],
  ['in capital letters, too', AGENT.slice(0, 8).toUpperCase(), AGENT.slice(0, 8).toUpperCase(), [AGENT, FIRST]],
  ['a host name that goes on like a UUID does not hide it', `${AGENT.slice(0, 8)}-web`, AGENT.slice(0, 8), [AGENT, FIRST]],
  ['the name that somebody gave another machine takes nothing from it', 'edge 7', 'edge 7', [AGENT]],
  ['nor does that name with a UUID behind it', `edge 7 (${AGENT.slice(0, 8)})`, `edge 7 (${AGENT.slice(0, 8)})`, [AGENT]],
  ['a UUID that no machine has stays nobody\'s', `9${AGENT.slice(1)}`, `9${AGENT.slice(1)}`, []],
];
for (const [name, host, given, found] of addresses)
  test(`a machine that calls its host like others are addressed: ${name}`, async () => {
    await reportHost(app, FIRST, host);
    const { out, err } = await typed(`svc run '${given}' -- echo here`);
    await reportHost(app, FIRST, 'pi-cellar');
    assert.is(out, found.length === 1 && found[0] === AGENT ? 'here\n' : '', err);
    if (found.length > 1) assert.match(err, /may be one of these/);
    if (found.length === 0) assert.match(err, /^svc: no agent /);
    const listed = [...err.matchAll(/^ {2}([0-9a-f-]{36}) /gm)].map(([, uuid]) => uuid).sort();
    assert.equal(listed, found.length > 1 ? [...found].sort() : []);
  });

test('a name that somebody gave does not take the beginning of another UUID, in any command', async () => {
  const given = AGENT.slice(0, 8);
  await app.call('kv_set_value', [app.superToken, OFF, 'metadata_name', given]);
  const refused = [];
  for (const line of [`run ${given} -- true`, `watch ${given} -n 1`, `sh ${given} </dev/null`])
    refused.push(await typed(`svc ${line}`));
  const whole = await typed(`svc watch ${AGENT} -n 1`);
  const completed = (await typed(`svc complete -- watch ''`)).out.split('\n');
  const word = `${given} (${OFF.slice(0, 8)})`;
  const { err } = await typed(`svc run '${word}' -- true`);
  await app.call('kv_set_value', [app.superToken, OFF, 'metadata_name', 'quiet']);
  for (const { code, out, err } of refused) {
    assert.equal([code, out], [1, '']);
    for (const uuid of [AGENT, OFF]) assert.ok(err.includes(`\n  ${uuid}  `), err);
  }
  assert.equal([whole.code, whole.err], [0, '']);
  // What the Tab key writes is an address of that machine, whose tasks are off.
  assert.ok(completed.includes(`${word}\t${OFF}`), completed.join('\n'));
  assert.match(err, /tasks are switched off/);
});

test('a host name is shown to nobody who may read neither report nor name', async () => {
  const token = await app.token([
    {
      scopes: ['global'],
      permissions: [{ monitoring_uuid: 'list' }, { dynamic_monitoring_summary: 'read' }],
    },
  ]);
  await reportHost(app, FIRST, 'pi-cellar');
  const login = `XDG_CONFIG_HOME=${dir}/other`;
  await typed(`echo '${token}' | ${login} svc login ${app.url}`);
  const { out } = await typed(`${login} svc agents`);
  assert.not.match(out, /pi-cellar|edge 7/);
  assert.match(out, new RegExp(`^${FIRST}\\t${FIRST.slice(0, 8)}\\t`, 'm'));
});

(hasPty ? test : test.skip)(
  'agents: 80 columns hold the table, by name, with long and wide names',
  async () => {
    const long = 'a-machine-with-a-name-that-nobody-would-type-more-than-once';
    await app.call('kv_set_value', [app.superToken, OFF, 'metadata_name', long]);
    await app.call('kv_set_value', [app.superToken, SHELLESS, 'metadata_name', '東京の機械']);
    const lines = (await seen('svc agents')).trimEnd().split('\r\n');
    await app.call('kv_set_value', [app.superToken, OFF, 'metadata_name', 'quiet']);
    await app.call('kv_set_value', [app.superToken, SHELLESS, 'metadata_name', 'shell-less']);
    const columns = (text: string) => text.length + (text.match(/[\u3000-\u9fff]/g)?.length ?? 0);
    for (const line of lines) assert.ok(columns(line) <= 80, `${columns(line)}: ${line}`);
    assert.match(lines[0] ?? '', /^NAME +.*SEEN +CPU /);
    assert.match(lines[1] ?? '', /^a-machine-with-\S*… /);
    assert.equal(lines.map((line) => line.slice(0, 4)).slice(2, 3), ['edge']);
  },
);

(hasPty ? test : test.skip)(
  'what would steer a terminal is shown there, and a pipe gets it as it is',
  async () => {
    const nasty = '\u001b[31mred\u009b2J\u0007\rend\u007f';
    const turned = [
      ...'\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069',
    ];
    await app.call('kv_set_value', [app.superToken, 'notes', 'nasty', nasty]);
    const shown = '\\u001b[31mred\\u009b2J\\u0007\\u000dend\\u007f';
    assert.is(await seen('svc kv get notes nasty'), `${shown}\r\n`);
    assert.is((await typed('svc kv get notes nasty')).out, `${nasty}\n`);
    const json = await seen('svc kv get notes nasty --json');
    assert.is(JSON.parse(json), nasty);
    assert.not.match(json.trimEnd(), /\p{Cc}/u);
    const ran = await seen(`svc run 'edge 7' -- printf '\\033[31mred\\n\\033[0m' `);
    assert.is(ran, '\\u001b[31mred\r\n\\u001b[0m\r\n');
    await app.call('kv_set_value', [app.superToken, AGENT, 'metadata_name', `\u001b]0;x\u0007`]);
    const table = await seen('svc agents');
    const name = turned.join('x');
    await app.call('kv_set_value', [app.superToken, AGENT, 'metadata_name', name]);
    const tables = [await seen('svc agents --json'), (await typed('svc agents')).out];
    await app.call('kv_set_value', [app.superToken, 'notes', 'nasty', name]);
    const value = await seen('svc kv get notes nasty');
    await app.call('kv_set_value', [app.superToken, AGENT, 'metadata_name', 'edge 7']);
    assert.match(table, /\\u001b\]0;x\\u0007/);
    const written = turned
      .map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('x');
    for (const text of [...tables, value]) assert.ok(text.includes(written), text);
  },
);

(hasPty ? test : test.skip)('svc-server shows what would steer a terminal as well', async () => {
  const program = resolve(import.meta.dirname, '../../server/bin/svc-server.js');
  const nasty = '\u009b2J\u202ename';
  await app.call('svc-server_exec_sql', [app.superToken, `select '${nasty}'`]);
  await app.call('audit_query', [app.superToken]);
  const server = (words: string) => `'${process.execPath}' '${program}' ${words}`;
  const line = server(`audit-export -c '${app.dir}/config.toml'`);
  const [rows, piped] = [await seen(line), (await typed(line)).out];
  const escaped = '\\u009b2J\\u202ename';
  assert.ok(rows.includes(escaped), rows);
  assert.ok(piped.includes(nasty), piped);
  const fault = await seen(server(`doctor -c "$(printf 'no\\033]0;x\\007.toml')"`));
  assert.match(fault, /no\\u001b\]0;x\\u0007\.toml/);
  for (const text of [rows, fault]) assert.not.match(text, /(?![\r\n\t])[\p{Cc}\u202e]/u);
});

test('what a changed configuration leaves for a restart is said at once, and the answer stays true', async () => {
  const text = await app.call('svc-server_read_config', [app.superToken]);
  const changed = join(dir, 'changed.toml');
  writeFileSync(changed, text.replace('[logging]', '[logging]\nmemory_log_capacity = 77'));
  const line = `svc call svc-server_edit_config config_string="$(cat ${changed})"`;
  const { code, out, err } = await typed(line);
  assert.equal([code, out], [0, 'true\n']);
  assert.match(err, /^svc: the new value of '.*memory_log_capacity' needs a restart$/m);
});

test.run();

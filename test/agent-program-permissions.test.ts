// proof only: 7
/** What an agent's own file allows, against a server that somebody has taken over: the Super Token asks for everything. */
import { readFileSync, writeFileSync } from 'node:fs';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { isListed, problemOfLine } from '../agent/src/command-list.ts';
import { TASK_KINDS } from '../agent/src/task-kinds.ts';
import { AGENT } from './agent-program-kit.ts';
import { type Running, startAgent, stopAgent, until } from './agent-program-process.ts';
import { suite } from './runner/suite.ts';

const test = suite('agent program: permissions against the Super Token');

let app: TestApp;
let agent: Running;
let text = '';

test.before(async () => {
  app = await bootForTest(['token', 'server-info', 'agent', 'agent-uuid', 'task', 'terminal'], {});
  agent = await startAgent(app, app.superToken, {
    head: 'terminal_shell = "sh"',
    server: `allow_task = true
allow_monitor = false
allow_task_type = ["version", "edit_config", "execute"]
execute_only = ["echo hello", "echo name *", "cat /etc/host*", "uname ..."]`,
  });
  text = readFileSync(agent.config, 'utf8');
  await until(
    'a registered agent',
    () => attack('version').catch(() => ''),
    (found) => found === 'done',
  );
});

test.after(async () => {
  await stopAgent(agent);
  await app?.stop();
});

/** `done`, or why the agent did not do it. */
async function attack(type: unknown): Promise<string> {
  const params = [app.superToken, AGENT, type, 30_000];
  const answer = await app.call('task_create_task_blocking', params);
  return answer.error_message ?? 'done';
}

const FORBIDDEN = 'Permission Denied: Task not allowed';
const CONTENT: Record<string, unknown> = {
  ping: '127.0.0.1',
  tcp_ping: '127.0.0.1:1',
  http_ping: 'http://127.0.0.1:1/',
  http_request: { url: 'http://127.0.0.1:1/', method: 'GET' },
  dns: { domain: 'localhost', record_types: [] },
  web_shell: { url: 'ws://127.0.0.1:1/auto_gen', terminal_id: AGENT },
  self_update: 'v99.0.0',
};

test('runs no kind that its file does not allow', async () => {
  for (const kind of TASK_KINDS) {
    if (['version', 'edit_config', 'execute'].includes(kind)) continue;
    const type = kind in CONTENT ? { [kind]: CONTENT[kind] } : kind;
    assert.is(await attack(type), FORBIDDEN, kind);
  }
});

// [command, its arguments, whether execute_only lists it]
const COMMANDS: [string, string[], boolean][] = [
  ['echo', ['hello'], true],
  ['echo', ['hello', 'x'], false],
  ['echo', [], false],
  ['echo', ['name', 'a b'], true],
  ['echo', ['name', '-n'], false],
  ['echo', ['name', 'a/b'], false],
  ['echo', ['name', ''], false],
  ['cat', ['/etc/hosts'], true],
  ['cat', ['/etc/hosts/../shadow'], false],
  ['cat', ['/etc/host'], false],
  ['cat', ['x/etc/hosts'], false],
  ['uname', ['-a', '-m'], true],
  ['uname', [], true],
  ['/bin/echo', ['hello'], false],
  ['sh', ['-c', 'echo hello'], false],
  ['echo hello', [], false],
];

test('executes only the commands that its file lists', async () => {
  const refused = "Permission Denied: execute_only in the agent's file lists no such command";
  for (const [cmd, args, isAllowed] of COMMANDS) {
    const outcome = await attack({ execute: { cmd, args } });
    assert.is(outcome, isAllowed ? 'done' : refused, `${cmd} ${args.join(' ')}`);
  }
});

const TASKS = 'allow_task_type = ["version", "edit_config", "execute"]';
const inServer = (line: string) => (config: string) => `${config}\n${line}\n`;
const atTop = (line: string) => (config: string) => `${line}\n${config}`;
const instead = (from: RegExp | string, to: string) => (config: string) => {
  assert.match(config, from);
  return config.replace(from, to);
};

// [what a server wants, its text, what the refusal names]
const WIDER: [string, (config: string) => string, RegExp][] = [
  ['a kind more', instead(TASKS, TASKS.replace(']', ', "web_shell"]')), /the kind web_shell;/],
  [
    'all kinds by their switches',
    (config) => `${config.replace(TASKS, '')}\nallow_web_shell = true\nallow_read_config = true\n`,
    /allow server "test" the kind web_shell, read_config;/,
  ],
  [
    'monitors',
    instead('allow_monitor = false', 'allow_monitor = true'),
    /allow server "test" the kind version, edit_config, execute for monitors;/,
  ],
  ['any command', instead(/execute_only = .*/, ''), /remove execute_only of server "test";/],
  [
    'one command more',
    instead('"uname ..."', '"uname ...", "sh ..."'),
    /add "sh \.\.\." to execute_only of server "test";/,
  ],
  ['another server', instead('ws://127', 'ws://user@127'), /change ws_url of server "test";/],
  [
    'another server UUID',
    instead(/server_uuid = ".{8}/, 'server_uuid = "00000000'),
    /change server_uuid of server "test";/,
  ],
  ['another token', instead(/token = "/, 'token = "x'), /change token of server "test";/],
  [
    'a second server with all kinds',
    (config) =>
      `${config}\n[[server]]\nname = "mine"\nserver_uuid = "u"\ntoken = "t"\nws_url = "ws://127.0.0.1:1/"\nallow_task = true\nallow_task_type = ["web_shell"]\n`,
    /add server "mine";/,
  ],
  ['another name', instead('name = "test"', 'name = "mine"'), /remove or rename server "test";/],
  ['no check of certificates', inServer('ignore_cert = true'), /turn on ignore_cert of server/],
  ['another shell', instead('shell = "sh"', 'shell = "/bin/cat"'), /change terminal_shell;/],
  [
    'other addresses to ask',
    atTop('ip_provider_urls = ["http://127.0.0.1:1/", "http://127.0.0.1:1/"]'),
    /change ip_provider_urls;/,
  ],
  ['another clock', instead('ntp_server = ""', 'ntp_server = "127.0.0.1"'), /change ntp_server;/],
  ['another UUID', instead(AGENT, AGENT.replace('0b', '1b')), /change agent_uuid;/],
  ['longer output', atTop('exec_max_character = 99999999'), /change exec_max_character;/],
  ['a key of a later version', atTop('update_url = "http://127.0.0.1:1/"'), /change update_url;/],
  [
    'a key of a later version for its server',
    inServer('update_url = "http://127.0.0.1:1/"'),
    /change update_url of server "test";/,
  ],
  [
    'a table of a later version',
    (config) => `${config}\n[update]\nurl = "http://127.0.0.1:1/"\n`,
    /change update;/,
  ],
];

for (const [what, change, words] of WIDER) {
  test(`lets edit_config bring no change of: ${what}`, async () => {
    const outcome = await attack({ edit_config: change(text) });
    assert.match(outcome, /^Permission Denied: edit_config may not /);
    assert.match(outcome, words);
    assert.is(readFileSync(agent.config, 'utf8'), text);
  });
}

test('compares with the file, so that what was narrowed on the machine stays narrow before a restart', async () => {
  const narrowed = text.replace('"version", ', '');
  writeFileSync(agent.config, narrowed);
  assert.match(await attack({ edit_config: text }), /the kind version;/);
  assert.is(readFileSync(agent.config, 'utf8'), narrowed);
  writeFileSync(agent.config, text);
});

test('refuses a configuration longer than 256 KiB', async () => {
  assert.match(await attack({ edit_config: `${text}#${'x'.repeat(262_144)}` }), /longer than/);
});

test('takes other intervals and fewer permissions, which a server cannot take back', async () => {
  const less = text
    .replace('dynamic_report_interval_ms = 200', 'dynamic_report_interval_ms = 400')
    .replace(', "execute"]', ']')
    .replace('"echo hello", ', '');
  assert.is(await attack({ edit_config: less }), 'done');
  const execute = { execute: { cmd: 'uname', args: [] } };
  await until(
    'the agent with its new file',
    () => attack(execute).catch(() => ''),
    (outcome) => outcome === FORBIDDEN,
  );
  assert.match(await attack({ edit_config: text }), /allow server "test" the kind execute;/);
  assert.is(readFileSync(agent.config, 'utf8'), less);
});

// [line of execute_only, what is wrong with it]
const LINES: [string, string | undefined][] = [
  ['df', undefined],
  ['systemctl status * --no-pager', undefined],
  ['journalctl -u nginx ...', undefined],
  ['', 'is empty'],
  ['  ', 'is empty'],
  ['* -h', 'must begin with the name of one program'],
  ['...', 'must begin with the name of one program'],
  ['df ... -h', 'may have ... only at its end'],
  ['df *a*b*', 'may have two * in a word'],
];

for (const [line, problem] of LINES) {
  test(`says of the line "${line}": ${problem ?? 'good'}`, () => {
    assert.is(problemOfLine(line), problem);
  });
}

test('takes the other characters of a line as they are', () => {
  assert.ok(isListed(['x a.b(c)+*'], 'x', ['a.b(c)+1']));
  assert.not(isListed(['x a.b(c)+*'], 'x', ['aXb(c)+1']));
  assert.not(isListed(['x a*'], 'x', [`a${'b'.repeat(5000)}`]));
  assert.not(isListed([], 'x', []));
});

test.run();

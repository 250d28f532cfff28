// proof only: 5
/** The agent program's file and command line: clients.md §2.2 and §2.3. */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as assert from 'uvu/assert';
import { type AgentConfig, ConfigError, redacted } from '../agent/src/config.ts';
import { loadConfig } from '../agent/src/config-file.ts';
import { AGENT, ScriptedServer, SERVER, TOKEN } from './agent-program-kit.ts';
import { suite } from './runner/suite.ts';

const test = suite('agent program: configuration');
const root = resolve(import.meta.dirname, '..');

const dir = mkdtempSync(join(tmpdir(), 'svc-agent-'));
test.after(() => rmSync(dir, { recursive: true, force: true }));

let files = 0;
function file(text: string): string {
  files += 1;
  const path = join(dir, `${files}.toml`);
  writeFileSync(path, text);
  return path;
}

const HEAD = `log_level = "info"\nagent_uuid = "${AGENT}"\n`;
const serverTable = (more = '', name = 'main') =>
  `[[server]]\nname = "${name}"\nserver_uuid = "${SERVER}"\ntoken = "${TOKEN}"\n` +
  `ws_url = "ws://127.0.0.1:2211/svc/rpc"\n${more}\n`;

const load = (text: string) => loadConfig(file(text));

async function problemOf(text: string): Promise<string> {
  try {
    await load(text);
  } catch (error) {
    assert.instance(error, ConfigError);
    return (error as Error).message;
  }
  return 'accepted';
}

test('fills in the defaults of the chapter', async () => {
  const config = await load(HEAD + serverTable());
  const { servers, terminal_shell, ...rest } = config;
  assert.equal(rest, {
    log_level: 'info',
    agent_uuid: AGENT,
    dynamic_summary_report_interval_ms: 1000,
    dynamic_report_interval_ms: 1000,
    static_report_interval_ms: 300_000,
    connect_timeout_ms: 1000,
    exec_max_character: 10_000,
    ip_provider: 'cloudflare',
    ip_provider_urls: [],
    ntp_server: 'pool.ntp.org',
    dynamic_summary_select_disk: [],
    dynamic_summary_select_network_interface: [],
    buffer_mb: 8,
    buffer_hours: 24,
    buffer_dir: '',
    container_socket: '',
  });
  assert.match(terminal_shell, /^(\/bin\/bash|sh)$/);
  assert.equal(servers, [
    {
      name: 'main',
      server_uuid: SERVER,
      token: TOKEN,
      ws_url: 'ws://127.0.0.1:2211/svc/rpc',
      allow_report: true,
      allow_sensors: false,
      allow_containers: false,
      allow_task: false,
      allow_monitor: false,
      allowed_tasks: new Set(),
      execute_only: null,
      ignore_cert: false,
    },
  ]);
});

// [line, key of the configuration, its value]
const VALUES: [string, keyof AgentConfig, unknown][] = [
  ['dynamic_summary_report_interval_ms = 500', 'dynamic_summary_report_interval_ms', 500],
  ['dynamic_report_interval_ms = 3000', 'dynamic_report_interval_ms', 3000],
  ['static_report_interval_ms = 1', 'static_report_interval_ms', 1],
  ['static_report_interval_ms = 2147483647', 'static_report_interval_ms', 2147483647],
  ['connect_timeout_ms = 250', 'connect_timeout_ms', 250],
  ['exec_max_character = 0', 'exec_max_character', 0],
  ['terminal_shell = "zsh"', 'terminal_shell', 'zsh'],
  ['terminal_shell = "/bin/sh"', 'terminal_shell', '/bin/sh'],
  ['ip_provider = "ipinfo"', 'ip_provider', 'ipinfo'],
  ['ntp_server = ""', 'ntp_server', ''],
  ['dynamic_summary_select_disk = ["/", "/tmp"]', 'dynamic_summary_select_disk', ['/', '/tmp']],
  [
    'dynamic_summary_select_network_interface = ["lo"]',
    'dynamic_summary_select_network_interface',
    ['lo'],
  ],
  ['unknown_key = 5\n[unknown_table]\nx = 1', 'connect_timeout_ms', 1000],
];

for (const [line, key, expected] of VALUES) {
  test(`reads ${line.replaceAll('\n', ' ')}`, async () => {
    assert.equal((await load(`${HEAD}${line}\n${serverTable()}`))[key], expected);
  });
}

for (const level of ['trace', 'debug', 'info', 'warn', 'error']) {
  test(`knows the log level ${level}`, async () => {
    const config = await load(HEAD.replace('info', level) + serverTable());
    assert.is(config.log_level, level);
  });
}

for (const spelling of [
  AGENT.toUpperCase(),
  AGENT.replaceAll('-', ''),
  `{${AGENT}}`,
  `urn:uuid:${AGENT}`,
]) {
  test(`takes ${spelling} as the agent's UUID`, async () => {
    assert.is((await load(HEAD.replace(AGENT, spelling) + serverTable())).agent_uuid, AGENT);
  });
}

// [what is wrong, file, words of the message]
const REFUSED: [string, string, RegExp][] = [
  ['no log level', HEAD.replace(/log_level.*\n/, '') + serverTable(), /^log_level is missing$/],
  [
    'a log level of its own',
    HEAD.replace('info', 'loud') + serverTable(),
    /^log_level must be one of trace, debug/,
  ],
  ['no agent UUID', HEAD.replace(/agent_uuid.*\n/, '') + serverTable(), /^agent_uuid is missing$/],
  [
    'half an agent UUID',
    HEAD.replace(AGENT, AGENT.slice(9)) + serverTable(),
    /^agent_uuid must be a UUID/,
  ],
  [
    'an agent UUID in half braces',
    HEAD.replace(AGENT, `{${AGENT}`) + serverTable(),
    /^agent_uuid must be a UUID/,
  ],
  ...(
    [
      ['dynamic_summary_report_interval_ms', '0'],
      ['dynamic_summary_report_interval_ms', '-1000'],
      ['dynamic_summary_report_interval_ms', '1000.5'],
      ['dynamic_summary_report_interval_ms', '"1000"'],
      ['dynamic_report_interval_ms', '0'],
      ['static_report_interval_ms', '0'],
      ['static_report_interval_ms', '2147483648'],
      ['connect_timeout_ms', '0'],
      ['exec_max_character', '-1'],
      ['ip_provider', '"elsewhere"'],
      ['ip_provider_urls', '["http://127.0.0.1/"]'],
      ['ip_provider_urls', '["ftp://a.example/", "ftp://a.example/"]'],
      ['ip_provider_urls', '["a", "b"]'],
      ['ntp_server', '5'],
      ['buffer_mb', '-1'],
      ['buffer_mb', '1025'],
      ['buffer_hours', '0'],
      ['buffer_dir', '5'],
      ['dynamic_summary_select_disk', '"/"'],
      ['dynamic_summary_select_disk', '[1]'],
      ['dynamic_summary_select_network_interface', '5'],
      ['terminal_shell', '"/no/such/shell"'],
      ['server', '5'],
      ['server', '[5]'],
    ] as const
  ).map(([key, value]): [string, string, RegExp] => [
    `${key} = ${value}`,
    `${HEAD}${key} = ${value}\n${key === 'server' ? '' : serverTable()}`,
    new RegExp(`^${key} (must|does)`),
  ]),
  [
    'a dynamic interval between two summaries',
    `${HEAD}dynamic_report_interval_ms = 1500\n${serverTable()}`,
    /^dynamic_report_interval_ms must be a whole multiple of dynamic_summary_report_interval_ms \(1000\)$/,
  ],
  [
    'a dynamic interval shorter than the summaries',
    `${HEAD}dynamic_report_interval_ms = 500\n${serverTable()}`,
    /^dynamic_report_interval_ms must be a whole multiple/,
  ],
  ['no server', HEAD, /^server needs at least one \[\[server\]\]$/],
  [
    'two servers of one name',
    HEAD + serverTable() + serverTable(),
    /^server.name must be unique: main/,
  ],
  ...['name', 'server_uuid', 'token', 'ws_url'].map((key): [string, string, RegExp] => [
    `a server without ${key}`,
    HEAD + serverTable().replace(new RegExp(`${key} = .*\n`), ''),
    new RegExp(`^server\\[0\\]\\.${key} is missing$`),
  ]),
  ...['http://127.0.0.1/', '127.0.0.1:2211', '/svc/rpc', 'ws://127.0.0.1/#x'].map(
    (url): [string, string, RegExp] => [
      `the address ${url}`,
      HEAD + serverTable().replace(/ws_url = .*/, `ws_url = "${url}"`),
      /^server\[0\]\.ws_url must be a ws:\/\/ or wss:\/\/ address/,
    ],
  ),
  [
    'a switch that is a word',
    HEAD + serverTable('allow_task = "yes"'),
    /^server\[0\]\.allow_task must be true or false$/,
  ],
  [
    'an unknown task kind',
    HEAD + serverTable('allow_task_type = ["ping", "pong"]'),
    /^server\[0\]\.allow_task_type knows no "pong"/,
  ],
  ['broken TOML', 'log_level = \n', /^line 1, column \d+: /],
];

for (const [what, text, message] of REFUSED) {
  test(`refuses ${what}`, async () => {
    assert.match(await problemOf(text), message);
  });
}

test('shows no line of a broken file, which may hold a token', async () => {
  const problem = await problemOf(`${HEAD}[[server]]\ntoken = "${TOKEN}" oops\n`);
  assert.match(problem, /^line 4, column \d+: /);
  assert.not.match(problem, 's3cr3t');
});

test('says which file cannot be read', async () => {
  try {
    await loadConfig(join(dir, 'absent.toml'));
    assert.unreachable();
  } catch (error) {
    assert.match((error as Error).message, /^cannot read .*absent\.toml: ENOENT$/);
  }
});

const SWITCHES = {
  allow_icmp_ping: 'ping',
  allow_tcp_ping: 'tcp_ping',
  allow_http_ping: 'http_ping',
  allow_web_shell: 'web_shell',
  allow_read_config: 'read_config',
  allow_edit_config: 'edit_config',
  allow_execute: 'execute',
  allow_http_request: 'http_request',
  allow_ip: 'ip',
  allow_dns: 'dns',
  allow_version: 'version',
  allow_self_update: 'self_update',
};

const allowedBy = async (lines: string) => [
  ...(await load(HEAD + serverTable(lines))).servers[0]!.allowed_tasks,
];

for (const [key, kind] of Object.entries(SWITCHES)) {
  test(`allows ${kind} with ${key}`, async () => {
    assert.equal(await allowedBy(`${key} = true`), [kind]);
    assert.equal(await allowedBy(`${key} = true\nallow_task_type = []`), [kind]);
    assert.equal(await allowedBy(`${key} = true\nallow_task_type = ["ip"]`), ['ip']);
    assert.equal(await allowedBy(`allow_task_type = ["${kind}"]`), [kind]);
  });
}

test('logs neither tokens nor logins of addresses', async () => {
  const table = serverTable().replace('ws://', 'ws://user:hidden@');
  const text = JSON.stringify(redacted(await load(HEAD + table)));
  assert.not.match(text, 's3cr3t');
  assert.not.match(text, 'hidden');
  assert.match(text, 'ws://127.0.0.1:2211/svc/rpc');
});

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const WITH_COMMENTS = `# agent_uuid = "auto_gen" is replaced
note = """
agent_uuid = "auto_gen"
"""
log_level  =  "warn"   # quiet
  agent_uuid="auto_gen"# mine
[other]
agent_uuid = "auto_gen"
`;

// [what, head of the file, what comes before the UUID, what comes after it]
const GENERATED: [string, string, string, string][] = [
  ['plainly', 'agent_uuid = "auto_gen"\nlog_level = "info"\n', 'agent_uuid = "', '"\nlog_level'],
  [
    'with single quotes and Windows lines',
    "log_level = 'info'\r\nagent_uuid = 'auto_gen'\r\n",
    'agent_uuid = "',
    '"\r\n',
  ],
  [
    'with a quoted key',
    '"agent_uuid" = "auto_gen"\nlog_level = "info"\n',
    '"agent_uuid" = "',
    '"\n',
  ],
  ['among comments, texts and other tables', WITH_COMMENTS, '  agent_uuid="', '"# mine\n'],
];

for (const [what, head, before, after] of GENERATED) {
  test(`replaces an auto_gen written ${what}, and nothing else`, async () => {
    const text = head + serverTable();
    const path = file(text);
    const { agent_uuid } = await loadConfig(path);
    assert.match(agent_uuid, UUID_V4);
    const written = readFileSync(path, 'utf8');
    assert.match(written, before + agent_uuid + after);
    assert.is(written.length, text.length + 36 - 'auto_gen'.length);
    assert.is((await loadConfig(path)).agent_uuid, agent_uuid);
  });
}

test('keeps the mode of the file and follows a link when it replaces auto_gen', async () => {
  const path = file(HEAD.replace(AGENT, 'auto_gen') + serverTable());
  chmodSync(path, 0o600);
  const link = join(dir, 'link.toml');
  symlinkSync(path, link);
  const { agent_uuid } = await loadConfig(link);
  assert.is(statSync(path).mode & 0o777, 0o600);
  assert.match(readFileSync(path, 'utf8'), agent_uuid);
  assert.equal(
    readdirSync(dir).filter((name) => name.endsWith('.tmp')),
    [],
  );
});

test('leaves a file with another mistake as it is', async () => {
  const text = HEAD.replace(AGENT, 'auto_gen');
  const path = file(text);
  await loadConfig(path).catch(() => {});
  assert.is(readFileSync(path, 'utf8'), text);
});

interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the agent's program from source. */
function run(...args: string[]): Promise<Outcome> {
  const main = join(root, 'agent/src/main.ts');
  const flags = [main];
  const child = spawn(process.execPath, [...flags, ...args], { cwd: root, timeout: 60_000 });
  const outcome = { stdout: '', stderr: '' };
  child.stdout.on('data', (data) => (outcome.stdout += data));
  child.stderr.on('data', (data) => (outcome.stderr += data));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...outcome }));
  });
}

test('prints help and ends well without any argument', async () => {
  const { code, stdout } = await run();
  assert.is(code, 0);
  assert.match(stdout, /Usage: svc-agent/);
  assert.match(stdout, '--dry-run');
});

for (const flag of ['--version', '-v']) {
  test(`prints its version for ${flag}`, async () => {
    const { code, stdout } = await run(flag);
    assert.is(code, 0);
    assert.match(stdout, /^svc-agent \d+\.\d+\.\d+\n$/);
  });
}

for (const flag of ['--dry-run', '-d']) {
  test(`collects once and connects to no server with ${flag}`, async () => {
    const server = await ScriptedServer.open();
    try {
      const table = serverTable().replace(/ws_url = .*/, `ws_url = "${server.url}"`);
      const { code, stdout, stderr } = await run('-c', file(HEAD + table), flag);
      assert.is(stderr, '');
      assert.is(code, 0);
      assert.is(server.connections, 0);
      for (const fact of ['static data', 'dynamic data', 'dynamic summary', 'logical_cores']) {
        assert.match(stdout, fact);
      }
      assert.not.match(stdout, 's3cr3t');
    } finally {
      await server.stop();
    }
  });
}

// [arguments, exit code, words on standard error]
const FAILURES: [string[], number, RegExp][] = [
  [['--no-such-flag'], 2, /no-such-flag/],
  [['-c', join(dir, 'absent.toml')], 1, /^configuration: cannot read .*absent\.toml: ENOENT\n$/],
  [['--config', file('x = \n')], 1, /^configuration: line 1, column \d+: /],
];

for (const [args, expected, words] of FAILURES) {
  test(`ends with ${expected} for ${args[0]} ${args[1]?.split('/').at(-1) ?? ''}`, async () => {
    const { code, stderr } = await run(...args);
    assert.is(code, expected);
    assert.match(stderr, words);
  });
}

test.run();

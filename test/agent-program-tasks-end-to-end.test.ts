// proof only: 12
/** A real server, the real agent as a process of its own, and every kind of task through both. */
import { spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { TASK_KINDS } from '../agent/src/task-kinds.ts';
import { loadPty } from '../agent/src/terminal/pty.ts';
import { record, startDns, type TestDns } from './agent-program-dns-server.ts';
import { bodyOf, startHttp, type TestHttp } from './agent-program-http-server.ts';
import { AGENT, soon } from './agent-program-kit.ts';
import { type Running, startAgent, stopAgent, until } from './agent-program-process.ts';
import { suite } from './runner/suite.ts';

const hasPing = spawnSync('ping', ['-V']).error === undefined;
const hasPty = await loadPty().then(
  () => true,
  () => false,
);
if (!hasPing) process.stdout.write('  skipped: no program ping on this machine\n');
if (!hasPty)
  process.stdout.write('  skipped: the optional package @lydell/node-pty is not installed\n');

/** Of clients.md §2.10, with dns. */
const agentRights = [
  {
    scopes: [{ agent_uuid: AGENT }],
    permissions: [
      { static_monitoring: 'write' },
      { dynamic_monitoring: 'write' },
      { dynamic_monitoring_summary: 'write' },
      { task: 'listen' },
      ...TASK_KINDS.map((kind) => ({ task: { write: kind } })),
    ],
  },
];

const PLUGINS = ['token', 'server-info', 'agent', 'agent-uuid', 'task', 'terminal'];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`agent program, tasks end to end (${dialect})`);
  let app: TestApp;
  let agent: Running;
  let http: TestHttp;
  let dns: TestDns;

  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect });
    http = await startHttp(async (request, answer) => {
      if (request.url === '/ip') return void answer.end('198.51.100.23\n');
      const body = await bodyOf(request);
      if (request.url === '/bytes') return void answer.end(Buffer.from('00ff', 'hex'));
      answer.setHeader('set-cookie', ['a=1', 'b=2']);
      answer.writeHead(418).end(`${request.method} ${body}`);
    });
    dns = await startDns({
      'shop.example.net a': [record.a('198.51.100.23')],
      'shop.example.net mx': [record.mx(10, 'mx1.example.net')],
    });
    agent = await startAgent(app, await app.token(agentRights), {
      head: `terminal_shell = "sh"\nip_provider_urls = ["${http.url}ip", "${http.url}ip"]`,
      server: `allow_task = true\nallow_task_type = ${JSON.stringify(TASK_KINDS)}`,
    });
  });

  test.after(async () => {
    await stopAgent(agent);
    await app?.stop();
    await http?.stop();
    await dns?.stop();
  });

  const ask = (method: string, ...params: unknown[]) =>
    app.call(method, [app.superToken, ...params]);

  /** Runs one task; its result, or the text of its failure. */
  async function run(type: unknown, timeout_ms = 120_000): Promise<any> {
    const answer = await ask('task_create_task_blocking', AGENT, type, timeout_ms);
    assert.is(answer.success, answer.error_message === null);
    const kind = typeof type === 'string' ? type : Object.keys(type as object)[0];
    return answer.success ? answer.task_event_result[kind ?? ''] : answer.error_message;
  }

  /** Until it takes less than so many ms: a busy machine may take its time. */
  const quickly = (type: unknown, limit_ms: number) =>
    until(
      `${JSON.stringify(type)} in less than ${limit_ms} ms`,
      () => run(type),
      (ms) => ms > 0 && ms < limit_ms,
    );

  test('takes the first task once the agent has registered', async () => {
    const version = await until(
      'a registered agent',
      () => run('version', 5_000).catch((error) => error.message),
      (found) => typeof found === 'object',
    );
    assert.is(version.binary_type, 'Agent');
    assert.match(version.cargo_version, /^\d+\.\d+\.\d+$/);
    assert.is(Object.keys(version).length, 13);
  });

  (hasPing ? test : test.skip)('ping', async () => {
    await quickly({ ping: '127.0.0.1' }, 2000);
  });

  if (!hasPing) {
    test('ping fails with a reason where there is no such program', async () => {
      const failure = await run({ ping: '127.0.0.1' });
      assert.is(failure, 'Other error: the program ping is not installed');
    });
  }

  test('tcp_ping', async () => {
    await quickly({ tcp_ping: `127.0.0.1:${http.port}` }, 1000);
    await until(
      'a refused connection',
      () => run({ tcp_ping: '127.0.0.1:1' }),
      (text) => /^Other error: .*ECONNREFUSED/.test(text),
    );
  });

  test('http_ping', async () => {
    await quickly({ http_ping: http.url }, 5000);
  });

  test('http_request, text and bytes', async () => {
    const request = { url: http.url, method: 'post', headers: { a: 'b' }, body: 'grüße' };
    const answer = await run({ http_request: { ...request, ip: 'ipv4 auto' } });
    assert.is(answer.status, 418);
    assert.is(answer.body, 'POST grüße');
    assert.is(answer.body_base64, null);
    assert.equal(answer.headers.slice(0, 2), [{ 'set-cookie': 'a=1' }, { 'set-cookie': 'b=2' }]);
    const bytes = await run({ http_request: { url: `${http.url}bytes`, method: 'GET' } });
    assert.equal([bytes.body, bytes.body_base64], [null, 'AP8=']);
  });

  test('dns', async () => {
    const question = { domain: 'shop.example.net', record_types: ['mx', 'a', 'txt'] };
    const records = await run({ dns: { ...question, dns_server: dns.address } });
    assert.equal(
      records.map(({ record_type, data }: any) => [record_type, data]),
      [
        ['mx', '10 mx1.example.net.'],
        ['a', '198.51.100.23'],
      ],
    );
  });

  test('execute', async () => {
    const script = 'process.stdout.write("o"); process.stderr.write("e"); process.exitCode = 3';
    const output = await run({ execute: { cmd: process.execPath, args: ['-e', script] } });
    assert.is(output, 'o\n--- STDERR ---\ne\n[Process exited with code 3]');
    const failure = await run({ execute: { cmd: '/no/such/program', args: [] } });
    assert.is(failure, 'Other error: cannot start /no/such/program: ENOENT');
  });

  test('ip', async () => {
    assert.equal(await run('ip'), ['198.51.100.23', null]);
  });

  test('self_update replaces nothing', async () => {
    assert.is(await run({ self_update: 'v99.0.0' }), false);
  });

  test('brings 300 results for 300 tasks created at once', async () => {
    const execute = { execute: { cmd: 'true', args: [] } };
    const kinds = [{ tcp_ping: `127.0.0.1:${http.port}` }, 'version', execute];
    const created = await Promise.all(
      Array.from({ length: 300 }, (_, n) => ask('task_create_task', AGENT, kinds[n % 3])),
    );
    const ids = new Set(created.map(({ id }) => id));
    assert.is(ids.size, 300);
    const condition = [{ uuid: AGENT }, 'is_success', { limit: 400 }];
    await until(
      '300 results',
      async () =>
        (await ask('task_query', { condition })).filter(({ task_id }: any) => ids.has(task_id))
          .length,
      (count) => count === 300,
    );
  });

  /** True when the agent's process has mapped the terminal package's addon; undefined where the system does not tell. */
  const hasLoadedPty = () =>
    process.platform === 'linux'
      ? readFileSync(`/proc/${agent.child.pid}/maps`, 'utf8').includes('pty.node')
      : undefined;

  (hasPty ? test : test.skip)('web_shell: a real shell, typed into and resized', async () => {
    assert.is.not(hasLoadedPty(), true, 'the terminal package is loaded before the first session');
    const terminal_id = randomUUID();
    const server = app.url.replace('http', 'ws');
    const task = { web_shell: { url: `${server}/auto_gen`, terminal_id } };
    const { id } = await ask('task_create_task', AGENT, task);
    const query = new URLSearchParams({ agent_uuid: AGENT, terminal_id, token: app.superToken });
    const user = new WebSocket(`${server}/terminal?${query}`);
    let text = '';
    let wake = () => {};
    user.on('message', (data) => {
      text += data;
      wake();
    });
    const closed = new Promise<number>((resolve) => user.on('close', resolve));
    const sees = (words: RegExp) =>
      soon(
        `${words}`,
        (async () => {
          while (!words.test(text)) await new Promise<void>((resolve) => (wake = resolve));
        })(),
      ).catch((error) => {
        throw new Error(`${error.message}, but ${JSON.stringify(text)}`);
      });
    await soon('the connection', new Promise((resolve) => user.on('open', resolve)));
    user.send('{"type":"resize","cols":132,"rows":43}');
    user.send('');
    user.send('stty size; echo sum-$((40+2))\r');
    await sees(/43 132\r\nsum-42/);
    user.send('{"type":"resize","cols":100,"rows":30}');
    user.send('stty size; echo sum-$((40+3))\r');
    await sees(/30 100\r\nsum-43/);
    assert.is.not(hasLoadedPty(), false);
    const rowOf = async () => (await ask('task_query', { condition: [{ task_id: id }] }))[0];
    assert.is((await rowOf()).success, null);
    user.send('exit\r');
    await soon('the end of the session', closed);
    const row = await until('the result', rowOf, ({ success }) => success !== null);
    assert.is(row.success, true);
    assert.equal(row.task_event_result, { web_shell: true });
  });

  // Last, since the agent starts again.
  test('read_config and edit_config, with a restart of the agent', async () => {
    const before = await run('read_config');
    assert.is(before, readFileSync(agent.config, 'utf8'));
    assert.match(await run({ edit_config: 'log_level = 5' }), /^Other error: /);
    assert.is(readFileSync(agent.config, 'utf8'), before);
    const after = `${before}# edited ${createHash('sha256').update(before).digest('hex')}\n`;
    assert.is(await run({ edit_config: after }), true);
    assert.is(readFileSync(agent.config, 'utf8'), after);
    const readAgain = await until(
      'the agent after its restart',
      () => run('read_config', 5_000).catch(() => ''),
      (text) => text === after,
    );
    // Its output comes over another way than its answers.
    await until(
      'words about the restart',
      async () => agent.output(),
      (text) => text.includes('starting again'),
    );
    assert.is(readAgain, after);
  });

  test('the agent stops well, and no secret stands in its log', async () => {
    assert.is(await stopAgent(agent), 0, agent.output());
    const [, token = ''] = /token = "([^"]+)"/.exec(readFileSync(agent.config, 'utf8')) ?? [];
    assert.ok(token.length > 10);
    assert.not.match(agent.output(), token);
    assert.not.match(agent.output(), ' ERROR ');
  });

  test.run();
}

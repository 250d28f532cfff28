// svc-server.md §9.1: what a watcher of the log stream sees of an ordinary day, under the targets that front ends offer.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { oneDialect } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { dynamicReport } from './agent-kit.ts';
import { A, type SimAgent, simAgent } from './task-kit.ts';
import { eventually } from './token-kit.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const SCRIPT = base64('export default { onCall(p) { if (p) throw new Error("no"); return 1; } };');

interface Seen {
  readonly level: string;
  readonly target: string;
  readonly message: string;
  readonly fields: { readonly [name: string]: unknown };
  readonly spans: readonly { readonly name: string; readonly fields?: string }[];
}

for (const dialect of oneDialect) {
  const test = suite(`svc-server: log of an ordinary day (${dialect})`);
  let app: TestApp;
  let agent: SimAgent;
  const traced: Seen[] = [];
  const told: Seen[] = [];

  const stream = async (filter: string, into: Seen[]) => {
    const socket = await app.connect();
    socket.raw.on('message', (data: Buffer) => {
      const { params } = JSON.parse(String(data));
      if (params) into.push(params.result);
    });
    await socket.call('svc-server_stream_log', [app.superToken, filter]);
  };
  const until = (seen: readonly Seen[], name: string) =>
    eventually(() => {
      const found = seen.some(({ target, message }) => `${target}: ${message}` === name);
      if (!found) throw new Error(`no record '${name}'`);
    });

  test.before(async () => {
    app = await bootForTest(undefined, {}, { dialect });
    await stream('trace', traced);
    await stream('info', told);
    const call = (method: string, ...params: unknown[]) =>
      app.call(method, [app.superToken, ...params]);
    agent = await simAgent(app);
    await agent.register();
    await call('agent_report_dynamic', dynamicReport({ uuid: A }));
    const task = call('task_create_task_blocking', A, 'version', 60_000).catch(() => undefined);
    const [item] = await agent.received(1);
    await agent.answer(item!, null, { success: false, error_message: 'not today' });
    await task;
    await call('kv_create', 'space');
    await call('kv_set_value', 'space', 'key', 1);
    await call('kv_delete_namespace', 'space');
    await call('db_create', 'data');
    await call('db_delete', 'data');
    await call('static-bucket_create', 'site', 'site', false, false);
    await call('static-bucket_delete', 'site');
    const key = (await app.token([])).split(':')[0] as string;
    await call('token_roll_token_secret', key);
    await call('token_delete', key);
    await app.call('kv_list_all_namespace', [`${app.superToken}x`]).catch(() => undefined);
    await call('js-worker_create', 'w', null, SCRIPT);
    await call('js-worker_run', 'w', 'call', true);
    const job = { server: { js_worker: ['w', null] } };
    await call('crontab_create', 'every second', '* * * * * *', job);
    await until(traced, 'crontab_result: run dispatched');
    await call('crontab_delete', 'every second');
    await until(told, 'js_worker: worker run failed');
    await call('js-worker_delete', 'w');
    await app.fetch('/terminal?agent_uuid=x');
    agent.socket.close();
    await until(told, 'task: agent went');
  });
  test.after(() => app.stop());

  test('at trace every part of the server shows under its target', () => {
    const offered =
      'server rpc db kv monitoring task token auth js_worker js_result js_runtime crontab crontab_result';
    const seen = new Set(traced.map(({ target }) => target));
    assert.equal(
      offered.split(' ').filter((target) => !seen.has(target)),
      [],
    );
  });

  // biome-ignore format: one target per line
  const changes: [target: string, messages: string[]][] = [
    ['rpc', ['subscription accepted']],
    ['monitoring', ['agents were registered or deleted']],
    ['task', ['agent came', 'task sent', 'task answered', 'agent went']],
    ['token', ['token created', 'token secret rolled', 'token deleted']],
    ['auth', ['login refused']],
    ['kv', ['namespace created', 'namespace deleted']],
    ['db', ['database created', 'database deleted']],
    ['static_bucket', ['bucket created', 'bucket deleted']],
    ['crontab', ['job created', 'job fired', 'job deleted']],
    ['js_worker', ['worker created', 'worker run failed', 'worker deleted']],
  ];
  for (const [target, messages] of changes) {
    test(`at info ${target} tells what has changed: ${messages.join(', ')}`, () => {
      const got = new Set(told.filter((one) => one.target === target).map((one) => one.message));
      assert.equal(
        messages.filter((message) => !got.has(message)),
        [],
      );
    });
  }

  test('at info there is no traffic: no record of a call, a statement or a stored row', () => {
    const traffic = [
      'called',
      'request completed',
      'rpc.call completed',
      'statement',
      'rows stored',
    ];
    assert.equal(
      told.filter(({ message, level }) => traffic.includes(message) || /DEBUG|TRACE/.test(level)),
      [],
    );
  });

  test('each call shows under its own target, within its span', () => {
    const calls = traced.filter(({ message }) => message === 'called');
    const key = app.superToken.split(':')[0];
    const report = calls.find(({ fields }) => fields['method'] === 'agent_report_dynamic');
    assert.is(report?.target, 'monitoring');
    assert.equal(report?.spans, [{ name: 'agent::report_dynamic', fields: `token_key="${key}"` }]);
    const targetOf = (method: string) =>
      calls.find(({ fields }) => fields['method'] === method)?.target;
    assert.is(targetOf('kv_set_value'), 'kv');
    assert.is(targetOf('crontab_create'), 'crontab');
    assert.is(targetOf('svc-server_stream_log'), 'server');
  });

  test('no record holds a secret', () => {
    const secret = app.superToken.split(':')[1] as string;
    assert.not.match(JSON.stringify([traced, told]), new RegExp(secret));
  });

  test('batches and notifications have records of their own at trace', async () => {
    traced.length = 0;
    const hello = { jsonrpc: '2.0', id: 1, method: 'svc-server_hello' };
    await app.rpc([hello, hello]);
    await app.rpc({ jsonrpc: '2.0', method: 'svc-server_hello' });
    await until(traced, 'rpc: rpc.notification completed');
    const batch = traced.find(({ message }) => message === 'rpc.batch completed');
    const { elapsed_us, ...fields } = batch?.fields ?? {};
    assert.type(elapsed_us, 'string');
    const methods = 'svc-server_hello,svc-server_hello';
    assert.equal(fields, { rpc_kind: 'batch', methods, size: 2 });
  });

  test('of many refused logins five in ten seconds are told, and how many were not', async () => {
    told.length = 0;
    const wrong = Array.from({ length: 40 }, (_, at) => `nobody${at}:x`);
    for (const token of wrong)
      await app.call('kv_list_all_namespace', [token]).catch(() => undefined);
    await app.token([]);
    await until(told, 'token: token created');
    assert.ok(told.filter(({ message }) => message === 'login refused').length <= 5);
  });

  test.run();
}

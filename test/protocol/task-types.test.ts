// proof: 5
// task.md §2, §4.5: what a task and a result may look like, and the form in which they are stored and sent.

import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { oneDialect } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { callText, failure } from './agent-kit.ts';
import {
  A,
  answerAll,
  outcome,
  PLUGINS,
  RESULTS,
  readyAgent,
  rows,
  type SimAgent,
} from './task-kit.ts';

/** Not connected. */
const B = '1c7a2b60-0f3e-4a4b-8a2e-5d1f6a9c3e77';
const T = '7d0b2f4e-3c1a-4a55-9d52-0b6f2e6f9a10';
const request = { url: 'https://shop.example.net/', method: 'get' };
const noBody = { headers: {}, body: null, body_base64: null, ip: null };

/** [name, as given, as stored, sent and answered; the same when left out] */
// biome-ignore format: one case per line
const types: [name: string, given: any, normal?: any][] = [
  ['ping', { ping: 'db1.example.net' }],
  ['ping of anything', { ping: '' }],
  ['tcp_ping', { tcp_ping: 'db1.example.net:5432' }],
  ['tcp_ping without a port', { tcp_ping: 'no port, not checked' }],
  ['http_ping', { http_ping: 'https://shop.example.net/health' }],
  ['http_ping, serialised', { http_ping: 'https://SHOP.example.net:443' }, { http_ping: 'https://shop.example.net/' }],
  ['http_ping of any scheme', { http_ping: 'FTP://h/a b' }, { http_ping: 'ftp://h/a%20b' }],
  ['http_request, least', { http_request: request }, { http_request: { ...request, ...noBody } }],
  ['http_request with nulls', { http_request: { ...request, body: null, body_base64: null, ip: null } }, { http_request: { ...request, ...noBody } }],
  ['http_request, whole', { http_request: { ...request, headers: { a: '1' }, body: 'x', body_base64: 'eA==', ip: 'ipv4 auto' } }],
  ['http_request with an empty body', { http_request: { ...request, body: '', ip: 'ipv4 auto' } }, { http_request: { ...request, ...noBody, body: '', ip: 'ipv4 auto' } }],
  ['http_request, unknown members', { http_request: { ...request, timeout: 5 } }, { http_request: { ...request, ...noBody } }],
  ['dns', { dns: { domain: 'example.net', record_types: ['a', 'caa'], dns_server: '192.0.2.1:53' } }],
  ['dns without server', { dns: { domain: 'example.net', record_types: [] } }, { dns: { domain: 'example.net', record_types: [], dns_server: null } }],
  ['dns, object words', { dns: { domain: 'x', record_types: [{ mx: null }, 'soa'], dns_server: null } }, { dns: { domain: 'x', record_types: ['mx', 'soa'], dns_server: null } }],
  ['execute', { execute: { cmd: 'df', args: ['-h', '/'] } }],
  ['execute with an empty argument, not trimmed', { execute: { cmd: ' df ', args: [''] } }],
  ['execute, unknown members', { execute: { cmd: 'df', args: [], cwd: '/' } }, { execute: { cmd: 'df', args: [] } }],
  ['web_shell', { web_shell: { url: 'wss://mon.example.net:8443/auto_gen', terminal_id: T } }],
  ['web_shell, spelled otherwise', { web_shell: { url: 'WSS://mon.example.net:443/auto_gen', terminal_id: `{${T.toUpperCase()}}` } }, { web_shell: { url: 'wss://mon.example.net/auto_gen', terminal_id: T } }],
  ['read_config', 'read_config'],
  ['read_config as an object', { read_config: null }, 'read_config'],
  ['edit_config', { edit_config: 'not = "checked' }],
  ['ip', 'ip'],
  ['ip as an object', { ip: null }, 'ip'],
  ['version', 'version'],
  ['version as an object', { version: null }, 'version'],
  ['self_update', { self_update: 'v1.4.2' }],
  ['text beyond ASCII', { ping: 'ü "\\ \u2028 😀' }],
];

const malformed: any[] = [
  'ping',
  'execute',
  'unknown',
  '',
  null,
  1,
  true,
  [],
  {},
  ['ip'],
  { unknown: 1 },
  { Ping: 'x' },
  { ping: 1 },
  { ping: null },
  { ping: 'x', tcp_ping: 'y' },
  { ping: 'x', other: 1 },
  { ip: 1 },
  { ip: {} },
  { version: 'x' },
  { http_ping: 'shop.example.net' },
  { http_ping: '/health' },
  { http_ping: '' },
  { http_ping: 'http://' },
  { http_ping: 5 },
  { http_request: {} },
  { http_request: { url: request.url } },
  { http_request: { method: 'GET' } },
  { http_request: { ...request, url: 'x' } },
  { http_request: { ...request, headers: null } },
  { http_request: { ...request, headers: { a: 1 } } },
  { http_request: { ...request, headers: [] } },
  { http_request: { ...request, body: 1 } },
  { http_request: { ...request, ip: 4 } },
  { http_request: null },
  { dns: { domain: 'x' } },
  { dns: { record_types: [] } },
  { dns: { domain: 'x', record_types: ['A'] } },
  { dns: { domain: 'x', record_types: ['any'] } },
  { dns: { domain: 'x', record_types: 'a' } },
  { execute: { cmd: 'df' } },
  { execute: { args: [] } },
  { execute: { cmd: 'df', args: '' } },
  { execute: { cmd: 'df', args: [1] } },
  { execute: 'df' },
  { execute: { cmd: null, args: [] } },
  { web_shell: { url: 'wss://h/auto_gen' } },
  { web_shell: { terminal_id: T } },
  { web_shell: { url: 'h', terminal_id: T } },
  { web_shell: { url: 'wss://h/', terminal_id: 'x' } },
  { web_shell: true },
  { edit_config: {} },
  { edit_config: null },
  { self_update: 1 },
  { self_update: true },
];

const version = Object.fromEntries(
  'binary_type cargo_version git_branch git_commit_sha git_commit_date git_commit_message build_time cargo_target_triple rustc_channel rustc_version rustc_commit_date rustc_commit_hash rustc_llvm_version'
    .split(' ')
    .map((name) => [name, `a ${name}`]),
);
const { binary_type: _gone, ...withoutBinaryType } = version;
const httpResult = {
  status: 200,
  headers: [{ a: '1' }, { a: '2' }, { b: '' }],
  body: 'ok',
  body_base64: null,
};
const dnsRecord = { record_type: 'mx', time: 11.8, data: '10 mx1.example.net.' };

/** [name, task, result as uploaded, result as answered; the same when left out] */
// biome-ignore format: one case per line
const results: [name: string, task: any, given: any, normal?: any][] = [
  ['ping', { ping: 'x' }, { ping: 18.402 }],
  ['ping, an integer', { ping: 'x' }, { ping: 18 }],
  ['tcp_ping', { tcp_ping: 'x' }, { tcp_ping: 0 }],
  ['http_ping', { http_ping: 'http://h/' }, { http_ping: 61.25 }],
  ['http_request', { http_request: request }, { http_request: httpResult }],
  ['http_request, binary', { http_request: request }, { http_request: { status: 65535, headers: [], body_base64: 'AA==' } }, { http_request: { status: 65535, headers: [], body: null, body_base64: 'AA==' } }],
  ['dns', { dns: { domain: 'x', record_types: [] } }, { dns: [dnsRecord, { ...dnsRecord, record_type: { a: null }, more: 1 }] }, { dns: [dnsRecord, { ...dnsRecord, record_type: 'a' }] }],
  ['dns, nothing', { dns: { domain: 'x', record_types: [] } }, { dns: [] }],
  ['execute', { execute: { cmd: 'x', args: [] } }, { execute: 'line\n\t"quoted" ü \u2028' }],
  ['execute with what a database cannot hold', { execute: { cmd: 'x', args: [] } }, { execute: 'a\0b\0\0c\\u0000' }, { execute: 'a\ufffdb\ufffd\ufffdc\\u0000' }],
  ['web_shell', { web_shell: { url: 'ws://h/auto_gen', terminal_id: T } }, { web_shell: true }],
  ['read_config', 'read_config', { read_config: 'a = 1\n' }],
  ['edit_config', { edit_config: '' }, { edit_config: true }],
  ['ip', 'ip', { ip: ['198.51.100.23', null] }],
  ['ip, neither', 'ip', { ip: [null, null] }],
  ['version', 'version', { version }],
  ['version with more', 'version', { version: { ...version, more: 'x' } }, { version }],
  ['self_update', { self_update: 'v1' }, { self_update: false }],
  ['null, stored as sent', 'ip', null],
];

/** Results that do not decode, all uploaded for one `ip` task. */
const malformedResults: any[] = [
  {},
  [],
  'ip',
  1,
  { ip: [] },
  { ip: ['198.51.100.23'] },
  { ip: [null, null, null] },
  { ip: [1, null] },
  { ip: null },
  { unknown: 1 },
  { ip: [null, null], ping: 1 },
  { ping: '1' },
  { ping: null },
  { http_request: { ...httpResult, status: -1 } },
  { http_request: { ...httpResult, status: 65536 } },
  { http_request: { ...httpResult, headers: [{ a: '1', b: '2' }] } },
  { http_request: { ...httpResult, headers: [{}] } },
  { http_request: { ...httpResult, headers: { a: '1' } } },
  { dns: [{ record_type: 'x', time: 1, data: '' }] },
  { dns: [{ record_type: 'a', data: '' }] },
  { dns: {} },
  { execute: 1 },
  { web_shell: 'true' },
  { edit_config: 1 },
  { version: withoutBinaryType },
  { version: { ...version, build_time: 1 } },
  { self_update: null },
];

for (const dialect of oneDialect) {
  const test = suite(`task: types (${dialect})`);
  let app: TestApp;
  let agent: SimAgent;
  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect, clock: true });
    agent = await readyAgent(app);
  });
  test.after(() => app.stop());

  const create = (type: unknown) => app.call('task_create_task', [app.superToken, A, type]);
  const last = () => agent.items.at(-1)!;
  const next = async (type: unknown) => {
    const { length } = agent.items;
    // The agent has taken the messages before.
    await app.clock.advance(100);
    await create(type);
    await agent.received(length + 1);
    return last();
  };

  for (const [name, given, normal = given] of types) {
    test(`${name}: stored, sent and answered in normal form`, async () => {
      const item = await next(given);
      assert.equal(item.task_event_type, normal);
      const [row] = await rows(app, { task_id: item.task_id });
      assert.equal(row.task_event_type, normal);
      await app.call('task_delete', [app.superToken, [{ task_id: item.task_id }]]);
    });
  }

  test('header names are sorted', async () => {
    const headers = { b: '1', A: '2', a: '3' };
    const item = await next({ http_request: { ...request, headers } });
    assert.equal(Object.keys(item.task_event_type.http_request.headers), ['A', 'a', 'b']);
    await app.call('task_delete', [app.superToken, []]);
  });

  test('anything else is -32602, before any credential, and leaves no row', async () => {
    for (const type of malformed) {
      for (const method of ['task_create_task', 'task_create_task_blocking']) {
        const { code, message, data } = await failure(
          app.call(method, ['nobody:wrong', A, type, 5]),
        );
        assert.equal([code, message], [-32602, 'Invalid params'], JSON.stringify(type));
        assert.type(data, 'string');
      }
    }
    assert.equal(await rows(app), []);
  });

  test('a task of 4 MiB is made, and a longer one refused', async () => {
    const most = 4 * 1024 * 1024 - 3;
    const made = (length: number) =>
      app.call('task_create_task', [app.superToken, B, { ping: 'x'.repeat(length) }]);
    assert.is((await failure(made(most))).code, 104);
    assert.is((await failure(made(most + 1))).code, 108);
  });

  for (const cmd of ['', ' ', '\t\n']) {
    test(`a blank command (${JSON.stringify(cmd)}) is 108 before the credential`, async () => {
      for (const method of ['task_create_task', 'task_create_task_blocking']) {
        const params = ['no credential', A, { execute: { cmd, args: [] } }, 5];
        assert.match(await outcome(app.call(method, params)), /^108 Invalid input: /);
      }
    });
  }

  test('characters that a database cannot hold are 108 in a task', async () => {
    for (const type of [{ ping: 'a\0' }, { execute: { cmd: 'a', args: ['\0'] } }]) {
      assert.match(await outcome(create(type)), /^108 Invalid input: /);
    }
    await next({ ping: 'a backslash, then u: \\u0000' });
    await app.call('task_delete', [app.superToken, []]);
  });

  for (const [name, type, given, normal = given] of results) {
    test(`result of ${name}`, async () => {
      await app.clock.advance(100);
      const waiting = app.call('task_create_task_blocking', [app.superToken, A, type, 60_000]);
      await agent.received(agent.items.length + 1);
      const item = last();
      assert.equal(await agent.answer(item, given), { id: item.task_id });
      assert.equal((await waiting).task_event_result, normal);
      const [row] = await rows(app, { task_id: item.task_id });
      assert.equal([row.task_event_result, row.success], [normal, true]);
    });
  }

  test('a result that does not fit is -32602 and the task goes on', async () => {
    const item = await next('ip');
    for (const result of malformedResults) {
      assert.is((await failure(agent.answer(item, result))).code, -32602, JSON.stringify(result));
    }
    assert.equal(
      await rows(app, { task_id: item.task_id }, 'is_running').then((list) => list.length),
      1,
    );
    await agent.answer(item, RESULTS['ip']);
  });

  test('an upload without its members, or with wrong ones, is -32602', async () => {
    const item = await next('ip');
    const good = { ...item, agent_uuid: A, timestamp: 1, success: true };
    const { task_event_type: _type, ...upload } = good;
    // biome-ignore format: one case per line
    const bad = [
      null, [], {}, { ...upload, task_id: -1 }, { ...upload, task_id: 1.5 }, { ...upload, task_id: '1' }, { ...upload, agent_uuid: 'x' },
      { ...upload, task_token: 1 }, { ...upload, timestamp: -1 }, { ...upload, timestamp: null }, { ...upload, success: null }, { ...upload, success: 1 }, { ...upload, error_message: 1 },
      ...Object.keys(upload).map((name) => ({ ...upload, [name]: undefined })),
    ];
    for (const value of bad) {
      const call = app.call('task_upload_task_result', [app.superToken, value]);
      assert.is((await failure(call)).code, -32602, JSON.stringify(value));
    }
    assert.equal(await app.call('task_upload_task_result', [app.superToken, upload]), {
      id: item.task_id,
    });
    const [row] = await rows(app, { task_id: item.task_id });
    assert.equal([row.success, row.error_message, row.task_event_result], [true, null, null]);
  });

  test('the largest times', async () => {
    const item = await next('ip');
    const upload = (timestamp: string) =>
      callText(
        app,
        'task_upload_task_result',
        `["${app.superToken}",{"task_id":${item.task_id},"agent_uuid":"${A}","task_token":"${item.task_token}","timestamp":${timestamp},"success":false}]`,
      );
    assert.is(JSON.parse(await upload('9223372036854775808')).error.code, 108);
    assert.is(JSON.parse(await upload('18446744073709551616')).error.code, -32602);
    assert.equal(JSON.parse(await upload('9223372036854775807')).result, { id: item.task_id });
    const query = `["${app.superToken}",{"condition":[{"task_id":${item.task_id}}]}]`;
    assert.match(await callText(app, 'task_query', query), /"timestamp":9223372036854775807,/);
  });

  test('an error text with U+0000 is kept readable', async () => {
    const item = await next('ip');
    await agent.answer(item, null, { success: false, error_message: 'a\0b' });
    const [row] = await rows(app, { task_id: item.task_id });
    assert.equal([row.success, row.error_message], [false, 'a\ufffdb']);
  });

  test('an agent that answers each frame as it comes serves blocking callers', async () => {
    answerAll(agent);
    for (const type of ['ip', 'read_config', { ping: 'x' }, { self_update: 'v1' }]) {
      const answer = await app.call('task_create_task_blocking', [app.superToken, A, type, 60_000]);
      assert.is(answer.success, true);
    }
  });

  test.run();
}

/** Calls of `@svc/client` over both transports, against a real server. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConnectionError, createClient, type Methods, RpcError } from '@svc/client';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { failureOf, relayTo, type TickerMethods, ticker } from './kit.ts';

const test = suite('client: calls');
const fixture = ticker();
let app: TestApp;
test.before(async () => {
  app = await bootForTest([
    'token',
    'server-info',
    'kv',
    'agent-uuid',
    'agent',
    'series',
    fixture.plugin,
  ]);
  await app.call('kv_create', [app.superToken, 'notes']);
});
test.after(() => app.stop());

const make = (transport: 'ws' | 'http', options = {}) =>
  createClient<Methods & TickerMethods>(app.url, { token: app.superToken, transport, ...options });

const values: [name: string, value: unknown][] = [
  ['text', 'größer 😀'],
  ['an integer beyond 2^53', 9_223_372_036_854_775_807n],
  ['a negative one', -9_007_199_254_740_993n],
  ['digits in a string', { id: '1234567890123456789012' }],
  ['a long fraction', 0.1234567890123456],
  ['the largest safe integer', Number.MAX_SAFE_INTEGER],
  ['300 KB, which must show a credential', 'x'.repeat(300 * 1024)],
];

for (const transport of ['ws', 'http'] as const) {
  test(`${transport}: values arrive as they were sent`, async () => {
    const client = make(transport);
    for (const [name, value] of values) {
      await client.call('kv_set_value', { namespace: 'notes', key: 'a', value });
      const got = await client.call('kv_get_value', { namespace: 'notes', key: 'a' });
      assert.equal(got, value, name);
    }
    client.close();
  });

  test(`${transport}: what is not there is told alike, whether the server says 105 or 106`, async () => {
    const client = make(transport);
    const agent = '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411';
    const conditions = { static_data_query: { fields: [], condition: [{ uuid: agent }] } };
    const series = { agents: [agent], fields: ['cpu_usage' as const], from: 0, to: 1, points: 1 };
    const named = await failureOf(client.call('agent_query_static', conditions));
    const added = await failureOf(client.call('agent_query_series', series));
    const malformed = await failureOf(client.call('agent_query_static', {} as never));
    assert.equal([named.code, named.isNotFound], [105, true]);
    assert.equal([added.code, added.isNotFound], [106, true]);
    assert.equal([malformed.code, malformed.isNotFound], [-32602, false]);
    client.close();
  });

  test(`${transport}: a refusal has the code, the text and the data of the server`, async () => {
    const client = make(transport);
    const call = (method: string, params = {}) =>
      failureOf(client.call(method as 'kv_get_value', params as any));
    const missing = await call('kv_get_value', { namespace: 'none', key: 'a' });
    assert.instance(missing, RpcError);
    assert.equal(
      [missing.name, missing.code, missing.message, missing.data],
      ['RpcError', 103, "Database error: Namespace 'none' not found", undefined],
    );
    const invalid = await call('kv_get_value', { namespace: 'notes' });
    assert.equal([invalid.code, typeof invalid.data], [-32602, 'string']);
    assert.is((await call('kv_nothing')).code, -32601);
    assert.is(
      (await call('kv_get_value', { token: 'a:b', namespace: 'notes', key: 'a' })).code,
      102,
    );
    client.close();
  });

  test(`${transport}: a batch answers each call in its place, also the one that fails`, async () => {
    const client = make(transport);
    const [set, refused, got] = await client.batch([
      ['kv_set_value', { namespace: 'notes', key: 'b', value: 7 }],
      ['kv_get_value', { namespace: 'none', key: 'b' }],
      ['kv_get_value', { namespace: 'notes', key: 'b' }],
    ]);
    assert.equal(set, { status: 'fulfilled', value: { success: true } });
    assert.equal(got, { status: 'fulfilled', value: 7 });
    assert.is(refused.status === 'rejected' && refused.reason.code, 103);
    assert.equal(await client.batch([]), []);
    client.close();
  });

  test(`${transport}: a batch that is refused as a whole fails, and calls beside it do not`, async () => {
    const client = make(transport, { timeout_ms: 20_000 });
    const many = Array.from({ length: 10_001 }, () => ['svc-server_uuid'] as const);
    const [error, hello] = await Promise.all([
      failureOf(client.batch(many)),
      client.call('svc-server_hello'),
    ]);
    assert.instance(error, RpcError);
    assert.is(hello, 'svc Server Is Running!');
    client.close();
  });

  test(`${transport}: the deadline ends the wait, and its text names the method`, async () => {
    const client = make(transport, { timeout_ms: 60 });
    await client.call('ticker_seen', {}, { timeout_ms: 10_000 });
    const late = await failureOf(client.call('ticker_wait'));
    assert.equal(
      [late.name, late.message],
      ['TimeoutError', 'ticker_wait: no answer within 60 ms'],
    );
    const own = await failureOf(client.call('ticker_wait', {}, { timeout_ms: 30 }));
    assert.is(own.message, 'ticker_wait: no answer within 30 ms');
    // The server is given 100 ms, the client waits longer.
    const waiting = client.call('ticker_wait', { timeout_ms: 100 });
    await failureOf(client.call('ticker_wait', {}, { timeout_ms: 120 }));
    fixture.answer();
    assert.is(await waiting, null);
    client.close();
  });

  test(`${transport}: an aborted call fails with the reason of its signal`, async () => {
    const client = make(transport);
    const control = new AbortController();
    const call = client.call('ticker_wait', {}, { signal: control.signal });
    const reason = new Error('enough');
    const failed = failureOf(call);
    await client.call('ticker_seen');
    control.abort(reason);
    assert.is(await failed, reason);
    const before = fixture.counts.waits;
    assert.is(await failureOf(client.call('ticker_wait', {}, { signal: control.signal })), reason);
    assert.is(await client.call('ticker_seen'), before, 'nothing was sent');
    fixture.answer();
    client.close();
  });

  test(`${transport}: the credential comes from a function and travels in the body alone`, async () => {
    const relay = await relayTo(() => app.url);
    const [key = '', secret = ''] = app.superToken.split(':');
    const client = createClient(relay.url, { token: async () => app.superToken, transport });
    await client.call('kv_get_all_keys', { namespace: 'notes' });
    client.close();
    const [head = '', body = ''] = relay.sent().split('\r\n\r\n');
    assert.not.match(head, new RegExp(`${key}|${secret}|authorization|cookie`, 'i'));
    if (transport === 'http') assert.match(body, `{"token":"${app.superToken}",`);
    await relay.close();
  });
}

test('a token is created with the credential of the client', async () => {
  const client = make('ws');
  const token_creation = { token_limit: [] };
  const made = (await client.call('token_create', { token_creation })) as { key: string };
  assert.match(made.key, /^\w+$/);
  client.close();
});

test('a function chooses the transport per method, and a call may overrule it', async () => {
  const relay = await relayTo(() => app.url);
  const transport = (method: string) => (method.startsWith('kv_') ? 'http' : 'ws');
  const client = createClient(relay.url, { token: app.superToken, transport });
  const posts = () => relay.sent().split('POST / HTTP/1.1').length - 1;
  await client.call('svc-server_uuid');
  assert.is(posts(), 0);
  await client.call('kv_list_all_namespace');
  assert.is(posts(), 1);
  await client.call('svc-server_uuid', {}, { transport: 'http' });
  assert.is(posts(), 2);
  client.close();
  await relay.close();
});

test('an address with a user, or with a query, is refused: it would stand in logs', () => {
  for (const url of ['https://key:secret@host/', 'https://host/?token=key:secret'])
    assert.throws(() => createClient(url), /options\.token/);
});

test('an answer that is no JSON-RPC is a ConnectionError with its status', async () => {
  const proxy = createServer((_request, response) => {
    response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>');
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const client = createClient(url, { transport: 'http' });
  const error = await failureOf(client.call('svc-server_hello'));
  assert.instance(error, ConnectionError);
  assert.equal([error.status, error.message], [502, `${url}/: 502 <h1>Bad Gateway</h1>`]);
  proxy.close();
  await once(proxy, 'close');
  const gone = await failureOf(client.call('svc-server_hello'));
  assert.instance(gone, ConnectionError);
  assert.match(gone.message, /ECONNREFUSED/);
});

test.run();

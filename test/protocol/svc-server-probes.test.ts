/** `GET /svc/health` and `/svc/ready`, additions for supervisors and load balancers, and the icon that browsers ask for. */
import { definePlugin } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { eventually } from './token-kit.ts';

const answer = async (app: TestApp, path: string, method = 'GET') => {
  const response = await app.fetch(path, { method });
  return `${response.status} ${await response.text()}`.trim();
};

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`svc-server: health and ready (${dialect})`);
  let app: TestApp;

  test.before(async () => {
    app = await bootForTest(
      ['token', 'server-info', 'static-bucket', 'static-bucket-file'],
      {},
      { dialect },
    );
  });
  test.after(() => app.stop());

  // biome-ignore format: one case per line
  const cases: [path: string, method: string, answer: string][] = [
    ['/svc/health', 'GET', '200 ok'],
    ['/svc/health', 'HEAD', '200'],
    ['/svc/health?verbose', 'GET', '200 ok'],
    ['/svc/ready', 'GET', '200 ok'],
    ['/svc/ready', 'HEAD', '200'],
    ['/svc/health', 'PUT', '405 Used HTTP Method is not allowed. POST is required'],
    ['/svc/healthy', 'GET', '405 Used HTTP Method is not allowed. POST is required'],
    ['/favicon.ico', 'GET', '204'],
    ['/favicon.ico', 'HEAD', '204'],
  ];
  for (const [path, method, expected] of cases) {
    test(`${method} ${path} is answered ${expected}, without a credential`, async () =>
      assert.is(await answer(app, path, method), expected));
  }

  test('JSON-RPC goes on at these addresses', async () => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"svc-server_hello"}';
    const headers = { 'content-type': 'application/json' };
    const response = await app.fetch('/svc/ready', { method: 'POST', body, headers });
    const { result } = (await response.json()) as { result: string };
    assert.is(result, 'svc Server Is Running!');
  });

  test('ready is 503 without a reason while the database does not answer, and health stays 200', async () => {
    await app.sql('alter table schema_migrations rename to away');
    try {
      await eventually(async () => assert.is(await answer(app, '/svc/ready'), '503 not ready'));
      assert.is(await answer(app, '/svc/health'), '200 ok');
    } finally {
      await app.sql('alter table away rename to schema_migrations');
    }
    await eventually(async () => assert.is(await answer(app, '/svc/ready'), '200 ok'));
  });

  test('ready is 503 while the way to the other servers is interrupted', async () => {
    let connected = true;
    const bus = definePlugin({
      name: 'test-bus',
      version: '1.0.0',
      setup: ({ hooks }) =>
        hooks.bus.tap(() => ({
          publish() {},
          send: () => false,
          drained: async () => {},
          servers: () => [],
          connected: () => connected,
        })),
    });
    const joined = await bootForTest(
      ['token', 'server-info', bus],
      { bus: { transport: 'local' } },
      { dialect },
    );
    try {
      assert.is(await answer(joined, '/svc/ready'), '200 ok');
      connected = false;
      await eventually(async () => assert.is(await answer(joined, '/svc/ready'), '503 not ready'));
      connected = true;
      await eventually(async () => assert.is(await answer(joined, '/svc/ready'), '200 ok'));
    } finally {
      await joined.stop();
    }
  });

  test('a branded server has them under its own word', async () => {
    const branded = await bootForTest(
      ['token', 'server-info'],
      { brand: { word: 'acme' } },
      { dialect },
    );
    try {
      assert.is(await answer(branded, '/acme/health'), '200 ok');
      assert.is(await answer(branded, '/acme/ready'), '200 ok');
      assert.match(await answer(branded, '/svc/ready'), /^405 /);
    } finally {
      await branded.stop();
    }
  });

  test('a root bucket serves its own icon', async () => {
    await app.call('static-bucket_create', [app.superToken, 'site', 'site', true, false]);
    const icon = Buffer.from('an icon').toString('base64');
    await app.call('static-bucket-file_upload', [
      app.superToken,
      'site',
      'favicon.ico',
      null,
      icon,
    ]);
    assert.is(await answer(app, '/favicon.ico'), '200 an icon');
    assert.is(await answer(app, '/svc/ready'), '200 ok');
  });

  test.run();
}

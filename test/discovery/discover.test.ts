/** `rpc.discover` and `GET /svc/openrpc.json`: what this server offers, as an OpenRPC document. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import Schema from 'typebox/schema';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { weather } from './kit.ts';

const require = createRequire(import.meta.url);
const modules = join(import.meta.dirname, '..', '..', 'node_modules');
const test = suite('discovery');
let app: TestApp;
test.after.each(() => app.stop());

const discover = (token?: string) => app.call('rpc.discover', token === undefined ? [] : { token });
const methodNamed = (document: any, name: string) =>
  document.methods.find((method: any) => method.name === name);

test('the document of all built-in plugins fits the meta-schema of OpenRPC', async () => {
  app = await bootForTest(undefined);
  const document = await discover(app.superToken);
  const { default: meta } = require('@open-rpc/meta-schema');
  const { default: schemas } = require('@json-schema-tools/meta-schema');
  const definitions = { ...meta.definitions, JSONSchema: schemas };
  const check = Schema.Compile({ ...meta, definitions });
  const [fits, errors] = check.Errors(document);
  assert.is(fits, true, JSON.stringify(errors).slice(0, 2000));
  const [first] = document.methods;
  const strange = { name: 'x', schema: { type: 'text' } };
  for (const params of ['none', [strange]])
    assert.is(check.Check({ ...document, methods: [{ ...first, params }] }), false, `${params}`);
});

test('a generator of others makes types of it that compile', async () => {
  app = await bootForTest(undefined);
  const folder = await mkdtemp(join(tmpdir(), 'svc-typings-'));
  try {
    const file = join(folder, 'openrpc.json');
    await writeFile(file, JSON.stringify(await discover(app.superToken)));
    const run = (program: string, ...args: string[]) =>
      promisify(execFile)(process.execPath, [join(modules, program), ...args], { cwd: folder });
    const made = ['--output-ts', folder, '--name-ts', 'api'];
    await run('@open-rpc/typings/build/cli.js', '-d', file, ...made);
    const types = await readFile(join(folder, 'api.ts'), 'utf8');
    for (const name of ['AgentSubscribe', 'KvSetValue', 'TaskCreateTaskBlocking'])
      assert.match(types, `export type ${name} = (`);
    await run('typescript/bin/tsc', '--noEmit', '--strict', '--ignoreConfig', 'api.ts');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('it has every method of the enabled plugins, third-party ones included, and no other', async () => {
  app = await bootForTest(['discovery', 'token', weather]);
  const { methods } = await discover(app.superToken);
  const names = methods.map(({ name }: { name: string }) => name);
  for (const name of ['rpc.discover', 'token_get', 'weather_read', 'weather_follow'])
    assert.ok(names.includes(name), name);
  assert.not(names.some((name: string) => name.startsWith('kv_')));
  assert.equal(names, [...new Set(names)]);
});

test('a method is described with parameters, result, errors, right and example', async () => {
  app = await bootForTest(['discovery', 'token', weather]);
  const document = await discover(app.superToken);
  const read = methodNamed(document, 'weather_read');
  const right = {
    scopes: ['global'],
    permissions: [{ weather: { read: '<station>' } }],
  };
  assert.equal(read['x-access'], {
    rule: 'needs',
    words: '`weather` `read` of `<station>`, in the scope `global`.',
    credential: 'token',
    requirements: [right],
  });
  assert.equal(
    read.params.map(({ name, required }: any) => [name, required]),
    [
      ['token', true],
      ['station', true],
      ['unit', false],
    ],
  );
  assert.equal(read.params[1].schema, { type: 'string', description: 'Name of the place.' });
  const { description, ...seen } = read.result.schema.properties.seen;
  assert.is(description, 'Unsigned 64-bit integer.');
  assert.equal(seen, { type: 'integer', format: 'uint64', minimum: 0 });
  const codes = read.errors.map(({ code }: { code: number }) => code);
  assert.equal(codes, [-32602, -32008, 101, 102, 108, 999]);
  assert.equal(read.examples[0].result, { name: 'result', value: { celsius: 4.5, seen: 17 } });
  assert.equal(read.examples[1]['x-error'], { code: 108, message: 'Invalid input: empty' });
  assert.is(methodNamed(document, 'weather_list')['x-access'].rule, 'public');
  assert.is(methodNamed(document, 'rpc.discover')['x-addition'], true);
});

test('a stream names its item, its notification and the method that ends it', async () => {
  app = await bootForTest(['discovery', 'token', weather]);
  const document = await discover(app.superToken);
  const follow = methodNamed(document, 'weather_follow');
  assert.equal(follow['x-subscription'], {
    transport: 'websocket',
    notification: 'weather_follow',
    unsubscribe: 'weather_unfollow',
    item: { name: 'item', schema: { anyOf: [{ type: 'number' }, { type: 'null' }] } },
  });
  assert.equal(follow.result.schema.type, 'integer');
  assert.equal(methodNamed(document, 'weather_unfollow').params[0].name, 'subscription');
});

test('names carry the brand of this server', async () => {
  app = await bootForTest(undefined, {
    brand: { word: 'acme', permission: 'ac_me', title: 'Acme' },
  });
  const document = await discover(app.superToken);
  assert.is(document.info.title, 'Acme server');
  assert.ok(methodNamed(document, 'acme-server_hello'));
  assert.not(methodNamed(document, 'svc-server_hello'));
  const log = methodNamed(document, 'acme-server_stream_log');
  assert.is(log['x-subscription'].unsubscribe, 'acme-server_unsubscribe_stream_log');
  const { permissions } = methodNamed(document, 'acme-server_exec_sql')['x-access'].requirements[0];
  assert.equal(permissions, [{ ac_me: 'exec_sql' }]);
  const headers = { authorization: `Bearer ${app.superToken}` };
  assert.is((await app.fetch('/acme/openrpc.json', { headers })).status, 200);
});

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

test('any valid credential may read it, and nobody else', async () => {
  app = await bootForTest(['discovery', 'token', weather]);
  const token = await app.token([]);
  const expired = await app.token([], { timestamp_to: 1 });
  assert.equal(await discover(token), await discover(app.superToken));
  for (const wrong of ['x:y', expired])
    await discover(wrong).then(
      () => assert.unreachable(wrong),
      ({ code }) => assert.is(code, 102),
    );
  const document = JSON.stringify(await discover(token));
  for (const [authorization, status] of [
    [`Bearer ${token}`, 200],
    [basic(token), 200],
    [basic(`root:${app.rootPassword}`), 200],
    [`Bearer ${expired}`, 401],
    ['Bearer x:y', 401],
    [basic('x:y'), 401],
    ['Bearer', 401],
    [undefined, 401],
  ] as const) {
    const headers: Record<string, string> = authorization ? { authorization } : {};
    const answer = await app.fetch('/svc/openrpc.json', { headers });
    assert.is(answer.status, status, String(authorization));
    const text = await answer.text();
    if (status === 200) assert.is(text, document);
    else assert.match(answer.headers.get('www-authenticate') ?? '', /^Basic realm="svc"/);
  }
  const posted = await app.fetch('/svc/openrpc.json', { method: 'POST', body: '{}' });
  assert.is(posted.status, 405);
});

test('with public_discovery everybody may', async () => {
  app = await bootForTest(['discovery', 'token', weather], { public_discovery: true });
  const document = await discover();
  assert.is(methodNamed(document, 'rpc.discover')['x-access'].rule, 'public');
  const answer = await app.fetch('/svc/openrpc.json');
  assert.equal(await answer.json(), document);
});

test.run();

/** The table of routes: which one gets a request, with which parameters, and what a failure in it does. */
import { definePlugin } from '@svc/plugin-sdk';
import type { Exchange, Route } from '@svc/plugin-sdk/http';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { rawGet, rawRequest } from '../protocol/static-kit.ts';
import { suite } from '../runner/suite.ts';

const test = suite('routes');
let app: TestApp;

/** Answers with what the route was given. */
const tell = (name: string) => (exchange: Exchange) => {
  const { method, params, path, query, request } = exchange;
  exchange.text(200, JSON.stringify({ name, method, params, path, query, url: request.url }));
};
const SECRET = 'postgres://svc:geheim@db/x';
const routes: readonly Route[] = [
  { path: '/plain', handle: tell('plain') },
  { path: '/one/:id', handle: tell('one') },
  { path: '/:id/two', handle: tell('two') },
  { path: '/deep/:id/*rest', handle: tell('deep') },
  { path: '/waits', handle: async (exchange) => tell('waits')(exchange) },
  {
    path: '/throws',
    handle() {
      throw new Error(SECRET);
    },
  },
  {
    path: '/rejects',
    handle: async () => {
      throw Object.assign(new Error(SECRET), { status: 418 });
    },
  },
  {
    path: '/begun',
    async handle({ response }) {
      response.writeHead(200).write('begun');
      throw new Error(SECRET);
    },
  },
];

test.before(async () => {
  const plugin = definePlugin({
    name: 'routes',
    version: '1.0.0',
    setup: ({ hooks }) =>
      hooks.routes.tap((table) => {
        for (const route of routes) table.add(route);
      }),
  });
  app = await bootForTest([plugin]);
});
test.after(() => app.stop());

const ask = async (target: string, method = 'GET') => {
  const { status, body } = await rawRequest(app.url, rawGet(target, {}, method));
  return { status, text: body.toString() };
};
const NONE = 'none';

// biome-ignore format: one case per line
const cases: [target: string, name: string, params?: Record<string, string>][] = [
  ['/plain', 'plain', {}], ['/plain/', 'plain', {}], ['/plain?a=1&a=%zz', 'plain', {}],
  ['/PLAIN', NONE], ['/plain//', NONE], ['/plai%6e', NONE], ['/xplain', NONE], ['/plain/x', NONE],
  ['/one/a', 'one', { id: 'a' }], ['/one/a%2Fb%20', 'one', { id: 'a/b ' }], ['/one/%2541', 'one', { id: '%41' }], ['/one/', NONE], ['/one/a/b', NONE],
  // The path of two routes: the one that was added first has it, with its own parameters.
  ['/one/two', 'one', { id: 'two' }], ['/1/two', 'two', { id: '1' }],
  ['/deep/a/b/c', 'deep', { id: 'a', rest: 'b/c' }], ['/deep/a/', 'deep', { id: 'a', rest: '' }], ['/deep/__proto__/x', 'deep', { id: '__proto__', rest: 'x' }], ['/deep/a', NONE],
  ['/one/%', NONE], ['/one/%zz', NONE], ['/one/%ff', NONE], ['/deep/a/%c3%28', NONE],
  ['/plain#x', NONE], ['/one/a#b', 'one', { id: 'a#b' }],
  ['http://other.example/one/a?q=1', 'one', { id: 'a' }], ['/waits', 'waits', {}],
];

test('a path goes to its route, with parameters that are decoded once, and the request as it was sent', async () => {
  for (const [target, name, params] of cases) {
    const { status, text } = await ask(target);
    if (name === NONE) {
      assert.is(status, 405, target);
      continue;
    }
    const got = JSON.parse(text);
    assert.equal([got.name, got.params], [name, params], target);
    assert.is(got.url, target);
    assert.is(got.path + got.query, target.replace(/^http:\/\/[^/]*/, ''));
  }
});

test('a route gets every method, those that polka does not know included', async () => {
  for (const method of ['POST', 'PUT', 'OPTIONS', 'PROPFIND', 'LOCK', 'MKCOL', 'REPORT', 'PURGE'])
    assert.is(JSON.parse((await ask('/one/a', method)).text).method, method);
  assert.is((await ask('/one/a', 'HEAD')).status, 200);
});

test('a route that fails is 500 without a word of its error, which the log has; the server goes on', async () => {
  for (const path of ['/throws', '/rejects']) {
    assert.equal(await ask(path), { status: 500, text: 'Internal server error' });
    const told = app.records().filter((record) => JSON.stringify(record).includes(path));
    assert.ok(JSON.stringify(told).includes(SECRET.slice(-4)), path);
  }
  const begun = await rawRequest(app.url, rawGet('/begun')).catch((error: Error) => error);
  assert.not.match(begun instanceof Error ? begun.message : begun.body.toString(), 'geheim');
  assert.is((await ask('/plain')).status, 200);
});

test.run();

// proof: 5
// conventions.md §6 and static-http.md §A1: the root bucket among all HTTP routes.

import { definePlugin } from '@svc/plugin-sdk';
import { bootForTest } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { oneDialect } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { PLUGINS, rawGet, type StaticServer, staticServer } from './static-kit.ts';

const hello = { jsonrpc: '2.0', id: 1, method: 'svc-server_hello', params: [] };
const HELLO = { jsonrpc: '2.0', id: 1, result: 'svc Server Is Running!' };

type State = 'none' | 'root' | 'disabled';
type Answer =
  | 'page'
  | 'index'
  | 'rpc file'
  | 'file'
  | 'rpc 405'
  | 'file 405'
  | 'preflight'
  | 'rpc preflight'
  | '404'
  | 'call';

/** What answers which request, without a root bucket, with one, and with a disabled one. */
// biome-ignore format: one case per line
const rows: [method: string, path: string, none: Answer, root: Answer, disabled: Answer][] = [
  ['GET', '/', 'page', 'index', 'page'], ['GET', '/?x=1', 'page', 'index', 'page'],
  ['HEAD', '/', 'rpc 405', 'rpc 405', 'rpc 405'], ['PUT', '/', 'rpc 405', 'rpc 405', 'rpc 405'], ['OPTIONS', '/', 'rpc preflight', 'rpc preflight', 'rpc preflight'], ['POST', '/', 'call', 'call', 'call'],
  ['GET', '/svc/rpc', 'page', 'rpc file', 'page'], ['HEAD', '/svc/rpc', 'rpc 405', 'rpc 405', 'rpc 405'], ['POST', '/svc/rpc', 'call', 'call', 'call'], ['DELETE', '/svc/rpc', 'rpc 405', 'rpc 405', 'rpc 405'],
  ['GET', '/a.txt', 'rpc 405', 'file', 'rpc 405'], ['HEAD', '/a.txt', 'rpc 405', 'file', 'rpc 405'], ['GET', '/none.txt', 'rpc 405', '404', 'rpc 405'], ['GET', '/a%2Etxt', 'rpc 405', 'file', 'rpc 405'], ['GET', '//a.txt', 'rpc 405', 'file', 'rpc 405'],
  ['POST', '/a.txt', 'call', 'file 405', 'call'], ['POST', '/any', 'call', 'file 405', 'call'], ['PUT', '/a.txt', 'rpc 405', 'file 405', 'rpc 405'], ['OPTIONS', '/a.txt', 'rpc preflight', 'preflight', 'rpc preflight'], ['OPTIONS', '/any', 'rpc preflight', 'preflight', 'rpc preflight'],
  ['GET', '/svc/rpc/', 'rpc 405', 'rpc file', 'rpc 405'], ['GET', '/svc/static/', 'rpc 405', '404', 'rpc 405'], ['GET', '/svc/static//a.txt', 'rpc 405', '404', 'rpc 405'], ['GET', '/svc/static', 'rpc 405', '404', 'rpc 405'], ['POST', '/svc/static/', 'call', 'file 405', 'call'],
  ['GET', '/svc/static/r/a.txt', 'file', 'file', '404'], ['GET', '/own/route', 'file', 'file', 'file'],
];

/** A route of some other plugin: it goes before a root bucket. */
const other = definePlugin({
  name: 'other',
  version: '1.0.0',
  setup({ hooks }) {
    hooks.routes.tap((routes) =>
      routes.add({ path: '/own/route', handle: (exchange) => exchange.text(200, 'a file') }),
    );
  },
});

for (const dialect of oneDialect) {
  const test = suite(`static-http root bucket (${dialect})`);
  let server: StaticServer;

  test.before.each(async () => {
    server = await staticServer({ dialect });
  });
  test.after.each(() => server.app.stop());

  test('conventions.md §6, row by row', async () => {
    const app = await bootForTest([...PLUGINS, other], {}, { dialect });
    const token = app.superToken;
    const upload = (path: string, text: string) =>
      app.call('static-bucket-file_upload', {
        token,
        name: 'r',
        path,
        base64: Buffer.from(text).toString('base64'),
      });
    const turn = async (state: State) => {
      const enable = state !== 'disabled';
      await app.call('static-bucket_update', [token, 'r', 'r', state !== 'none', true, enable]);
    };
    try {
      await app.call('static-bucket_create', [token, 'r', 'r', false, true]);
      for (const [path, text] of [
        ['index.html', 'the index'],
        ['svc/rpc', 'a file called rpc'],
        ['a.txt', 'a file'],
      ] as const)
        await upload(path, text);
      for (const [index, state] of (['none', 'root', 'disabled'] as const).entries()) {
        await turn(state);
        for (const [method, path, ...expected] of rows) {
          const answer = await ask(app.url, method, path);
          assert.is(answer, expected[index], `${state}: ${method} ${path}`);
        }
        const socket = await app.connect('/');
        assert.equal(
          await socket.exchange(JSON.stringify(hello)),
          HELLO,
          'a WebSocket on / is JSON-RPC',
        );
        const elsewhere = await app.connect('/a.txt');
        assert.equal(await elsewhere.exchange(JSON.stringify(hello)), HELLO, 'so it is on a file');
      }
    } finally {
      await app.stop();
    }
  });

  test('the files of a root bucket: index, directories, encoded names, CORS, conditions, ranges', async () => {
    await server.bucket('r', { root: true, cors: true });
    await server.put('r/index.html', 'index');
    await server.put('r/sub dir/index.html', 'sub');
    await server.put('r/sub dir/ü.txt', 'umlaut');
    // biome-ignore format: one case per line
    const cases: [target: string, headers: Record<string, string>, status: number, body: string, location?: string][] = [
      ['/', {}, 200, 'index'], ['/index.html', {}, 200, 'index'], ['/sub%20dir/', {}, 200, 'sub'], ['/sub%20dir/%C3%BC.txt', {}, 200, 'umlaut'],
      ['/sub%20dir?q', {}, 302, 'Found', '/sub%20dir/?q'], ['//sub%20dir', {}, 302, 'Found', '/sub%20dir/'], ['///sub%20dir', {}, 302, 'Found', '/sub%20dir/'],
      ['/sub%20dir/none', {}, 404, 'File not found'], ['/%ff', {}, 400, 'Invalid URL: percent-encoded UTF-8 expected'], ['/..', {}, 400, 'Invalid input: Invalid path: path traversal detected'],
      ['/index.html', { range: 'bytes=1-2' }, 206, 'nd'], ['/', { range: 'bytes=1-2' }, 206, 'nd'], ['/', { 'if-none-match': '*' }, 304, ''],
      ['http://any.host/index.html', {}, 200, 'index'],
    ];
    for (const [target, headers, status, body, location] of cases) {
      const answer = await server.raw(rawGet(target, headers));
      assert.equal(
        [answer.status, answer.body.toString(), answer.headers['location']],
        [status, body, location],
        target,
      );
      const cors = body.startsWith('Invalid URL') ? undefined : '*';
      assert.is(answer.headers['access-control-allow-origin'], cors, target);
    }
  });

  test('a root bucket without index: GET / is 404, not the page; the next root is served at once', async () => {
    await server.bucket('r', { root: true });
    assert.is((await server.app.fetch('/')).status, 404);
    await server.put('r/index.html', 'first');
    assert.is(await (await server.app.fetch('/')).text(), 'first');
    await server.bucket('s');
    await server.put('s/index.html', 'second');
    await server.asSuper('static-bucket_update', 'r', 'r', false, false);
    await server.asSuper('static-bucket_update', 's', 's', true, false);
    assert.is(await (await server.app.fetch('/')).text(), 'second');
    await server.asSuper('static-bucket_delete', 's');
    assert.match(await (await server.app.fetch('/')).text(), 'Welcome to svc');
  });

  test('OPTIONS without CORS on an unmatched path is 405', async () => {
    await server.bucket('r', { root: true });
    const answer = await server.raw(rawGet('/x', {}, 'OPTIONS'));
    assert.equal([answer.status, answer.headers['allow']], [405, 'GET, HEAD, OPTIONS']);
  });

  test.run();
}

/** Says who answered. */
async function ask(url: string, method: string, path: string): Promise<Answer | string> {
  const isPost = method === 'POST';
  const response = await fetch(url + path, {
    method,
    headers: isPost ? { 'content-type': 'application/json' } : {},
    ...(isPost ? { body: JSON.stringify(hello) } : {}),
  });
  const { status, headers } = response;
  const text = await response.text();
  const allow = headers.get('access-control-allow-methods');
  if (status === 204) return allow === 'GET, HEAD, OPTIONS' ? 'preflight' : 'rpc preflight';
  if (status === 404) return '404';
  if (status === 405) return headers.get('allow') === 'GET, HEAD, OPTIONS' ? 'file 405' : 'rpc 405';
  if (method === 'HEAD') return headers.get('content-length') === '6' ? 'file' : `HEAD ${status}`;
  if (text.includes('Welcome to svc')) return 'page';
  if (text === JSON.stringify(HELLO)) return 'call';
  const known: Record<string, Answer> = {
    'the index': 'index',
    'a file': 'file',
    'a file called rpc': 'rpc file',
  };
  return known[text] ?? `${status} ${text}`;
}

// proof: 32
// worker-route.md: HTTP requests to scripts.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as assert from 'uvu/assert';
import { oneDialect } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import {
  eventually,
  module,
  onCall,
  onRoute,
  type ScriptServer,
  scriptServer,
  UNTIL_TOLD,
} from './js-worker-kit.ts';

const MIB = 1_048_576;
const ERROR_TYPE = 'text/plain; charset=utf-8';
const UNKNOWN = 'No js_worker bound to this route_name';

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: Buffer;
  readonly text: string;
}

/** A request with exactly this target and these headers. */
function send(
  url: string,
  target: string,
  options: {
    method?: string;
    headers?: Record<string, string | string[]>;
    body?: string | Buffer;
  } = {},
): Promise<Answer> {
  const { method = 'GET', headers = {}, body } = options;
  const { hostname, port } = new URL(url);
  return answerTo(httpRequest({ hostname, port, path: target, method, headers }), body);
}

function answerTo(request: ClientRequest, body?: string | Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const whole = Buffer.concat(chunks);
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers, body: whole, text: whole.toString() });
      });
    });
    request.end(body);
  });
}

/** Everything the server sends until it closes the connection. */
function exactly(url: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('end', () => resolve(Buffer.concat(chunks).toString()));
  });
}

const ECHO = onRoute(`return Response.json({ url: request.url, method: request.method,
  headers: Object.fromEntries(request.headers), text: await request.text(), used: request.bodyUsed,
  env, type: ctx.runType })`);

/** Targets, and what the server answers before any script runs. */
const targets: readonly (readonly [target: string, status: number, text: string | RegExp])[] = [
  ['/svc/worker-route/none', 404, UNKNOWN],
  ['/worker-route/none/x', 404, UNKNOWN],
  ['/worker-route/ECHO', 404, UNKNOWN],
  ['/worker-route/w', 404, UNKNOWN],
  ['/worker-route/%20', 400, 'route_name cannot be empty'],
  ['/worker-route//x', 400, 'route_name cannot be empty'],
  ['/svc/worker-route/%20/x', 400, 'route_name cannot be empty'],
  ['/svc/worker-route//', 400, 'route_name cannot be empty'],
  ['/worker-route/%FF', 400, 'Invalid URL: Invalid UTF-8 in `route_name`'],
  ['/svc/worker-route/%C3%28/x', 400, 'Invalid URL: Invalid UTF-8 in `route_name`'],
  ['/svc/worker-route/echo/%FF', 400, 'Invalid URL: Invalid UTF-8 in `path`'],
  ['/worker-route', 405, /POST is required/],
  ['/worker-route/', 405, /POST is required/],
  ['/svc/worker-route', 405, /POST is required/],
  ['/svc/worker-route/', 405, /POST is required/],
];

/** Bodies of `onRoute`, and what the client gets. */
const answers: readonly (readonly [
  name: string,
  body: string,
  status: number,
  text: string,
  headers: Record<string, string | undefined>,
])[] = [
  [
    'a text',
    'return new Response("hi")',
    200,
    'hi',
    { 'content-type': 'text/plain;charset=UTF-8', 'content-length': '2' },
  ],
  [
    'JSON',
    'return Response.json({ a: "ü" }, { status: 201 })',
    201,
    '{"a":"ü"}',
    { 'content-type': 'application/json' },
  ],
  [
    'bytes',
    'return new Response(new Uint8Array([65, 66]))',
    200,
    'AB',
    { 'content-type': undefined, 'content-length': '2' },
  ],
  [
    'a part of a buffer',
    'return new Response(new Uint8Array([65, 66, 67]).subarray(1))',
    200,
    'BC',
    {},
  ],
  ['nothing', 'return new Response(null, { status: 404 })', 404, '', { 'content-length': '0' }],
  ['204', 'return new Response(null, { status: 204 })', 204, '', {}],
  ['U+0000', 'return new Response("a\\0b")', 200, 'a\0b', { 'content-length': '3' }],
  ['half a pair', 'return new Response("a\\ud800")', 200, 'a\ufffd', {}],
  [
    'a form',
    'return new Response(new URLSearchParams({ a: "1 2" }))',
    200,
    'a=1+2',
    { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' },
  ],
  [
    'a Blob',
    'return new Response(new Blob(["x"], { type: "image/x" }))',
    200,
    'x',
    { 'content-type': 'image/x' },
  ],
  [
    'a stream',
    'return new Response(new ReadableStream({ async pull(c) { this.n = (this.n ?? 0) + 1; if (this.n > 3) return c.close(); await new Promise((d) => setTimeout(d, 2)); c.enqueue(new TextEncoder().encode(String(this.n))) } }))',
    200,
    '123',
    { 'content-length': '3' },
  ],
  ['the request handed back', 'return new Response(request.body)', 200, 'body', {}],
  [
    'allowed headers',
    'return new Response("x", { headers: { "cache-control": "no-cache", ETag: "\\"e\\"", "last-modified": "m", "access-control-allow-origin": "*", "access-control-allow-methods": "GET", "access-control-allow-headers": "a", "access-control-expose-headers": "b", "access-control-max-age": "5" } })',
    200,
    'x',
    {
      'cache-control': 'no-cache',
      etag: '"e"',
      'last-modified': 'm',
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET',
      'access-control-allow-headers': 'a',
      'access-control-expose-headers': 'b',
      'access-control-max-age': '5',
    },
  ],
  [
    'headers that are left out',
    'return new Response("x", { status: 302, headers: { location: "/y", vary: "a", "content-disposition": "c", "www-authenticate": "d", "transfer-encoding": "chunked", connection: "upgrade", "x-own": "1", "content-security-policy": "p" } })',
    302,
    'x',
    {
      location: undefined,
      vary: undefined,
      'content-disposition': undefined,
      'www-authenticate': undefined,
      'transfer-encoding': undefined,
      'x-own': undefined,
      'content-security-policy': undefined,
    },
  ],
  [
    'a wrong length',
    'return new Response("four", { headers: { "content-length": "1" } })',
    200,
    'four',
    { 'content-length': '4' },
  ],
  [
    'a header beyond ASCII',
    'return new Response("x", { headers: { "cache-control": "\\xe9" } })',
    200,
    'x',
    { 'cache-control': undefined },
  ],
];

/** Bodies of `onRoute` that fail: status, and the generic text. */
const failures: readonly (readonly [name: string, body: string, status: number, text: string])[] = [
  ['a throw', 'throw new Error("secret detail")', 500, 'see the log'],
  ['no Response', 'return { status: 200 }', 500, 'see the log'],
  ['a forged Response', 'return Object.create(Response.prototype)', 500, 'see the log'],
  ['undefined', '', 500, 'see the log'],
  ['Response.error()', 'return Response.error()', 500, 'see the log'],
  [
    'a body that was read',
    'const r = new Response("x"); await r.text(); return r',
    500,
    'see the log',
  ],
  [
    'a stream that fails',
    'return new Response(new ReadableStream({ pull(c) { c.error(new Error("s")) } }))',
    500,
    'see the log',
  ],
  [
    'a stream of texts',
    'return new Response(new ReadableStream({ start(c) { c.enqueue("x"); c.close() } }))',
    500,
    'see the log',
  ],
  ['an endless loop', 'for (;;);', 504, 'time limit'],
  ['an endless wait', 'await new Promise(() => {})', 504, 'time limit'],
];

for (const dialect of oneDialect) {
  const test = suite(`worker-route (${dialect})`);
  let server: ScriptServer;
  let url: string;
  test.before(async () => {
    // What is slow to arrive here is not given up for that.
    server = await scriptServer({ 'js-worker': { route_wait_ms: 300_000 } }, { dialect });
    url = server.app.url;
    await server.create('w', ECHO, { route_name: 'echo', env: { e: 1 } });
  });
  test.after(() => server.app.stop());
  test.after.each(async () => {
    await server.asSuper('js-worker_delete', { name: 't' });
    await server.untell();
  });
  const put = (script: string, rest: Record<string, unknown> = {}) =>
    server.create('t', script, { route_name: 't', ...rest });

  for (const [target, status, text] of targets) {
    test(`GET ${target} is ${status}`, async () => {
      const answer = await send(url, target);
      assert.is(answer.status, status);
      if (typeof text !== 'string') assert.match(answer.text, text);
      else {
        assert.is(answer.text, text);
        assert.is(answer.headers['content-type'], ERROR_TYPE);
        assert.is(answer.headers['access-control-allow-origin'], '*');
      }
    });
  }

  for (const prefix of ['/svc/worker-route', '/worker-route']) {
    for (const rest of [
      '/echo',
      '/echo/',
      '/echo/a/b',
      '/echo/a%2Fb//c/../d?x=1&y=%20#',
      '/%65cho/z',
      '/%20echo%20/z',
    ]) {
      test(`${prefix}${rest} reaches the script with its raw URL`, async () => {
        const answer = await send(url, `${prefix}${rest.replace('#', '')}`);
        assert.is(answer.status, 200, answer.text);
        const seen = JSON.parse(answer.text);
        assert.is(seen.url, `${url}${prefix}${rest.replace('#', '')}`);
        assert.equal(
          [seen.method, seen.text, seen.env, seen.type],
          ['GET', '', { e: 1 }, 'onRoute'],
        );
      });
    }
  }

  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'MKCOL']) {
    test(`${method} reaches the script with its body`, async () => {
      const headers = { 'content-length': '2' };
      const answer = await send(url, '/worker-route/echo', { method, headers, body: 'ü' });
      const seen = JSON.parse(answer.text);
      assert.equal([seen.method, seen.text, seen.used], [method, 'ü', true]);
    });
  }

  test('HEAD drops the body and keeps its length', async () => {
    await put(onRoute('return new Response("four")'));
    const answer = await send(url, '/worker-route/t', { method: 'HEAD' });
    assert.equal([answer.status, answer.text, answer.headers['content-length']], [200, '', '4']);
    await server.update(
      't',
      onRoute('return new Response(null, { headers: { "content-length": "77" } })'),
      { route_name: 't' },
    );
    const stated = await send(url, '/worker-route/t', { method: 'HEAD' });
    assert.is(stated.headers['content-length'], '77');
    assert.is((await send(url, '/worker-route/t')).headers['content-length'], '0');
    const both = onRoute('return new Response("four", { headers: { "content-length": "77" } })');
    await server.update('t', both, { route_name: 't' });
    const kept = await send(url, '/worker-route/t', { method: 'HEAD' });
    assert.equal([kept.text, kept.headers['content-length']], ['', '77']);
    assert.is((await send(url, '/worker-route/t')).headers['content-length'], '4');
  });

  test('TRACE is refused with a status, and the server goes on', async () => {
    assert.is((await send(url, '/worker-route/echo', { method: 'TRACE' })).status, 500);
    assert.is((await send(url, '/worker-route/echo')).status, 200);
  });

  test('the body of a GET is ignored', async () => {
    const answer = await send(url, '/worker-route/echo', {
      body: 'x',
      headers: { 'content-length': '1' },
    });
    assert.is(JSON.parse(answer.text).text, '');
  });

  test('a chunked body arrives whole', async () => {
    const headers = { 'transfer-encoding': 'chunked' };
    const answer = await send(url, '/worker-route/echo', {
      method: 'POST',
      body: 'chunks',
      headers,
    });
    assert.is(JSON.parse(answer.text).text, 'chunks');
  });

  test('headers: names in lower case, repeated ones joined, hidden ones left out', async () => {
    const answer = await send(url, '/worker-route/echo', {
      headers: {
        'X-One': ['1', '2'],
        Authorization: 'Bearer x',
        'Accept-Encoding': 'gzip',
        'Proxy-Thing': 'p',
        'Sec-Thing': 's',
        DNT: '1',
        TE: 'trailers',
        Via: 'v',
        Cookie: 'a=b',
        Origin: 'http://o',
        'X-HTTP-Method-Override': 'TRACE',
        'X-Method-Override': 'PUT',
        'ng-connecting-ip': '9.9.9.9',
        'X-Forwarded-For': '8.8.8.8',
        'X-Bytes': '\xe9',
      },
    });
    const { headers } = JSON.parse(answer.text);
    assert.equal(headers, {
      authorization: 'Bearer x',
      cookie: 'a=b',
      host: new URL(url).host,
      'ng-connecting-ip': '127.0.0.1',
      origin: 'http://o',
      'x-forwarded-for': '8.8.8.8',
      'x-method-override': 'PUT',
      'x-one': '1, 2',
    });
  });

  test('where no proxy is listed the scheme counts from this machine, and the address does not', async () => {
    for (const [proto, scheme] of [
      ['https', 'https'],
      ['HTTPS, http', 'https'],
      ['http', 'http'],
      ['wss', 'http'],
    ]) {
      const headers = { 'x-forwarded-proto': proto!, 'x-forwarded-for': '203.0.113.5' };
      const answer = JSON.parse((await send(url, '/worker-route/echo', { headers })).text);
      assert.ok(answer.url.startsWith(`${scheme}://127.0.0.1:`), answer.url);
      assert.is(answer.headers['ng-connecting-ip'], '127.0.0.1');
    }
    const target = 'http://other.example/worker-route/echo';
    const absolute = await send(url, target, { headers: { 'x-forwarded-proto': 'https' } });
    assert.ok(JSON.parse(absolute.text).url.startsWith('https://127.0.0.1:'));
  });

  test('where proxies are listed, x-forwarded-proto counts from nobody else', async () => {
    const own = await scriptServer({ trusted_proxies: ['192.0.2.1'] }, { dialect });
    try {
      const script = `export default { onRoute: (request) => new Response(request.url) };`;
      await own.create('t', script, { route_name: 't' });
      const headers = { 'x-forwarded-proto': 'https' };
      const { text } = await send(own.app.url, '/worker-route/t', { headers });
      assert.ok(text.startsWith('http://127.0.0.1:'), text);
    } finally {
      await own.app.stop();
    }
  });

  test('behind a trusted proxy its scheme, its client and its absolute target count', async () => {
    const own = await scriptServer({ trusted_proxies: ['127.0.0.1'] }, { dialect });
    try {
      const script = `export default { onRoute: (request) => new Response(
        request.url + ' ' + request.headers.get('NG-Connecting-IP')) };`;
      await own.create('t', script, { route_name: 't' });
      const { host } = new URL(own.app.url);
      const ask = async (path: string, headers: Record<string, string>) =>
        (await send(own.app.url, path, { headers })).text;
      const path = '/worker-route/t';
      for (const [proto, scheme] of [
        ['https', 'https'],
        ['HTTPS, http', 'https'],
        ['http', 'http'],
        ['', 'http'],
        ['javascript', 'http'],
      ] as const) {
        const headers = { 'x-forwarded-proto': proto, 'x-forwarded-for': '8.8.8.8, 203.0.113.5' };
        assert.is(await ask(path, headers), `${scheme}://${host}${path} 203.0.113.5`, proto);
      }
      const target = `http://other.example${path}/a?b`;
      assert.is(await ask(target, {}), `${target} 127.0.0.1`);
    } finally {
      await own.app.stop();
    }
  });

  for (const hosts of [[''], ['a b'], ['user@host'], ['a/b'], ['[::1'], ['a:b:c'], ['a', 'b']]) {
    test(`the Host ${JSON.stringify(hosts)} is 400`, async () => {
      const lines = hosts.map((host) => `host: ${host}\r\n`).join('');
      const answer = await exactly(
        url,
        `GET /worker-route/echo HTTP/1.1\r\n${lines}connection: close\r\n\r\n`,
      );
      assert.match(answer, /^HTTP\/1\.1 400 [\s\S]*Invalid Host header$/);
    });
  }

  for (const [name, body, status, text, headers] of answers) {
    test(`a response with ${name}`, async () => {
      await put(onRoute(body));
      const answer = await send(url, '/worker-route/t', { method: 'POST', body: 'body' });
      assert.is(answer.status, status, answer.text);
      assert.is(answer.text, text);
      for (const [header, value] of Object.entries(headers))
        assert.is(answer.headers[header], value, header);
    });
  }

  for (const [name, body, status, text] of failures) {
    test(`${name} is ${status}, without a word of why`, async () => {
      await put(onRoute(body), { max_run_time: status === 504 ? 500 : 20_000 });
      const answer = await send(url, '/worker-route/t');
      assert.is(answer.status, status);
      assert.is(answer.text, `Route worker execution failed: ${text}`);
      assert.is(answer.headers['content-type'], ERROR_TYPE);
      assert.is((await send(url, '/worker-route/echo')).status, 200);
    });
  }

  test('a missing handler is 500', async () => {
    await put(module('onCall: () => 1'));
    assert.is((await send(url, '/worker-route/t')).status, 500);
  });

  test('the operator may show why, and allow more headers', async () => {
    const settings = {
      route_errors: true,
      route_headers: ['Location', 'set-cookie', 'connection'],
    };
    const own = await scriptServer({ 'js-worker': settings }, { dialect });
    try {
      const script = onRoute(`if (request.method === 'POST') throw new Error('why');
        return new Response(null, { status: 302, headers: [['location', '/y'], ['vary', 'v'],
          ['connection', 'x'], ['set-cookie', 'a=1'], ['Set-Cookie', 'b=2'], ['set-cookie2', 'c=3']] })`);
      await own.create('t', script, { route_name: 't' });
      const { headers } = await send(own.app.url, '/worker-route/t');
      assert.equal([headers['location'], headers['vary']], ['/y', undefined]);
      assert.equal([headers['set-cookie'], headers['set-cookie2']], [['a=1', 'b=2'], undefined]);
      const failed = await send(own.app.url, '/worker-route/t', { method: 'POST' });
      assert.match(
        failed.text,
        /^Route worker execution failed: \[js_invoke\] Error: why\n {4}at onRoute/,
      );
    } finally {
      await own.app.stop();
    }
  });

  test('8 MiB arrive and go back with the default heap, unread or in pieces', async () => {
    const body = Buffer.alloc(8 * MIB, 'x');
    for (const [script, length] of [
      ['return new Response(String((await request.arrayBuffer()).byteLength))', undefined],
      ['return new Response(request.url.length > 0 ? "8388608" : "")', undefined],
      [
        'let n = 0; for await (const part of request.body) n += part.length; return new Response(String(n))',
        undefined,
      ],
      ['return new Response(request.clone().body === null ? "" : request.body)', body.length],
    ] as const) {
      await put(onRoute(script));
      const answer = await send(url, '/worker-route/t', { method: 'POST', body });
      assert.is(answer.status, 200, answer.text.slice(0, 200));
      if (length === undefined) assert.is(answer.text, String(body.length));
      else assert.ok(answer.body.equals(body));
      await server.asSuper('js-worker_delete', { name: 't' });
    }
  });

  test('1 MiB of text and JSON fit the default heap', async () => {
    await put(onRoute('return Response.json((await request.json()).length)'));
    const body = JSON.stringify('ü'.repeat(MIB / 4));
    const answer = await send(url, '/worker-route/t', { method: 'POST', body });
    assert.is(answer.text, String(MIB / 4));
  });

  for (const [name, headers] of [
    ['with a length', {}],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
  ] as const) {
    test(`one byte more than 8 MiB ${name} is 413`, async () => {
      const body = Buffer.alloc(8 * MIB + 1);
      const answer = await send(url, '/worker-route/echo', { method: 'POST', body, headers });
      assert.equal(
        [answer.status, answer.text],
        [413, 'Failed to read request body: length limit exceeded'],
      );
      assert.is((await send(url, '/worker-route/echo')).status, 200);
    });
  }

  test('requests leave no row, and take turns with other runs', async () => {
    await server.app.sql('delete from js_result');
    const script = `let n = 0; export default { onCall: () => ++n, onRoute: () => new Response(String(++n)) };`;
    await put(script);
    assert.is((await send(url, '/worker-route/t')).text, '1');
    assert.equal(await server.query(), []);
    assert.is((await server.run('t')).result, 2);
    const many = await Promise.all(Array.from({ length: 50 }, () => send(url, '/worker-route/t')));
    assert.is(new Set(many.map(({ text }) => text)).size, 50);
  });

  test('a full queue is 503 with retry-after', async () => {
    await put(onRoute(`${UNTIL_TOLD} return new Response("ok")`), server.waiting);
    const sent = Array.from({ length: 300 }, () => send(url, '/worker-route/t'));
    const first = await Promise.race(sent);
    assert.is(first.status, 503);
    assert.is(first.headers['retry-after'], '1');
    assert.is(first.text, 'Route worker execution failed: Worker queue full, request rejected');
    // Those that wait end with the worker, except the one that may have been handed over.
    await server.asSuper('js-worker_delete', { name: 't' });
    await server.tell();
    const all = await Promise.all(sent);
    const done = all.filter(({ status }) => status === 200).length;
    assert.ok(done === 1 || done === 2, `${done} were answered`);
  });

  test('bodies that wait are bounded together: 503 with retry-after', async () => {
    await put(onRoute(`${UNTIL_TOLD} return new Response("ok")`), server.waiting);
    const body = Buffer.alloc(8 * MIB);
    const post = () => send(url, '/worker-route/t', { method: 'POST', body });
    const sent = Array.from({ length: 18 }, post);
    const first = await Promise.race(sent.map(async (one) => ({ ...(await one) })));
    assert.equal([first.status, first.headers['retry-after']], [503, '1']);
    assert.is(first.text, 'Failed to read request body: too many bodies are held');
    await server.asSuper('js-worker_delete', { name: 't' });
    await server.tell();
    await Promise.all(sent);
    await put(onRoute('return new Response("ok")'));
    assert.is((await post()).status, 200);
  });

  test('a changed or deleted route is followed at once', async () => {
    await put(onRoute('return new Response("old")'));
    assert.is((await send(url, '/worker-route/t')).text, 'old');
    await server.update('t', onRoute('return new Response("new")'), { route_name: 't' });
    assert.is((await send(url, '/worker-route/t')).text, 'new');
    await server.update('t', onRoute('return new Response("new")'), { route_name: 't2' });
    assert.is((await send(url, '/worker-route/t')).status, 404);
    assert.is((await send(url, '/worker-route/t2')).text, 'new');
    await server.asSuper('js-worker_delete', { name: 't' });
    assert.is((await send(url, '/worker-route/t2')).status, 404);
  });

  test('a route that is deleted while a body comes leaves no context behind', async () => {
    await put(onRoute('return new Response("ok")'));
    const { hostname, port } = new URL(url);
    const path = '/worker-route/t';
    const headers = { 'content-length': '2', expect: '100-continue' };
    const request = httpRequest({ hostname, port, path, method: 'POST', headers });
    const isRead = new Promise((resolve) => request.once('continue', resolve));
    request.flushHeaders();
    await isRead;
    await server.asSuper('js-worker_delete', { name: 't' });
    assert.is((await answerTo(request, 'ab')).status, 500);
    const { workers } = await server.asSuper('js-worker_get_rt_pool');
    assert.equal(
      workers.filter((each: any) => each.script_name === 't'),
      [],
    );
  });

  test('js-worker_run with run_type route: descriptions in and out', async () => {
    await put(
      onRoute(`return new Response(JSON.stringify([request.url, request.method,
      [...request.headers], await request.text()]), { headers: { b: '2', A: '1', location: '/x' } })`),
    );
    const params = {
      url: 'http://h/p?q',
      method: 'post',
      headers: [
        { name: 'X-A', value: '1' },
        { name: 'Cookie', value: 'c' },
      ],
      body_base64: Buffer.from('body').toString('base64'),
    };
    const { result } = await server.run('t', params, { run_type: 'route' });
    assert.equal(result.headers, [
      { name: 'a', value: '1' },
      { name: 'b', value: '2' },
      { name: 'content-type', value: 'text/plain;charset=UTF-8' },
      { name: 'location', value: '/x' },
    ]);
    assert.is(result.status, 200);
    const text = Buffer.from(result.body_base64, 'base64').toString();
    assert.equal(JSON.parse(text), ['http://h/p?q', 'POST', [['x-a', '1']], 'body']);
    const bytes = await server.run(
      't',
      { method: 'PUT', body_bytes: [104, 105] },
      { run_type: 'route' },
    );
    assert.equal(JSON.parse(Buffer.from(bytes.result.body_base64, 'base64').toString()), [
      '',
      'PUT',
      [],
      'hi',
    ]);
    const empty = await server.run('t', {}, { run_type: 'route' });
    assert.equal(JSON.parse(Buffer.from(empty.result.body_base64, 'base64').toString()), [
      '',
      'GET',
      [],
      '',
    ]);
  });

  for (const [name, params, body, expected] of [
    [
      'params that are no object',
      5,
      'return new Response("")',
      /\[js_invoke\] Error: onRoute input must be an object/,
    ],
    [
      'null as params',
      null,
      'return new Response("")',
      /\[js_invoke\] Error: onRoute input must be an object/,
    ],
    [
      'a GET with a body',
      { body_base64: 'aGk=' },
      'return new Response("")',
      /\[js_invoke\] TypeError: Failed to construct 'Request': Request with GET\/HEAD method cannot have body\./,
    ],
    [
      'a banned method',
      { method: 'TRACE' },
      'return new Response("")',
      /\[js_invoke\] TypeError: This method is not allowed\./,
    ],
    ['no Response', {}, 'return 5', /\[js_invoke\] Error: onRoute must return a Response object/],
  ] as const) {
    test(`js-worker_run with run_type route and ${name} fails`, async () => {
      await put(onRoute(body));
      assert.match((await server.run('t', params, { run_type: 'route' })).error_message, expected);
    });
  }

  test('the default limits carry a browser preflight answered by the script', async () => {
    await put(
      onRoute(
        `if (request.method === 'OPTIONS') return new Response(null, { status: 200, headers: { 'access-control-allow-origin': '*' } }); return new Response('x')`,
      ),
    );
    const answer = await send(url, '/worker-route/t', { method: 'OPTIONS' });
    assert.equal([answer.status, answer.headers['access-control-allow-origin']], [200, '*']);
  });

  test('an upgrade to a WebSocket reaches the script as an ordinary request', async () => {
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'MDEyMzQ1Njc4OWFiY2RlZg==',
    };
    const answer = await send(url, '/worker-route/echo/socket', { headers });
    assert.is(answer.status, 200);
    const seen = JSON.parse(answer.text);
    assert.equal([seen.method, seen.headers.upgrade], ['GET', undefined]);
  });

  test('a client that waits for 100 hears of a refusal before it has sent a body', async () => {
    const headers = { expect: '100-continue', 'content-length': String(8 * MIB + 1) };
    const { hostname, port } = new URL(url);
    const path = '/worker-route/echo';
    const request = httpRequest({ hostname, port, path, method: 'POST', headers });
    const status = await new Promise((resolve, reject) => {
      request.on('continue', () => reject(new Error('100')));
      request.on('error', reject);
      request.on('response', (response) => resolve(response.statusCode));
      request.flushHeaders();
    });
    request.destroy();
    assert.is(status, 413);
  });

  test('a connection that is gone does not pass for one of this machine', async () => {
    await put(`const seen = new Set(); export default { onCall: () => [...seen],
      onRoute(request) { seen.add(request.headers.get('ng-connecting-ip')); return new Response('') } };`);
    const { port } = new URL(url);
    const once = (leave: boolean) =>
      new Promise<void>((resolve) => {
        const from = { port: Number(port), host: '127.0.0.1', localAddress: '127.0.0.2' };
        const socket = connect(from, () => {
          socket.write('GET /worker-route/t HTTP/1.1\r\nhost: h\r\n\r\n');
          if (leave) socket.resetAndDestroy();
        });
        socket.on('data', () => socket.destroy());
        socket.on('error', () => undefined);
        socket.on('close', () => resolve());
      });
    for (let n = 0; n < 5; n++) await once(true);
    await once(false);
    assert.equal((await server.run('t')).result, ['127.0.0.2']);
  });

  test('a fragment is no part of the URL', async () => {
    const answer = await send(url, '/worker-route/echo/a?b#c');
    assert.is(JSON.parse(answer.text).url, `${url}/worker-route/echo/a?b`);
  });

  test('the host of a target in absolute form counts for no one but a trusted proxy', async () => {
    const target = 'http://other.example/svc/worker-route/echo/a?b';
    const seen = JSON.parse((await send(url, target)).text).url;
    assert.is(seen, `${url}/svc/worker-route/echo/a?b`);
  });

  test('a client that hangs up does not end the run', async () => {
    await put(
      `let ended = 0; export default {
      async onRoute(request, env) { ${UNTIL_TOLD} ended++; return new Response('') },
      onCall: () => ended };`,
      server.waiting,
    );
    const gone = new AbortController();
    const sent = fetch(`${url}/worker-route/t`, { signal: gone.signal }).catch(() => 'hung up');
    await eventually(async () => {
      const { workers } = await server.asSuper('js-worker_get_rt_pool');
      assert.is(workers.find((each: any) => each.script_name === 't')?.active_requests, 1);
    });
    gone.abort();
    assert.is(await sent, 'hung up');
    await server.tell();
    assert.is((await server.run('t')).result, 1);
  });

  test('many requests at once run one after the other, each once, and a loop among them hurts no other', async () => {
    await put(
      `let open = 0; export default { async onRoute(request) {
        const n = Number(new URL(request.url).searchParams.get('n'));
        if (++open > 1) throw new Error('two at once');
        if (n % 20 === 19) for (;;);
        if (n % 3 === 0) await new Promise((done) => setTimeout(done, 2));
        open--; return new Response(String(n)) } };`,
      { max_run_time: 2_000 },
    );
    const all = await Promise.all(
      Array.from({ length: 40 }, async (_, n) => send(url, `/worker-route/t?n=${n}`)),
    );
    for (const [n, { status, text }] of all.entries()) {
      if (n % 20 === 19) assert.is(status, 504, `${n}: ${text}`);
      else assert.equal([status, text], [200, String(n)]);
    }
  });

  test('a request whose turn does not come is 503, and requests take no JSON-RPC connection', async () => {
    const settings = { 'js-worker': { route_wait_ms: 2_000 }, jsonrpc_max_connections: 1 };
    const own = await scriptServer(settings, { dialect });
    try {
      const slow = `let runs = 0; ${module(`onCall: () => new Promise((done) => setTimeout(done, 50, runs)),
        async onRoute(request, env) { runs++; ${UNTIL_TOLD} return new Response('x') }`)}`;
      const names = ['a', 'b'];
      for (const name of names) await own.create(name, slow, { ...own.waiting, route_name: name });
      // Each has its thread now.
      const warm: number[] = [];
      for (const name of names) warm.push(await own.start(name));
      for (const id of warm) await own.result(id);
      const get = (name: string) => send(own.app.url, `/worker-route/${name}`);
      const firsts = names.map(get);
      await eventually(async () => {
        const { workers } = await own.asSuper('js-worker_get_rt_pool');
        assert.equal(
          workers.map((each: any) => each.active_requests),
          [1, 1],
        );
      });
      const begun = Date.now();
      const waiting = Array.from({ length: 6 }, () => get('a'));
      const refused = await Promise.race(waiting);
      assert.equal([refused.status, refused.headers['retry-after']], [503, '1']);
      assert.is(
        refused.text,
        'Route worker execution failed: Worker busy, request waited too long',
      );
      assert.ok(Date.now() - begun >= 1_990);
      for (const { status } of await Promise.all(waiting)) assert.is(status, 503);
      await own.tell();
      for (const answer of await Promise.all(firsts)) assert.is(answer.status, 200);
      // Those that waited in the thread did not run later either.
      assert.is((await own.run('a')).result, 1);
    } finally {
      await own.app.stop();
    }
  });

  test('a request that no thread is free for in time is 503, and its handler does not run later', async () => {
    const own = await scriptServer(
      { 'js-worker': { route_wait_ms: 150, max_threads: 1 } },
      { dialect },
    );
    try {
      await own.create('slow', onCall(`${UNTIL_TOLD} return 1`), own.waiting);
      const script = `let runs = 0; export default { onCall: () => runs, onRoute() { runs++; return new Response('') } };`;
      await own.create('t', script, { route_name: 't' });
      const running = await own.start('slow');
      const get = () => send(own.app.url, '/worker-route/t');
      const refused = await Promise.all([get(), get()]);
      assert.equal(
        refused.map(({ status }) => status),
        [503, 503],
      );
      await own.tell();
      assert.is((await own.result(running)).result, 1);
      assert.is((await own.run('t')).result, 0);
      assert.is((await get()).status, 200);
    } finally {
      await own.app.stop();
    }
  });

  test('requests that wait for a slow worker let those of another one go first', async () => {
    const own = await scriptServer({ 'js-worker': { max_threads: 1 } }, { dialect });
    try {
      const slow = onRoute(`const begun = Date.now(); ${UNTIL_TOLD} return Response.json(begun)`);
      await own.create('slow', slow, { route_name: 'slow', ...own.waiting });
      await own.tell();
      await own.create('quick', onRoute('return Response.json(Date.now())'), {
        route_name: 'quick',
      });
      const get = (name: string) => send(own.app.url, `/worker-route/${name}`);
      for (const name of ['quick', 'slow']) assert.is((await get(name)).status, 200);
      await own.untell();
      const active = async (name: string) => {
        const { workers } = await own.asSuper('js-worker_get_rt_pool');
        return workers.find((each: any) => each.script_name === name)?.active_requests;
      };
      const all = Array.from({ length: 8 }, () => get('slow'));
      await eventually(async () => assert.is(await active('slow'), 8));
      const other = get('quick');
      await eventually(async () => assert.is(await active('quick'), 1));
      await own.tell();
      const quick = JSON.parse((await other).text);
      const begun = (await Promise.all(all)).map(({ text }) => JSON.parse(text));
      const before = begun.filter((time) => time < quick).length;
      assert.ok(before < 6, `${before} of ${begun.length} slow runs came first`);
      assert.equal(
        begun,
        begun.toSorted((a, b) => a - b),
      );
    } finally {
      await own.app.stop();
    }
  });

  test('requests that wait in a thread whose context is lost run in another one, in order', async () => {
    const script = `let runs = 0; ${onRoute(`const { search } = new URL(request.url);
      if (search === '?loop') { await new Promise((done) => setTimeout(done, 50)); for (;;); }
      return new Response(String(++runs))`)}`;
    await server.create('lost', script, { route_name: 'lost', max_run_time: 400 });
    const get = (search: string) => send(server.app.url, `/worker-route/lost${search}`);
    assert.is((await get('')).text, '1');
    const looping = get('?loop');
    const after: Promise<{ status: number; text: string }>[] = [];
    await eventually(async () => {
      const { workers } = await server.asSuper('js-worker_get_rt_pool');
      const { active_requests } = workers.find((each: any) => each.script_name === 'lost');
      assert.is(active_requests, 1);
    });
    for (let n = 0; n < 6; n++) after.push(get(''));
    assert.is((await looping).status, 504);
    assert.equal(
      (await Promise.all(after)).map(({ status }) => status),
      Array(6).fill(200),
    );
    const texts = (await Promise.all(after)).map(({ text }) => Number(text));
    assert.equal(texts.toSorted(), [1, 2, 3, 4, 5, 6]);
  });

  test('an upload that does not move is given up', async () => {
    const own = await scriptServer({}, { dialect, clock: true });
    try {
      const { port } = new URL(own.app.url);
      const headers = { 'content-length': '10' };
      await own.create('t', onRoute('return new Response("")'), { route_name: 't' });
      const path = '/worker-route/t';
      const request = httpRequest({ host: '127.0.0.1', port, path, method: 'POST', headers });
      const answer = new Promise<number | undefined>((resolve, reject) => {
        request.on('error', reject);
        request.on('response', (response) => resolve(response.statusCode));
      });
      request.write('x');
      let status: number | undefined;
      void answer.then((seen) => {
        status = seen;
      });
      await eventually(async () => {
        await own.app.clock.advance(61_000);
        assert.is(status, 400);
      });
      request.destroy();
    } finally {
      await own.app.stop();
    }
  });

  test('over TLS the scheme is https and the address the true one; the Unix socket works alike', async () => {
    const fixture = (name: string) =>
      fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
    // The path of a socket may have 103 bytes.
    const folder = await mkdtemp(join(tmpdir().length > 60 ? '/tmp' : tmpdir(), 'svc-route-'));
    const unix_socket_path = join(folder, 'svc.sock');
    const own = await scriptServer({ enable_unix_socket: true, unix_socket_path }, { dialect });
    try {
      await own.create('echo', ECHO, { route_name: 'echo' });
      const options = { socketPath: unix_socket_path, path: '/svc/worker-route/echo/u' };
      const local = JSON.parse((await answerTo(httpRequest(options))).text);
      assert.equal(
        [local.url, local.headers['ng-connecting-ip']],
        ['http://localhost/svc/worker-route/echo/u', '127.0.0.1'],
      );
      const headers = { 'x-forwarded-proto': 'https' };
      const proxied = await answerTo(httpRequest({ ...options, headers }));
      assert.is(JSON.parse(proxied.text).url, 'https://localhost/svc/worker-route/echo/u');
    } finally {
      await own.app.stop();
      await rm(folder, { recursive: true, force: true });
    }
    const tls_cert = fixture('tls-cert.pem');
    const secure = await scriptServer({}, { dialect });
    try {
      await secure.create('echo', ECHO, { route_name: 'echo' });
      const file = join(secure.app.dir, 'config.toml');
      const text = await readFile(file, 'utf8');
      const keys = `tls_cert = ${JSON.stringify(tls_cert)}\ntls_key = ${JSON.stringify(fixture('tls-key.pem'))}\n`;
      await writeFile(file, keys + text);
      await secure.app.restart();
      const { port } = new URL(secure.app.url);
      const options = {
        port,
        host: '127.0.0.1',
        path: '/worker-route/echo',
        rejectUnauthorized: false,
      };
      const seen = JSON.parse((await answerTo(httpsRequest(options))).text);
      assert.equal(
        [seen.url, seen.headers['ng-connecting-ip']],
        [`https://127.0.0.1:${port}/worker-route/echo`, '127.0.0.1'],
      );
    } finally {
      await secure.app.stop();
    }
  });

  test('another brand has its own prefix and header, and the old prefix', async () => {
    const brand = { word: 'acme', peer_header: 'x-peer' };
    const own = await scriptServer({ brand }, { dialect });
    try {
      await own.create(
        't',
        onRoute(
          'return Response.json([typeof acme, typeof acmeLog, request.headers.get("X-Peer")])',
        ),
        { route_name: 't' },
      );
      for (const prefix of ['/acme/worker-route', '/worker-route']) {
        const answer = await send(own.app.url, `${prefix}/t`);
        assert.equal(JSON.parse(answer.text), ['function', 'object', '127.0.0.1']);
      }
      assert.is((await send(own.app.url, '/svc/worker-route/t')).status, 405);
    } finally {
      await own.app.stop();
    }
  });

  test.run();
}

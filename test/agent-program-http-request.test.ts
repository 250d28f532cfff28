/** Kind http_request of the agent program (task.md §2.1, clients.md §2.8). */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import * as assert from 'uvu/assert';
import type { HttpCall } from '../agent/src/http/exchange.ts';
import { redirected } from '../agent/src/http/follow.ts';
import { readCall } from '../agent/src/tasks/http-request.ts';
import { bodyOf, startHttp, type TestHttp } from './agent-program-http-server.ts';
import { failureOf, resultOf } from './agent-program-task-kit.ts';
import { freePort } from './ports.ts';
import { suite } from './runner/suite.ts';

const test = suite('agent program: http_request');

let server: TestHttp;
/** Tells what it got; the path chooses what it answers. */
test.before(async () => {
  server = await startHttp(async (request, answer) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://test');
    if (pathname === '/echo') {
      const body = await bodyOf(request);
      const { method, url, rawHeaders } = request;
      const peer = request.socket.remoteAddress;
      answer.end(JSON.stringify({ method, url, rawHeaders, peer, body: body.toString('base64') }));
    } else if (pathname === '/redirect') {
      const status = Number(searchParams.get('status'));
      answer.writeHead(status, { location: searchParams.get('to') ?? '/echo' }).end('moved');
    } else if (pathname === '/headers') {
      answer.setHeader('Set-Cookie', ['a=1', 'b=2']);
      answer.setHeader('X-Odd', Buffer.from('é', 'utf8').toString('latin1'));
      answer.setHeader('X-Empty', '');
      answer.writeHead(404, 'Nope').end('gone');
    } else if (pathname === '/bytes') {
      answer.end(Buffer.from(searchParams.get('hex') ?? '', 'hex'));
    } else if (pathname === '/break') {
      answer.writeHead(200, { 'content-length': '10' });
      answer.write('12345', () => answer.destroy());
    } else if (pathname === '/large') {
      const chunk = Buffer.alloc(1024 * 1024, 'x');
      for (let sent = 0; sent < Number(searchParams.get('mib')); sent += 1) answer.write(chunk);
      answer.end(searchParams.get('more') ?? '');
    } else answer.end();
  });
});
test.after(() => server.stop());

const at = (path: string) => `${server.url.slice(0, -1)}${path}`;
const echo = async (more: Record<string, unknown>) =>
  JSON.parse((await resultOf('http_request', { url: at('/echo?q=1'), ...more })).body);

function headerOf({ rawHeaders }: any, name: string): string | undefined {
  const index = rawHeaders.findIndex(
    (text: string, position: number) => position % 2 === 0 && text.toLowerCase() === name,
  );
  return index < 0 ? undefined : rawHeaders[index + 1];
}

test('sends method, address and headers, the method trimmed and in capitals', async () => {
  const got = await echo({ method: ' patch ', headers: { 'X-One': '1', accept: 'text/plain' } });
  assert.is(got.method, 'PATCH');
  assert.is(got.url, '/echo?q=1');
  assert.is(headerOf(got, 'x-one'), '1');
  assert.is(headerOf(got, 'accept'), 'text/plain');
});

// [what, members of the request, body as it arrives, its content-length]
const BODIES: [string, Record<string, unknown>, string, string | undefined][] = [
  ['a text', { method: 'POST', body: 'grüße' }, 'grüße', '7'],
  ['base64', { method: 'POST', body_base64: 'AAH/' }, '\x00\x01\xff', '3'],
  ['a text with GET', { method: 'GET', body: 'x' }, 'x', '1'],
  ['a text with DELETE', { method: 'DELETE', body: 'x' }, 'x', '1'],
  ['an empty text with GET', { method: 'GET', body: '' }, '', undefined],
  ['an empty text with POST', { method: 'POST', body: '', body_base64: null }, '', '0'],
  ['no body with PUT', { method: 'PUT' }, '', '0'],
  [
    'a false length and coding',
    {
      method: 'POST',
      body: 'abc',
      headers: { 'Content-Length': '1', 'Transfer-Encoding': 'chunked' },
    },
    'abc',
    '3',
  ],
];

for (const [what, members, body, length] of BODIES) {
  test(`sends ${what}`, async () => {
    const got = await echo(members);
    const encoding = body.includes('\xff') ? 'latin1' : 'utf8';
    assert.is(got.body, Buffer.from(body, encoding).toString('base64'));
    assert.is(headerOf(got, 'content-length'), length);
    assert.is(headerOf(got, 'transfer-encoding'), undefined);
  });
}

test('gives status, header lines in order and the body, for an error status too', async () => {
  const result = await resultOf('http_request', { url: at('/headers'), method: 'get' });
  assert.equal(Object.keys(result), ['body', 'body_base64', 'headers', 'status']);
  assert.is(result.status, 404);
  assert.is(result.body, 'gone');
  assert.is(result.body_base64, null);
  assert.equal(result.headers.slice(0, 4), [
    { 'set-cookie': 'a=1' },
    { 'set-cookie': 'b=2' },
    { 'x-odd': Buffer.from('é').toString('base64') },
    { 'x-empty': '' },
  ]);
  assert.ok(result.headers.every((line: object) => Object.keys(line).length === 1));
});

// [hex of the answer's body, body, body_base64]
const ANSWERS: [string, string | null, string | null][] = [
  ['', '', null],
  ['6f6b', 'ok', null],
  ['c3a9', 'é', null],
  ['efbbbf61', '\uFEFFa', null],
  ['c3', null, 'ww=='],
  ['ff00', null, '/wA='],
];

for (const [hex, body, body_base64] of ANSWERS) {
  test(`gives the answer ${hex || '(empty)'} as ${body === null ? 'base64' : 'text'}`, async () => {
    const result = await resultOf('http_request', { url: at(`/bytes?hex=${hex}`), method: 'GET' });
    assert.is(result.body, body);
    assert.is(result.body_base64, body_base64);
  });
}

test('takes the headers of HEAD without a body', async () => {
  const result = await resultOf('http_request', { url: at('/bytes?hex=6f6b'), method: 'HEAD' });
  assert.is(result.status, 200);
  assert.is(result.body, '');
});

test('takes an answer of 64 MiB and refuses one byte more', async () => {
  const url = at('/large?mib=64');
  const result = await resultOf('http_request', { url, method: 'GET' });
  assert.is(result.body.length, 64 * 1024 * 1024);
  assert.is(
    await failureOf('http_request', { url: `${url}&more=1`, method: 'GET' }),
    'the answer is larger than 67108864 bytes',
  );
});

// [method, status, method after the redirect, body after it]
const REDIRECTS: [string, number, string, string][] = [
  ['GET', 301, 'GET', ''],
  ['POST', 301, 'GET', ''],
  ['POST', 302, 'GET', ''],
  ['PUT', 303, 'GET', ''],
  ['POST', 307, 'POST', 'data'],
  ['PUT', 308, 'PUT', 'data'],
];

for (const [method, status, then, body] of REDIRECTS) {
  test(`follows ${status} after ${method} with ${then}`, async () => {
    const url = at(`/redirect?status=${status}`);
    const headers = { 'content-type': 'text/plain', authorization: 'secret' };
    const given = method === 'GET' ? {} : { body: 'data' };
    const result = await resultOf('http_request', { url, method, headers, ...given });
    const got = JSON.parse(result.body);
    assert.is(got.method, then);
    assert.is(Buffer.from(got.body, 'base64').toString(), body);
    assert.is(headerOf(got, 'authorization'), 'secret');
    assert.is(
      headerOf(got, 'content-type'),
      method === 'GET' || then !== 'GET' ? 'text/plain' : undefined,
    );
  });
}

const call = (method: string): HttpCall => ({
  url: new URL('http://a.example/x'),
  method,
  headers: [
    ['Authorization', 's'],
    ['Cookie', 'c'],
    ['Host', 'other.example'],
    ['X-Kept', '1'],
  ],
  body: Buffer.alloc(0),
  family: 4,
});

// [location, header names that go on; undefined: not followed]
const LOCATIONS: [string | undefined, string[] | undefined][] = [
  ['/y', ['Authorization', 'Cookie', 'Host', 'X-Kept']],
  ['http://b.example/', ['X-Kept']],
  ['https://a.example/', ['X-Kept']],
  ['http://a.example:8080/', ['X-Kept']],
  ['http://[', undefined],
  [undefined, undefined],
];

for (const [location, names] of LOCATIONS) {
  test(`takes to ${location} only what is meant for it`, () => {
    const next = redirected(call('GET'), 302, location);
    assert.equal(
      next?.headers.map(([name]) => name),
      names,
    );
    if (next) assert.is(next.family, 4);
  });
}

test('takes 200 with a location as an answer', () => {
  assert.is(redirected(call('GET'), 200, '/y'), undefined);
  assert.is(redirected(call('GET'), 304, '/y'), undefined);
});

test('follows 10 redirects and no more', async () => {
  const url = at('/redirect?status=302&to=');
  const chain = (count: number) => {
    let target = '/echo';
    for (let n = 0; n < count; n += 1) {
      target = `/redirect?status=302&to=${encodeURIComponent(target)}`;
    }
    return at(target);
  };
  assert.is((await resultOf('http_request', { url: chain(10), method: 'GET' })).status, 200);
  assert.is(
    await failureOf('http_request', { url: chain(11), method: 'GET' }),
    'more than 10 redirects',
  );
  assert.is(
    await failureOf('http_request', { url: `${url}ftp://127.0.0.1/`, method: 'GET' }),
    'redirected to ftp:',
  );
});

// [ip of the task, address the server sees or undefined for a failure]
const BINDINGS: [unknown, string | undefined][] = [
  [null, '127.0.0.1'],
  [' ', '127.0.0.1'],
  ['ipv4 auto', '127.0.0.1'],
  ['IPv4  AUTO', '127.0.0.1'],
  ['127.0.0.1', '127.0.0.1'],
  ...(process.platform === 'linux' ? ([['127.0.0.9', '127.0.0.9']] as [string, string][]) : []),
  ['ipv6 auto', undefined],
  ['::1', undefined],
  ['203.0.113.7', undefined],
  ['ipv5 auto', undefined],
  ['localhost', undefined],
  [5, undefined],
];

for (const [ip, peer] of BINDINGS) {
  test(`binds to ${JSON.stringify(ip)}`, async () => {
    if (peer !== undefined) assert.is((await echo({ method: 'GET', ip })).peer, peer);
    else {
      const failure = await failureOf('http_request', { url: at('/echo'), method: 'GET', ip });
      assert.not.match(failure, /^accepted$/);
    }
  });
}

// [what, content, words of the failure]
const REFUSED: [string, unknown, RegExp][] = [
  ['no object', 'http://127.0.0.1/', /^malformed task: http_request must be an object$/],
  ['no address', { method: 'GET' }, /^malformed task: url must be a string$/],
  ['a relative address', { url: '/x', method: 'GET' }, /^malformed task: url must be an absolute/],
  ['another scheme', { url: 'file:///etc/passwd', method: 'GET' }, /^malformed task: url must be/],
  ['no method', { url: 'http://127.0.0.1/' }, /^malformed task: method must be a string$/],
  [
    'a header that is a number',
    { url: 'http://127.0.0.1/', method: 'GET', headers: { a: 1 } },
    /^malformed task: header a/,
  ],
  [
    'headers in a list',
    { url: 'http://127.0.0.1/', method: 'GET', headers: [] },
    /^malformed task: headers must/,
  ],
  [
    'two bodies',
    { url: 'http://127.0.0.1/', method: 'POST', body: '', body_base64: 'AA==' },
    /exclude each other$/,
  ],
  ['no base64', { url: 'http://127.0.0.1/', method: 'POST', body_base64: 'A*==' }, /is no base64$/],
  [
    'base64 without its end',
    { url: 'http://127.0.0.1/', method: 'POST', body_base64: 'AA' },
    /is no base64$/,
  ],
];

for (const [what, content, words] of REFUSED) {
  test(`refuses ${what}`, async () => {
    assert.match(await failureOf('http_request', content), words);
  });
}

// [what, method, headers]
const NOT_SENT: [string, string, Record<string, string>][] = [
  ['an empty method', '', {}],
  ['a method of two words', 'GET X', {}],
  ['CONNECT', 'CONNECT', {}],
  ['a header with a line break', 'GET', { 'x-a': 'b\r\nx-c: d' }],
  ['a header name with a blank', 'GET', { 'x a': 'b' }],
];

for (const [what, method, headers] of NOT_SENT) {
  test(`fails for ${what}`, async () => {
    const failure = await failureOf('http_request', { url: at('/echo'), method, headers });
    assert.not.match(failure, /^accepted$/);
    assert.not.match(failure, 'did not come');
  });
}

test('fails for a closed port and for an answer that breaks off', async () => {
  const url = `http://127.0.0.1:${await freePort()}/`;
  assert.match(await failureOf('http_request', { url, method: 'GET' }), 'ECONNREFUSED');
  const broken = await failureOf('http_request', { url: at('/break'), method: 'GET' });
  assert.match(broken, /aborted|broke off/);
});

test('fails when the server speaks no HTTP or another protocol', async () => {
  const answers = [
    'hello\r\n',
    'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
  ];
  for (const text of answers) {
    const raw = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      socket.resume();
      socket.end(text);
    }).listen(0, '127.0.0.1');
    await once(raw, 'listening');
    const url = `http://127.0.0.1:${(raw.address() as AddressInfo).port}/`;
    try {
      const headers = { connection: 'upgrade', upgrade: 'x' };
      const failure = await failureOf('http_request', { url, method: 'GET', headers });
      assert.match(failure, /Parse Error|another protocol/);
    } finally {
      await new Promise((resolve) => raw.close(resolve));
    }
  }
});

test('ignores members that it does not know', () => {
  const { method } = readCall({ url: 'http://127.0.0.1/', method: 'get', follow: true });
  assert.is(method, 'GET');
});

test.run();

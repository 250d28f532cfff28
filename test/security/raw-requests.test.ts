/** What a request on a bare socket may be: one `Host`, suites with authenticated encryption; and what pages say of windows and frames. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCiphers, connect as tlsConnect } from 'node:tls';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';

const test = suite('raw requests');
const fixture = (name: string) => new URL(`../fixtures/${name}`, import.meta.url).pathname;
const ECDSA = { tls_cert: fixture('tls-cert.pem'), tls_key: fixture('tls-key.pem') };
const RSA = { tls_cert: fixture('tls-rsa-cert.pem'), tls_key: fixture('tls-rsa-key.pem') };
const PLUGINS = ['token', 'server-info'];

async function answerOf(socket: Socket, text: string): Promise<string> {
  socket.on('error', () => {});
  socket.write(text);
  let answer = '';
  const end = once(socket, 'close');
  socket.on('data', (piece) => {
    answer += piece;
    // Taken: nothing else would end it.
    if (/^HTTP\/1\.1 (?:101|200)/.test(answer)) socket.destroy();
  });
  await end;
  return answer;
}

const BODY = '{"jsonrpc":"2.0","id":1,"method":"svc-server_hello"}';
const UPGRADE =
  'upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
const requests: readonly [what: string, line: string, rest: string, status: number][] = [
  ['GET', 'GET /svc/health HTTP/1.1', '\r\n', 200],
  [
    'POST',
    'POST / HTTP/1.1',
    `content-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`,
    200,
  ],
  ['an upgrade', 'GET / HTTP/1.1', `${UPGRADE}\r\n`, 101],
  [
    'an upgrade that is none of ours',
    'GET /svc/health HTTP/1.1',
    'upgrade: h2c\r\nconnection: upgrade\r\n\r\n',
    200,
  ],
  ['a request of HTTP/1.0', 'GET /svc/health HTTP/1.0', '\r\n', 200],
];
/** Fields between the two, so many that a parser may stop counting. */
const MANY = 'a:\r\n'.repeat(2_100);
const doubles: readonly [what: string, fields: string][] = [
  ['the same twice', 'host: a.example\r\nhost: a.example\r\n'],
  ['two of them', 'Host: a.example\r\nHOST: b.example\r\n'],
  ['an empty one', 'host: a.example\r\nhost:\r\n'],
  ['one behind 2,100 other fields', `host: a.example\r\n${MANY}host: b.example\r\n`],
];

for (const transport of ['plain', 'TLS', 'Unix socket'] as const) {
  const own = suite(`raw requests (${transport})`);
  let app: TestApp;
  const folder = mkdtempSync(join(tmpdir(), 'svc-raw-'));
  const path = join(folder, 's');
  own.before(async () => {
    const socket = { enable_unix_socket: true, unix_socket_path: path };
    const more = { plain: {}, TLS: ECDSA, 'Unix socket': socket }[transport];
    app = await bootForTest(PLUGINS, more);
  });
  own.after(async () => {
    await app.stop();
    rmSync(folder, { recursive: true });
  });

  async function dial(): Promise<Socket> {
    const { port } = new URL(app.url);
    const to = { host: '127.0.0.1', port: Number(port) };
    if (transport === 'TLS') {
      const socket = tlsConnect({ ...to, rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      return socket;
    }
    const socket = transport === 'Unix socket' ? connect(path) : connect(to);
    await once(socket, 'connect');
    return socket;
  }

  for (const [what, line, rest, status] of requests) {
    own(`${what} with one Host is ${status}`, async () => {
      const answer = await answerOf(await dial(), `${line}\r\nhost: a.example\r\n${rest}`);
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
    });
    for (const [how, fields] of doubles)
      own(`${what} with two Host fields is 400: ${how}`, async () => {
        const answer = await answerOf(await dial(), `${line}\r\n${fields}${rest}`);
        assert.match(answer, /^HTTP\/1\.1 400 [\s\S]*Invalid Host header$/);
      });
  }
  own.run();
}

/** Suites of TLS 1.2 that a client of today may offer. */
const SUITES = getCiphers()
  .filter((name) => !name.startsWith('tls_'))
  .map((name) => name.toUpperCase());
for (const [kind, files] of [
  ['ECDSA', ECDSA],
  ['RSA', RSA],
] as const)
  test(`with a certificate of ${kind} only suites with forward secrecy and authenticated encryption are taken`, async () => {
    const app = await bootForTest(PLUGINS, files);
    const taken: string[] = [];
    try {
      for (const name of SUITES) if (await takes(app, name)) taken.push(name);
    } finally {
      await app.stop();
    }
    assert.equal(taken.sort(), [
      `ECDHE-${kind}-AES128-GCM-SHA256`,
      `ECDHE-${kind}-AES256-GCM-SHA384`,
      `ECDHE-${kind}-CHACHA20-POLY1305`,
    ]);
  });

async function takes(app: TestApp, name: string): Promise<boolean> {
  const to = { host: '127.0.0.1', port: Number(new URL(app.url).port) };
  const offer = { maxVersion: 'TLSv1.2', ciphers: `${name}:@SECLEVEL=0` } as const;
  try {
    const socket = tlsConnect({ ...to, ...offer, rejectUnauthorized: false });
    const isTaken = await Promise.race([
      once(socket, 'secureConnect').then(() => true),
      once(socket, 'close').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    return isTaken;
  } catch {
    // This client does not know it, or has switched it off.
    return false;
  }
}

for (const secure of [true, false])
  test(`pages ${secure ? 'over TLS' : 'in clear'} say who may frame them, and over TLS keep windows of others away`, async () => {
    const app = await bootForTest(undefined, secure ? ECDSA : {});
    try {
      const params = [app.superToken, 'up', { title: 'Up', entries: [] }];
      const made = { jsonrpc: '2.0', id: 1, method: 'status-page_create', params };
      await ask(app, '/', JSON.stringify(made));
      for (const [path, ancestors] of [
        ['/', "'none'"],
        ['/svc/rpc', "'none'"],
        ['/svc/status/up', "'self'"],
      ] as const) {
        const headers = await ask(app, path);
        const policy = String(headers['content-security-policy']).split('; ');
        assert.ok(policy.includes(`frame-ancestors ${ancestors}`), `${path} ${policy}`);
        const opener = headers['cross-origin-opener-policy'];
        assert.is(opener, secure ? 'same-origin' : undefined, path);
      }
    } finally {
      await app.stop();
    }
  });

async function ask(app: TestApp, path: string, body?: string): Promise<IncomingMessage['headers']> {
  const send = app.url.startsWith('https:') ? secureRequest : request;
  const sent = send(`${app.url}${path}`, {
    rejectUnauthorized: false,
    agent: false,
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json' },
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  assert.is(response.statusCode, 200, path);
  return response.headers;
}

test.run();

// Host names, origins, TLS, and what proxies say of their clients.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { join } from 'node:path';
import { connect as tlsConnect } from 'node:tls';
import { definePlugin } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { freePort } from '../ports.ts';
import { suite } from '../runner/suite.ts';
import { open, shake } from './socket-kit.ts';

const test = suite('hosts, origins, TLS and proxies');
const fixture = (name: string) => new URL(`../fixtures/${name}`, import.meta.url).pathname;
const TLS = { tls_cert: fixture('tls-cert.pem'), tls_key: fixture('tls-key.pem') };
/** With an RSA key a client may ask for the exchange that has no forward secrecy. */
const RSA = { tls_cert: fixture('tls-rsa-cert.pem'), tls_key: fixture('tls-rsa-key.pem') };
const HELLO = '{"jsonrpc":"2.0","id":1,"method":"svc-server_hello"}';
const PLUGINS = ['token', 'server-info'];

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** One JSON-RPC call over POST with these headers. */
async function post(app: TestApp, headers: Record<string, string>): Promise<Answer> {
  const { hostname, port, protocol } = new URL(app.url);
  const send = protocol === 'https:' ? secureRequest : request;
  const all = { 'content-type': 'application/json', ...headers };
  const options = { host: hostname, port, method: 'POST', rejectUnauthorized: false };
  const sent = send({ ...options, agent: false, headers: all }).end(HELLO);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  for await (const piece of response.setEncoding('utf8')) text += piece;
  return { status: response.statusCode, headers: response.headers, text };
}

async function upgraded(app: TestApp, headers: readonly string[]): Promise<number> {
  const socket = await open(app);
  const status = await shake(socket, headers);
  socket.destroy();
  return status;
}

const hosts: [host: string, allowed: boolean][] = [
  ['localhost', true],
  ['localhost:2211', true],
  ['LocalHost.', true],
  ['127.0.0.1', true],
  ['203.0.113.9:80', true],
  ['[::1]:2211', true],
  ['a.example.net', true],
  ['example.net', false],
  ['evil.example', false],
  ['localhost.evil.example', false],
  ['127.0.0.1.evil.example', false],
  ['evil.example:2211', false],
];

test('allowed_hosts: other names get 421, for calls and WebSockets; addresses always pass', async () => {
  const app = await bootForTest(PLUGINS, { allowed_hosts: ['localhost', '*.Example.net'] });
  for (const [host, allowed] of hosts) {
    assert.is((await post(app, { host })).status, allowed ? 200 : 421, host);
    // The handshake of the kit has a host of its own: this one stands in its place.
    const socket = await open(app);
    socket.write(
      `GET / HTTP/1.1\r\nhost: ${host}\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
    const [answer] = await once(socket, 'data');
    assert.match(String(answer), allowed ? 'HTTP/1.1 101' : 'HTTP/1.1 421', host);
    socket.destroy();
  }
  const refused = await post(app, { host: 'evil.example' });
  assert.match(refused.text, 'allowed_hosts');
  await app.stop();
});

test('without allowed_hosts any name passes, and the log and the warnings advise the key', async () => {
  const app = await bootForTest(PLUGINS);
  for (const [host] of hosts) assert.is((await post(app, { host })).status, 200, host);
  const advised = app.records().filter(({ message }) => message.startsWith('allowed_hosts is not'));
  assert.is(advised.length, 1);
  const { warnings } = await app.call('svc-server_config_warnings', [app.superToken]);
  const found = warnings.filter(({ key }: { key?: string }) => key === 'allowed_hosts');
  assert.is(found.length, 1);
  await app.stop();
});

/** Header lines, and whether they name one host (RFC 9110 §7.2, RFC 3986 §3.2.2). */
const lines: [lines: string, isSound: boolean][] = [
  ['Host: a', true],
  ['Host: a_b-c.example:2211', true],
  ['Host: 127.0.0.1:', true],
  ['Host: [::1]:80', true],
  ['Host: [v1.a:b]', true],
  ['Host: [fe80::1%25eth0]:2211', true],
  ['Host: m%C3%BCller', true],
  ["Host: a!$&'()*+,;=~", true],
  ['Host:', true],
  ['Host: a/../b', false],
  ['Host: a/b', false],
  ['Host: a?b', false],
  ['Host: a#b', false],
  ['Host: user@a', false],
  ['Host: a b', false],
  ['Host: a%', false],
  ['Host: a%2', false],
  ['Host: a:b', false],
  ['Host: a:1:2', false],
  ['Host: ::1', false],
  ['Host: [::1', false],
  ['Host: [a/b]', false],
  ['Host: [fe80::1%eth0]', false],
  ['Host: [fe80::1%25]', false],
  ['Host: [fe80::1%25a/b]', false],
  ['Host: a"<b>', false],
  ['Host: m\u00fcller', false],
  ['Host: a\r\nHost: b', false],
  ['Host: a\r\nhost: a', false],
];

test('a Host that is no host, or stands twice, is 400: for pages, calls and WebSockets', async () => {
  const app = await bootForTest(PLUGINS);
  const upgrade =
    'upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
  const call = `content-type: application/json\r\ncontent-length: ${HELLO.length}\r\n`;
  const requests: [request: string, headers: string, body: string, sound: number][] = [
    ['GET /svc/health', '', '', 200],
    ['POST /', call, HELLO, 200],
    ['POST /', `${call}expect: 100-continue\r\n`, '', 100],
    ['GET /', upgrade, '', 101],
    ['GET /', 'upgrade: h2c\r\nconnection: upgrade\r\n', '', 200],
  ];
  for (const [line, isSound] of lines)
    for (const [request, headers, body, sound] of requests) {
      const socket = await open(app);
      socket.write(
        Buffer.from(`${request} HTTP/1.1\r\n${line}\r\n${headers}\r\n${body}`, 'latin1'),
      );
      const [answer] = await once(socket, 'data');
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(String(answer))?.[1]);
      assert.is(status, isSound ? sound : 400, `${request} ${line}`);
      socket.destroy();
    }
  await app.stop();
});

test('the configuration of a first start answers to the loopback names only', async () => {
  const text = await readFile(join(import.meta.dirname, '../../config/minimal.toml'), 'utf8');
  assert.match(text, /^allowed_hosts = \["localhost"\]/m);
});

test('allowed_origins: pages of other origins may not open a WebSocket or call; without it they may', async () => {
  const app = await bootForTest(PLUGINS, { allowed_origins: ['https://Dash.example/'] });
  const rows: [origin: string, allowed: boolean][] = [
    ['https://dash.example', true],
    ['http://dash.example', false],
    ['https://dash.example:444', false],
    ['https://evil.example', false],
    ['null', false],
    ['http://127.0.0.1', true],
  ];
  for (const [origin, allowed] of rows) {
    const status = await upgraded(app, [`origin: ${origin}`]);
    assert.is(status, allowed ? 101 : 403, origin);
    const called = await post(app, { origin, host: '127.0.0.1' });
    assert.is(called.status, allowed ? 200 : 403, origin);
  }
  assert.is(await upgraded(app, []), 101, 'an agent has no origin');
  await app.stop();
  const open = await bootForTest(PLUGINS);
  assert.is(await upgraded(open, ['origin: https://evil.example']), 101);
  await open.stop();
});

const offers: [name: string, options: object, taken: boolean][] = [
  ['TLS 1.3', { minVersion: 'TLSv1.3' }, true],
  ['ECDHE with AES-GCM', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' }, true],
  ['ECDHE with ChaCha20', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-CHACHA20-POLY1305' }, true],
  ['AES128-SHA', { maxVersion: 'TLSv1.2', ciphers: 'AES128-SHA' }, false],
  ['RSA key exchange', { maxVersion: 'TLSv1.2', ciphers: 'AES256-GCM-SHA384' }, false],
  ['TLS 1.1', { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }, false],
];

test('TLS: 1.2 and later with forward secrecy only, also after a reload', async () => {
  const port = await freePort();
  const app = await bootForTest(PLUGINS, { ...RSA, ws_listener: `127.0.0.1:${port}` });
  for (const round of ['started', 'reloaded']) {
    for (const [name, options, taken] of offers) {
      const socket = tlsConnect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options });
      const outcome = await Promise.race([
        once(socket, 'secureConnect').then(() => true),
        once(socket, 'error').then(
          () => false,
          () => false,
        ),
      ]).catch(() => false);
      assert.is(outcome, taken, `${name}, ${round}`);
      socket.destroy();
    }
    await app.reload();
  }
  await app.stop();
});

test('Strict-Transport-Security is sent over TLS where hsts_seconds is set, and nowhere else', async () => {
  const field = 'strict-transport-security';
  for (const [config, expected] of [
    [{ ...TLS, hsts_seconds: 3600 }, 'max-age=3600'],
    [TLS, undefined],
    [{ hsts_seconds: 3600 }, undefined],
  ] as const) {
    const app = await bootForTest(PLUGINS, config);
    assert.is((await post(app, {})).headers[field], expected);
    await app.stop();
  }
});

/** By trusted proxies: what is sent from 127.0.0.1, and what the server takes for the client's address and scheme. */
const forwarded: [
  trusted: string[],
  rows: [headers: Record<string, string>, address: string, secure: boolean][],
][] = [
  [
    [],
    [
      [{ 'x-forwarded-for': '203.0.113.1' }, '127.0.0.1', false],
      [{ 'x-forwarded-for': '203.0.113.1', 'x-forwarded-proto': 'https' }, '127.0.0.1', true],
    ],
  ],
  [
    ['10.0.0.0/8'],
    [[{ 'x-forwarded-for': '203.0.113.1', 'x-forwarded-proto': 'https' }, '127.0.0.1', false]],
  ],
  [
    ['127.0.0.0/8', '10.0.0.0/8'],
    [
      [{ 'x-forwarded-for': '203.0.113.1' }, '203.0.113.1', false],
      [{ 'x-forwarded-for': 'spoofed, 198.51.100.1, 203.0.113.1' }, '203.0.113.1', false],
      [{ 'x-forwarded-for': '203.0.113.1, 10.1.2.3, 127.0.0.9' }, '203.0.113.1', false],
      [{ 'x-forwarded-for': '203.0.113.1:5678' }, '203.0.113.1', false],
      [{ 'x-forwarded-for': '[2001:db8::1]:5678' }, '2001:db8::1', false],
      [{ 'x-forwarded-for': 'nonsense' }, '127.0.0.1', false],
      [{}, '127.0.0.1', false],
      [{ 'x-forwarded-proto': 'https, http' }, '127.0.0.1', true],
      [{ 'x-forwarded-proto': 'gopher' }, '127.0.0.1', false],
    ],
  ],
];

test('x-forwarded-for and -proto count from trusted proxies only, but the scheme from this machine where none is listed; the last untrusted address is the client', async () => {
  for (const [trusted_proxies, rows] of forwarded) {
    let seen = '';
    const spy = definePlugin({
      name: 'spy',
      version: '1.0.0',
      setup: ({ hooks }) =>
        hooks.request.tap((exchange) => {
          seen = `${exchange.peerAddress} ${exchange.secure}`;
          return undefined;
        }),
    });
    const app = await bootForTest([...PLUGINS, spy], { trusted_proxies });
    for (const [headers, address, secure] of rows) {
      await post(app, headers);
      assert.is(seen, `${address} ${secure}`, JSON.stringify([trusted_proxies, headers]));
    }
    await app.stop();
  }
});

test('a proxy that is no address stops the start with the name of the key', async () => {
  for (const entry of ['proxy.example', '10.0.0.0/33', '10.0.0.0/x', '']) {
    const error = await bootForTest(PLUGINS, { trusted_proxies: [entry] }).catch((found) => found);
    assert.match(String(error.message), 'trusted_proxies', entry);
  }
});

test.run();

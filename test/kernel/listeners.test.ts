import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer as createHttp, request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest, type RequestOptions as SecureOptions } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as tlsConnect } from 'node:tls';
import type { Kernel } from '@svc/plugin-sdk';
import { definePlugin, reload, Type } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { freePort } from '../ports.ts';
import { probe } from '../protocol/probe-plugin.ts';
import { suite } from '../runner/suite.ts';

const test = suite('listeners and reload');
const fixture = (name: string) => new URL(`../fixtures/${name}`, import.meta.url).pathname;
const CALL = '{"jsonrpc":"2.0","id":1,"method":"probe_hello"}';

interface Server {
  kernelOf(plugin: string): Kernel;
}
const _kernelOf = (app: TestApp) => (app.kernel as Server).kernelOf('probe');

/** A folder whose path leaves room for a socket's name: the system takes about 100 characters. */
const socketFolder = () => mkdtemp(join(tmpdir().length > 60 ? '/tmp' : tmpdir(), 'svc-unix-'));

/** Rewrites the configuration file's values as a user's editor would. */
async function edit(app: TestApp, change: (text: string) => string): Promise<void> {
  const file = join(app.dir, 'config.toml');
  await writeFile(file, change(await readFile(file, 'utf8')));
}

interface Answer {
  status: number | undefined;
  text: string;
}
function post(
  options: RequestOptions & SecureOptions,
  secure: boolean,
  call = CALL,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const send = secure ? httpsRequest : httpRequest;
    const request = send(
      { method: 'POST', path: '/', headers: { 'content-type': 'application/json' }, ...options },
      (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode, text }));
      },
    );
    request.on('error', reject);
    request.end(call);
  });
}

test('the Unix socket serves the same routes, in a folder made for it, and is removed at stop', async () => {
  const folder = await socketFolder();
  const path = join(folder, 'deep', 'svc.sock');
  const app = await bootForTest([probe], { enable_unix_socket: true, unix_socket_path: path });
  assert.is(
    (await post({ socketPath: path }, false)).text,
    '{"jsonrpc":"2.0","id":1,"result":"hello"}',
  );
  const socket = new WebSocket(`ws+unix://${path}:/`);
  await once(socket, 'open');
  const answer = once(socket, 'message');
  socket.send(CALL);
  assert.is(String((await answer)[0]), '{"jsonrpc":"2.0","id":1,"result":"hello"}');
  await app.stop();
  assert.is(await stat(path).catch(() => undefined), undefined);
  await rm(folder, { recursive: true });
});

test('a socket file that a killed server left is replaced, any other file is left alone', async () => {
  const folder = await socketFolder();
  const stale = join(folder, 'stale.sock');
  const listening = `require('net').createServer().listen(${JSON.stringify(stale)}, () => process.kill(process.pid, 'SIGKILL'))`;
  assert.is(spawnSync(process.execPath, ['-e', listening]).signal, 'SIGKILL');
  assert.ok((await stat(stale)).isSocket());
  const first = await bootForTest([probe], { enable_unix_socket: true, unix_socket_path: stale });
  assert.is((await post({ socketPath: stale }, false)).status, 200);
  await first.stop();
  const file = join(folder, 'file');
  await writeFile(file, 'precious');
  const second = await bootForTest([probe], { enable_unix_socket: true, unix_socket_path: file });
  assert.is(await readFile(file, 'utf8'), 'precious');
  assert.is(await second.call('probe_hello'), 'hello');
  await second.stop();
  await rm(folder, { recursive: true });
});

test('the Unix socket of a living server stays its own, beside a second server and after its end', async () => {
  const folder = await socketFolder();
  const path = join(folder, 'svc.sock');
  const options = { enable_unix_socket: true, unix_socket_path: path };
  const first = await bootForTest([probe], options);
  const second = await bootForTest([probe], options);
  const isOfTheFirst = async () => {
    const held = first.call('probe_hold');
    const release = '{"jsonrpc":"2.0","id":1,"method":"probe_release"}';
    let released = 0;
    while (released === 0)
      released = JSON.parse((await post({ socketPath: path }, false, release)).text).result;
    return (await held) === 'released';
  };
  assert.ok(await isOfTheFirst());
  assert.is(await second.call('probe_hello'), 'hello', 'the second one serves on its port');
  const told = second.records().filter(({ message }) => message.includes('Unix socket'));
  assert.is(told.length, 1);
  assert.match(JSON.stringify(told), /another server listens on .*svc\.sock; give this one a path/);
  await second.stop();
  assert.ok(await isOfTheFirst());
  await first.stop();
  await rm(folder, { recursive: true });
});

test('an idle connection outlasts those of the proxies in deploy/proxies', async () => {
  const app = await bootForTest([probe]);
  const { headers } = await app.fetch('/', { method: 'POST' });
  const [, seconds] = /timeout=(\d+)/.exec(headers.get('keep-alive') ?? '') ?? [];
  /** Seconds that they keep an idle connection to a server, by their manuals. */
  const kept = { Caddyfile: 120, 'traefik.yaml': 90, 'nginx.conf': 60 };
  for (const [file, theirs] of Object.entries(kept)) {
    const text = await readFile(new URL(`../../deploy/proxies/${file}`, import.meta.url), 'utf8');
    assert.not.match(text, /keepalive_timeout|idleConnTimeout|\bkeepalive \d+[smh]/, file);
    assert.ok(Number(seconds) >= theirs + 10, `${file}: ${seconds} s`);
  }
  await app.stop();
});

test('TLS: https and wss on the port, HTTP/1.1 only, plain HTTP refused, the true peer address known', async () => {
  let address = '';
  const spy = definePlugin({
    name: 'spy',
    version: '1.0.0',
    setup(kernel) {
      kernel.hooks.request.tap((exchange) => {
        address = `${exchange.peerAddress} ${exchange.secure}`;
        return undefined;
      });
    },
  });
  const app = await bootForTest([probe, spy], {
    tls_cert: fixture('tls-cert.pem'),
    tls_key: fixture('tls-key.pem'),
  });
  assert.match(app.url, /^https:/);
  const port = Number(new URL(app.url).port);
  const ca = await readFile(fixture('tls-cert.pem'));
  assert.is((await post({ host: '127.0.0.1', port, ca }, true)).status, 200);
  assert.is(address, '127.0.0.1 true');
  const socket = new WebSocket(`wss://127.0.0.1:${port}/`, { ca });
  await once(socket, 'open');
  socket.close();
  const plain = await post({ host: '127.0.0.1', port }, false).catch((error) => error);
  assert.ok(plain instanceof Error || plain.status === 400);
  const offered = tlsConnect({ host: '127.0.0.1', port, ca, ALPNProtocols: ['h2', 'http/1.1'] });
  await once(offered, 'secureConnect');
  assert.is(offered.alpnProtocol, 'http/1.1');
  offered.destroy();
  await app.stop();
});

test('a client that is gone when its request is read never passes for this machine itself', async () => {
  const seen: string[] = [];
  const spy = definePlugin({
    name: 'spy',
    version: '1.0.0',
    setup(kernel) {
      kernel.hooks.request.tap((exchange) => {
        seen.push(exchange.peerAddress);
        return undefined;
      });
    },
  });
  const app = await bootForTest([probe, spy]);
  const port = Number(new URL(app.url).port);
  for (let n = 0; n < 20; n++) {
    const socket = connect({ host: '127.0.0.1', port, localAddress: '127.0.0.2' });
    await once(socket, 'connect');
    await new Promise((sent) => socket.write('GET /x HTTP/1.1\r\nhost: x\r\n\r\n', sent));
    socket.resetAndDestroy();
  }
  await post({ host: '127.0.0.1', port, localAddress: '127.0.0.3' }, false);
  await app.stop();
  assert.ok(seen.includes('127.0.0.3'));
  const others = [...new Set(seen)].filter((address) => !/^127\.0\.0\.[23]$/.test(address));
  assert.equal(others, []);
});

test('a reload takes a renewed certificate without closing the listening socket', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-tls-'));
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  await copyFile(fixture('tls-cert.pem'), cert);
  await copyFile(fixture('tls-key.pem'), key);
  const app = await bootForTest([probe], { tls_cert: cert, tls_key: key });
  const port = Number(new URL(app.url).port);
  const subject = async () => {
    const socket = tlsConnect({ host: '127.0.0.1', port, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const { CN } = socket.getPeerCertificate().subject;
    socket.destroy();
    return CN;
  };
  assert.is(await subject(), 'localhost');
  await copyFile(fixture('tls-cert-2.pem'), cert);
  await copyFile(fixture('tls-key-2.pem'), key);
  await app.reload();
  assert.is(await subject(), 'renewed');
  await app.stop();
  await rm(folder, { recursive: true });
});

test('one of the TLS files alone is no start with plain HTTP, but none at all', async () => {
  for (const [given, other] of [
    ['tls_cert', 'tls_key'],
    ['tls_key', 'tls_cert'],
  ] as const) {
    const start = bootForTest([probe], { [given]: fixture('tls-cert.pem') });
    const error = await start.then(
      () => assert.unreachable('it started'),
      (error) => error,
    );
    assert.is(error.name, 'UserError');
    assert.match(error.message, `${given}: is set without ${other}: set both`);
  }
});

test('a reload answers running calls, then closes every WebSocket with 1001, and serves on', async () => {
  const port = await freePort();
  const app = await bootForTest([probe], { ws_listener: `127.0.0.1:${port}` });
  const [one, two] = [await app.connect(), await app.connect()];
  const held = one.call('probe_hold');
  await one.call('probe_hello');
  await two.call('probe_hello');
  const reload = app.reload();
  assert.is((await two.closed).code, 1001);
  const late = await app.connect();
  await late.call('probe_release');
  assert.is(await held, 'released');
  assert.is((await one.closed).code, 1001);
  await reload;
  assert.is(await app.call('probe_hello'), 'hello');
  await app.stop();
});

test('a reload follows a new port: the new listener is bound before the old one closes', async () => {
  const [from, to] = [await freePort(), await freePort()];
  const app = await bootForTest([probe], { ws_listener: `127.0.0.1:${from}` });
  await edit(app, (text) => text.replace(`127.0.0.1:${from}`, `127.0.0.1:${to}`));
  await app.reload();
  assert.is(app.url, `http://127.0.0.1:${to}`);
  assert.is(await app.call('probe_hello'), 'hello');
  const old = await fetch(`http://127.0.0.1:${from}/`).catch((error) => error);
  assert.instance(old, Error);
  await app.stop();
});

test('a reload to another host on the same port', async () => {
  const port = await freePort();
  const app = await bootForTest([probe], { ws_listener: `127.0.0.1:${port}` });
  await edit(app, (text) => text.replace(`127.0.0.1:${port}`, `127.0.0.2:${port}`));
  await app.reload();
  assert.is(app.url, `http://127.0.0.2:${port}`);
  assert.is(await app.call('probe_hello'), 'hello');
  await app.stop();
});

const bad: [name: string, change: (text: string, taken: number) => string][] = [
  ['an occupied port', (text, taken) => text.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${taken}`)],
  ['a foreign address', (text) => text.replace(/127\.0\.0\.1:\d+/, '192.0.2.1:2211')],
  ['a foreign address on the same port', (text) => text.replace(/127\.0\.0\.1:/, '192.0.2.1:')],
  ['text that is no TOML', () => 'this is = = not'],
  ['a missing key', (text) => text.replace(/^ws_listener.*$/m, '')],
  [
    'a missing TLS file',
    (text) => `tls_cert = "/no/such/file"\ntls_key = "/no/such/file"\n${text}`,
  ],
];
for (const [name, change] of bad) {
  test(`a reload to ${name} fails, and the old state serves on`, async () => {
    const holder = createHttp().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const taken = (holder.address() as { port: number }).port;
    const port = await freePort();
    const app = await bootForTest([probe], { ws_listener: `127.0.0.1:${port}` });
    const before = app.url;
    await edit(app, (text) => change(text, taken));
    const error = await app.reload().catch((failure: Error) => failure);
    assert.instance(error, Error);
    assert.is(app.url, before);
    assert.is(await app.call('probe_hello'), 'hello');
    await app.stop();
    holder.close();
  });
}

test('limits follow a reload', async () => {
  const app = await bootForTest([probe], {
    max_request_body_size: 1000,
    max_response_body_size: 1000,
  });
  const tooBig = await app.call('probe_raw', [5000]).catch((error) => error);
  assert.is(tooBig.code, -32008);
  await edit(app, (text) => text.replaceAll(' = 1000\n', ' = 10000\n'));
  await app.reload();
  assert.is((await app.call('probe_raw', [5000])).length, 5000);
  await app.stop();
});

test('changed keys that need a restart are named in the log', async () => {
  const strict = definePlugin({
    name: 'strict',
    version: '1.0.0',
    config: Type.Object({
      hot: Type.Integer({ default: 1 }),
      warm: reload(Type.Integer({ default: 1 })),
      cold: Type.Integer({ default: 1 }),
    }),
    reloadable: ['hot'],
    setup() {},
  });
  const app = await bootForTest([probe, strict], { strict: { hot: 1, warm: 1, cold: 1 } });
  await edit(app, (text) =>
    text
      .replace('hot = 1', 'hot = 2')
      .replace('warm = 1', 'warm = 2')
      .replace('cold = 1', 'cold = 2')
      .replace('cold = 2', 'cold = 2\ncolt = 1')
      .replace('log_filter = "info"', 'log_filter = "warn"'),
  );
  await app.reload();
  const record = app.records().find(({ message }) => message === 'changed keys need a restart');
  assert.is(record?.level, 'WARN');
  assert.is(record?.fields['keys'], 'logging.log_filter, strict.cold');
  assert.ok(app.records().some(({ message }) => /'strict\.colt' ignored/.test(message)));
  const strictKernel = (app.kernel as Server).kernelOf('strict');
  assert.equal(strictKernel.config, { hot: 2, warm: 2, cold: 1 });
  await app.stop();
});

test('a stop answers running calls, closes sockets with 1001, late ones too, and accepts nothing new', async () => {
  const app = await bootForTest([probe]);
  const url = new URL(app.url);
  const socket = await app.connect();
  const held = socket.call('probe_hold');
  await socket.call('probe_hello');
  const closed = socket.closed;
  const keep = connect(Number(url.port), url.hostname);
  await once(keep, 'connect');
  const kernel = app.kernel as {
    stop(reason: string): Promise<void>;
    call(method: string): Promise<unknown>;
  };
  const stopped = kernel.stop('test');
  const late = new WebSocket(`ws://${url.host}/`, { createConnection: () => keep });
  const lateClosed = once(late, 'close', { signal: AbortSignal.timeout(30_000) });
  assert.instance(await fetch(`${url}`).catch((error) => error), Error);
  await kernel.call('probe_release');
  assert.is(await held, 'released');
  assert.is((await closed).code, 1001);
  const [code] = await lateClosed;
  assert.is(code, 1001, 'connected before, a WebSocket only during the stop');
  await stopped;
  await app.stop();
});

test('a stop does not wait for a peer that answers no close frame and keeps its socket', async () => {
  const app = await bootForTest([probe]);
  const { hostname, port } = new URL(app.url);
  const agent = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  agent.write(
    'GET / HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  await once(agent, 'data');
  const frames: Buffer[] = [];
  agent.on('data', (chunk: Buffer) => frames.push(chunk));
  const ended = once(agent, 'end');
  await (app.kernel as { stop(reason: string): Promise<void> }).stop('test');
  await ended;
  assert.equal([...Buffer.concat(frames)], [0x88, 2, 0x03, 0xe9]);
  agent.destroy();
  await app.stop();
});

for (const [name, ends, outcome] of [
  ['answers a call over HTTP that runs', true, 'done'],
  ['cuts a call over HTTP that takes longer than it may', false, 'Error: socket hang up'],
] as const) {
  test(`a stop ${name}`, async () => {
    let entered = () => {};
    const running = new Promise<void>((resolve) => {
      entered = resolve;
    });
    const slow = definePlugin({
      name: 'slow',
      version: '1.0.0',
      namespaces: ['slow'],
      setup(kernel) {
        kernel.hooks.methods.tap((methods) =>
          methods.add('slow_call', {
            summary: 'Ends a moment after the stop began, or never.',
            params: {},
            result: Type.String(),
            access: 'public',
            handle: async () => {
              entered();
              await once(kernel.signal, 'abort');
              await new Promise((resolve) => ends && setTimeout(resolve, 100));
              return 'done';
            },
          }),
        );
      },
    });
    const app = await bootForTest([slow], { shutdown_timeout_ms: ends ? 30_000 : 300 });
    const answer = app.call('slow_call').catch(String);
    await running;
    await app.stop();
    assert.is(await answer, outcome);
  });
}

test('a stop sends answers over HTTP to their end', async () => {
  const app = await bootForTest([probe], {}, { mayHold: true });
  const { port } = new URL(app.url);
  const body = '{"jsonrpc":"2.0","id":1,"method":"probe_raw","params":[50000000]}';
  const head = `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
  const client = connect(Number(port), '127.0.0.1');
  client.write(`${head}\r\n\r\n${body}`);
  let bytes = 0;
  client.on('data', (chunk) => {
    bytes += chunk.length;
  });
  const closed = once(client, 'close');
  await once(client, 'data');
  client.pause();
  await app.call('probe_hello');
  const stopped = app.stop();
  client.resume();
  await stopped;
  await closed;
  assert.ok(bytes > 50_000_000, `${bytes} bytes`);
});

test('a peer that does not read is not answered without bound, and others are served', async () => {
  const app = await bootForTest([probe], { max_response_body_size: 20_000_000 }, { mayHold: true });
  const slow = await app.connect();
  slow.raw.pause();
  for (let at = 0; at < 200; at++) {
    slow.send(`{"jsonrpc":"2.0","id":${at},"method":"probe_raw","params":[5000000]}`);
  }
  const before = process.memoryUsage().rss;
  for (let at = 0; at < 50; at++) assert.is(await app.call('probe_hello'), 'hello');
  assert.ok(
    process.memoryUsage().rss - before < 400_000_000,
    'answers to a peer that does not read pile up',
  );
  slow.close();
  await app.stop();
});

test.run();

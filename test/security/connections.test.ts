// Silent connections: they take no place for long, and none that a caller with a credential needs.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { definePlugin } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { callOver, open, openSilent, shake, stillOpen } from './socket-kit.ts';

const test = suite('connections without a credential');
const PLUGINS = ['token', 'server-info'];
const boot = (config: Record<string, unknown>) => bootForTest(PLUGINS, config, { clock: true });
const crowd = (app: TestApp, count: number, from?: string) =>
  Promise.all(Array.from({ length: count }, () => openSilent(app, from)));

/** An agent: it opens a socket and authenticates with its first call. @returns undefined when it is turned away */
async function agent(app: TestApp, from?: string): Promise<Socket | undefined> {
  const socket = await open(app, from);
  if ((await shake(socket)) !== 101) return undefined;
  const answer = await callOver(socket, 'token_get', [app.superToken]);
  return answer.includes('"result"') ? socket : undefined;
}

function end(sockets: readonly (Socket | undefined)[]): void {
  for (const socket of sockets) socket?.destroy();
}

test('JSON-RPC places full of silent sockets of one address: the next agent gets in, from there too', async () => {
  const app = await boot({ jsonrpc_max_connections: 40 });
  const agents = [await agent(app), await agent(app)];
  const silent = await crowd(app, 38);
  const next = await agent(app);
  assert.ok(next, 'an agent from the same address');
  const other = await agent(app, '127.0.0.2');
  assert.ok(other, 'an agent from another address');
  assert.is(await stillOpen(app, silent), 36, 'each of them took the place of the longest silent');
  assert.is(agents.filter((each) => each?.destroyed).length, 0);
  end([...agents, ...silent, next, other]);
  await app.stop();
});

test('where nine tenths are taken, silence ends a socket without a credential after 5 s, else after 120 s', async () => {
  const app = await boot({ jsonrpc_max_connections: 40 });
  const few = await crowd(app, 20);
  const known = await agent(app);
  const talking = await openSilent(app);
  await app.clock.advance(60_000);
  await callOver(talking, 'svc-server_hello', []);
  await app.clock.advance(59_000);
  assert.is(await stillOpen(app, few), 20, '119 s of silence');
  await app.clock.advance(2_000);
  assert.is(await stillOpen(app, few), 0, '121 s of silence');
  assert.not(talking.destroyed, 'it called a minute ago');
  assert.not((known as Socket).destroyed, 'it has a credential');
  const many = await crowd(app, 36);
  await app.clock.advance(4_000);
  assert.is(await stillOpen(app, many), 36);
  await app.clock.advance(2_000);
  assert.ok((await stillOpen(app, many)) <= 1, 'crowded: 6 s of silence');
  assert.not((known as Socket).destroyed);
  end([...few, ...many, known, talking]);
  await app.stop();
});

test('connections of one address count only while they have no credential, and the longest silent one goes', async () => {
  const app = await boot({ admission: { strangers_per_address: 10 } });
  const known = await Promise.all(Array.from({ length: 15 }, () => agent(app)));
  assert.is(known.filter(Boolean).length, 15);
  const silent: Socket[] = [];
  for (let n = 0; n < 12; n++) silent.push(await openSilent(app));
  assert.is(await stillOpen(app, silent.slice(0, 2)), 0, 'the first two');
  const late = await agent(app);
  assert.ok(late);
  const away = await crowd(app, 5, '127.0.0.2');
  assert.is(await stillOpen(app, away), 5, 'another address');
  assert.is(known.filter((each) => each?.destroyed).length, 0);
  end([...known, ...silent, ...away, late]);
  await app.stop();
});

test('TCP connections beyond their number: the next caller and the Unix socket get in', async () => {
  const folder = await mkdtemp(join(tmpdir().length > 60 ? '/tmp' : tmpdir(), 'svc-unix-'));
  const path = join(folder, 'svc.sock');
  const unix = { enable_unix_socket: true, unix_socket_path: path };
  const app = await boot({ ...unix, admission: { max_connections: 30 } });
  const silent = await Promise.all(Array.from({ length: 60 }, () => open(app)));
  const next = await agent(app, '127.0.0.2');
  assert.ok(next);
  assert.ok((await stillOpen(app, silent)) < 30);
  const asked = request({ socketPath: path, path: '/svc/nothing' }).end();
  const [answer] = await once(asked, 'response');
  answer.resume();
  assert.is(answer.statusCode, 405);
  const told = app.records().filter(({ message }) => message === 'refused');
  assert.is(told.length, 1, 'one line for one attack');
  assert.match(told[0]?.fields['reason'] as string, 'places are scarce');
  end([...silent, next]);
  await app.stop();
  await rm(folder, { recursive: true });
});

test('what stands in a handshake or in the head of a first request is not waited for', async () => {
  const fixture = (name: string) => new URL(`../fixtures/${name}`, import.meta.url).pathname;
  const tls = { tls_cert: fixture('tls-cert.pem'), tls_key: fixture('tls-key.pem') };
  for (const [config, sent] of [
    [{}, 'GET / HTTP/1.1\r\nhost: x\r\n'],
    [tls, '\x16\x03\x01'],
  ] as const) {
    const app = await boot(config);
    const socket = await open(app);
    const sentAll = new Promise((resolve) => socket.write(sent, 'latin1', resolve));
    await sentAll;
    // The server has read it when a later connection is served.
    await new Promise((resolve) => setTimeout(resolve, 100));
    await app.clock.advance(29_000);
    assert.not(socket.destroyed);
    const closed = once(socket, 'close');
    await app.clock.advance(3_000);
    await closed;
    await app.stop();
  }
});

test('a request that takes longer than silence may last is answered', async () => {
  let answer = () => {};
  const slow = definePlugin({
    name: 'slow',
    version: '1.0.0',
    setup: ({ hooks }) =>
      hooks.routes.tap((routes) =>
        routes.add({
          path: '/slow',
          handle: (exchange) =>
            new Promise((resolve) => {
              answer = () => {
                exchange.text(200, 'at last');
                resolve();
              };
            }),
        }),
      ),
  });
  const app = await bootForTest(['token', slow], {}, { clock: true });
  const asked = app.fetch('/slow');
  const before = answer;
  while (answer === before) await new Promise((resolve) => setTimeout(resolve, 5));
  await app.clock.advance(600_000);
  answer();
  assert.is(await (await asked).text(), 'at last');
  await app.stop();
});

test('a fleet of 2,000 agents behind one address that comes back all at once gets in with the defaults', async () => {
  const app = await boot({});
  const fleet = await Promise.all(
    Array.from({ length: 2_000 }, async () => {
      const socket = await open(app);
      return (await shake(socket)) === 101 ? socket : undefined;
    }),
  );
  assert.is(fleet.filter(Boolean).length, 2_000);
  const answers = await Promise.all(
    fleet.map((socket) => callOver(socket as Socket, 'token_get', [app.superToken])),
  );
  assert.is(answers.filter((answer) => answer.includes('"result"')).length, 2_000);
  await app.clock.advance(130_000);
  assert.is(await stillOpen(app, fleet as Socket[]), 2_000, 'silent, and known');
  end(fleet);
  await app.stop();
});

test('behind a trusted proxy sockets count by the address that it states', async () => {
  const config = { trusted_proxies: ['127.0.0.0/8'], admission: { strangers_per_address: 3 } };
  const app = await boot(config);
  const through = async (client: string) => {
    const socket = await open(app);
    await shake(socket, [`x-forwarded-for: 198.51.100.99, ${client}`]);
    return socket;
  };
  const hog: Socket[] = [];
  const others: Socket[] = [];
  for (let n = 0; n < 6; n++) hog.push(await through('203.0.113.7'));
  for (let n = 0; n < 6; n++) others.push(await through(`203.0.113.${20 + n}`));
  assert.is(await stillOpen(app, hog), 3);
  assert.is(await stillOpen(app, others), 6);
  end([...hog, ...others]);
  await app.stop();
});

test('a token that holds many places leaves the ones beyond the limit to others', async () => {
  const app = await boot({ jsonrpc_max_connections: 300 });
  const key = await app.call('token_create', [
    app.superToken,
    { token_limit: [{ scopes: ['global'], permissions: [] }] },
  ]);
  const hogs = await Promise.all(
    Array.from({ length: 300 }, async () => {
      const socket = await openSilent(app);
      await callOver(socket, 'token_get', [`${key.key}:${key.secret}`]);
      return socket;
    }),
  );
  const more = await openSilent(app);
  const closed = once(more, 'close');
  await callOver(more, 'token_get', [`${key.key}:${key.secret}`]);
  await closed;
  const operator = await agent(app);
  assert.ok(operator, 'another token');
  assert.is(await stillOpen(app, hogs), 300);
  end([...hogs, operator]);
  await app.stop();
});

test.run();

/** How the agent program introduces itself: clients.md §2.4 steps 4 to 6. */

import * as assert from 'uvu/assert';
import { AGENT, type Peer, SERVER, serverConfig, soon, TOKEN } from './agent-program-kit.ts';
import { REPORT, task, withLink, withServer, worksWith } from './agent-program-running.ts';
import { suite } from './runner/suite.ts';

const test = suite('agent program: handshake');

const listening = { allow_task: true };

test('shakes hands without any header of its own', () =>
  withServer((server) =>
    withLink(serverConfig(server.url), async () => {
      const { headers } = await server.accept();
      for (const name of [
        'origin',
        'user-agent',
        'sec-websocket-protocol',
        'sec-websocket-extensions',
        'authorization',
      ]) {
        assert.is(headers[name], undefined, name);
      }
    }),
  ));

test('asks for the UUID, registers, then reports, each call with id 1 and positional params', () =>
  withServer((server) =>
    withLink(serverConfig(server.url, listening), async ({ link }) => {
      link.post('agent_report_dynamic', REPORT);
      const peer = await server.accept();
      assert.equal(await peer.next(), {
        jsonrpc: '2.0',
        id: 1,
        method: 'svc-server_uuid',
        params: [],
      });
      assert.is(peer.received, 0);
      peer.result(SERVER);
      assert.equal(await peer.next(), {
        jsonrpc: '2.0',
        id: 1,
        method: 'task_register_task',
        params: [TOKEN, AGENT],
      });
      assert.is(peer.received, 0);
      peer.result(7);
      assert.is((await peer.next()).method, 'agent_report_dynamic');
      await worksWith(peer, link);
    }),
  ));

test('does not register without allow_task', () =>
  withServer((server) =>
    withLink(serverConfig(server.url), async ({ link }) => {
      const peer = await server.welcome();
      await worksWith(peer, link);
    }),
  ));

// [what the server does instead of answering the UUID call, its act, wait before the next connection in ms]
const UUID_ANSWERS: [string, (peer: Peer) => void, number][] = [
  ['answers with an error', (p) => p.send({ jsonrpc: '2.0', id: 1, error: { code: 999 } }), 1000],
  ['answers with a number', (p) => p.result(5), 1000],
  ['answers with null', (p) => p.result(null), 1000],
  ['answers in a batch', (p) => p.send([{ jsonrpc: '2.0', id: 1, result: SERVER }]), 1000],
  ['answers in a binary frame', (p) => p.send(Buffer.from(`{"result":"${SERVER}"}`)), 1000],
  ['answers with something that is no JSON', (p) => p.send('hello'), 1000],
  ['sends a notification first', (p) => p.send(task(1)), 1000],
  ['closes with 1001', (p) => p.close(1001), 1000],
  ['drops the connection', (p) => p.terminate(), 1000],
  ['has another UUID', (p) => p.result(AGENT), 30_000],
  ['has the same UUID in upper case', (p) => p.result(SERVER.toUpperCase()), 30_000],
];

for (const [name, act, wait] of UUID_ANSWERS) {
  test(`waits ${wait} ms when the server ${name} (UUID call)`, () =>
    withServer((server) =>
      withLink(serverConfig(server.url), async ({ clock, link }) => {
        const peer = await server.accept();
        await peer.next();
        act(peer);
        assert.is(await clock.timer('reconnect'), wait);
        await soon('the end of the first connection', peer.closed);
        assert.is(server.connections, 1);
        await clock.advance(wait);
        await worksWith(await server.welcome(), link);
      }),
    ));
}

test('waits 5 s for the UUID', () =>
  withServer((server) =>
    withLink(serverConfig(server.url), async ({ clock }) => {
      const peer = await server.accept();
      await peer.next();
      assert.is(await clock.timer('reply'), 5000);
      await clock.advance(5000);
      assert.is(await clock.timer('reconnect'), 1000);
      await soon('the end of the connection', peer.closed);
    }),
  ));

const UNKNOWN = { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } };

// [what the agent knows, path of the address, word in its file, methods in the order in which it tries them]
const BRANDS: [string, string, string | undefined, string[]][] = [
  ['its file has the word', '/', 'acme', ['acme-server_uuid']],
  [
    'its address has the word',
    '/behind/acme/rpc',
    undefined,
    ['svc-server_uuid', 'acme-server_uuid'],
  ],
  ['its file has an older word', '/acme/rpc', 'old', ['old-server_uuid', 'acme-server_uuid']],
  ['its server has given up the brand', '/', 'acme', ['acme-server_uuid', 'svc-server_uuid']],
];
for (const [name, path, brand, methods] of BRANDS) {
  test(`finds the names of a server with a brand: ${name}`, () =>
    withServer((server) =>
      withLink(serverConfig(new URL(path, server.url).href, { brand }), async ({ link }) => {
        const peer = await server.accept();
        for (const [at, method] of methods.entries()) {
          assert.is((await peer.next()).method, method);
          if (at < methods.length - 1) peer.send(UNKNOWN);
        }
        peer.result(SERVER);
        await worksWith(peer, link);
      }),
    ));
}

test('says what to write where the names of a server are not found', () =>
  withServer((server) =>
    withLink(serverConfig(server.url), async ({ clock, lines }) => {
      const peer = await server.accept();
      await peer.next();
      peer.send(UNKNOWN);
      assert.is(await clock.timer('reconnect'), 1000);
      assert.match(lines.join(''), 'a server with a brand: write its word as brand');
    }),
  ));

// [what the server does instead of a proper registration, its act]
const REFUSALS: [string, (peer: Peer) => void][] = [
  ['refuses', (p) => p.send({ jsonrpc: '2.0', id: 1, error: { code: 102, message: 'no' } })],
  ['answers with id "1"', (p) => p.send({ jsonrpc: '2.0', id: '1', result: 7 })],
  ['answers with id 2', (p) => p.send({ jsonrpc: '2.0', id: 2, result: 7 })],
  ['answers with result and error', (p) => p.send({ id: 1, result: 7, error: null })],
  ['answers without result', (p) => p.send({ jsonrpc: '2.0', id: 1 })],
  ['sends a task first', (p) => p.send(task(1))],
  ['closes with 1000', (p) => p.close(1000)],
];

for (const [name, act] of REFUSALS) {
  test(`waits a second when the server ${name} (registration)`, () =>
    withServer((server) =>
      withLink(serverConfig(server.url, listening), async ({ clock, lines }) => {
        const peer = await server.welcome();
        await peer.next();
        act(peer);
        assert.is(await clock.timer('reconnect'), 1000);
        await soon('the end of the connection', peer.closed);
        assert.not.match(lines.join(''), TOKEN);
      }),
    ));
}

test('waits 5 s for the registration', () =>
  withServer((server) =>
    withLink(serverConfig(server.url, listening), async ({ clock }) => {
      const peer = await server.welcome();
      await peer.next();
      assert.is(await clock.timer('reply'), 5000);
      await clock.advance(5000);
      assert.is(await clock.timer('reconnect'), 1000);
    }),
  ));

test('waits longer after every refused registration, and starts over once one succeeded', () =>
  withServer((server) =>
    withLink(serverConfig(server.url, listening), async ({ clock }) => {
      for (const wait of [1000, 2000, 4000]) {
        const peer = await server.welcome();
        await peer.next();
        peer.send({ jsonrpc: '2.0', id: 1, error: { code: 102, message: 'no' } });
        assert.is(await clock.timer('reconnect'), wait);
        await clock.advance(wait);
      }
      const good = await server.welcome();
      await good.next();
      good.result(1);
      await clock.timer('register');
      good.close(1001);
      assert.is(await clock.timer('reconnect'), 3000);
      await clock.advance(3000);
      const bad = await server.welcome();
      await bad.next();
      bad.send({ jsonrpc: '2.0', id: 1, error: { code: 102, message: 'no' } });
      assert.is(await clock.timer('reconnect'), 1000);
    }),
  ));

test('accepts a ping before the UUID', () =>
  withServer((server) =>
    withLink(serverConfig(server.url), async ({ link }) => {
      const peer = await server.accept();
      await peer.next();
      peer.ping();
      peer.result(SERVER);
      await worksWith(peer, link);
    }),
  ));

// [frame, its sending, registered]
const ODD_REGISTRATIONS: [string, (peer: Peer) => void][] = [
  ['a ping', (p) => p.ping()],
  ['a binary frame', (p) => p.send(Buffer.from('x'))],
  ['a string as subscription id', (p) => p.result('abc')],
  ['null as subscription id', (p) => p.result(null)],
];

for (const [name, act] of ODD_REGISTRATIONS) {
  test(`takes ${name} for a registration`, () =>
    withServer((server) =>
      withLink(serverConfig(server.url, listening), async ({ link }) => {
        const peer = await server.welcome();
        await peer.next();
        act(peer);
        await worksWith(peer, link);
      }),
    ));
}

test.run();

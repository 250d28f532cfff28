/** How the agent program introduces itself: clients.md §2.4 steps 4 to 6. */

import * as assert from 'uvu/assert';
import { AGENT, type Peer, SERVER, serverConfig, soon, TOKEN } from './agent-program-kit.ts';
import { hasRead, REPORT, task, withLink, withServer, worksWith } from './agent-program-running.ts';
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

// [what the server does instead of a proper registration, its act, what the log says]
const REFUSALS: [string, (peer: Peer) => void, RegExp][] = [
  [
    'refuses for want of the right',
    (p) => p.send({ jsonrpc: '2.0', id: 1, error: { code: 102, message: `no ${TOKEN}` } }),
    /no \*\*\*.*the token needs {\\?"task\\?":\\?"listen\\?"} in the scope of this agent/,
  ],
  [
    'knows no tasks',
    (p) => p.send({ jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'unknown' } }),
    /unknown.*this server has no tasks: allow_task = false/,
  ],
  ['fails', (p) => p.send({ jsonrpc: '2.0', id: 1, error: { code: 103, message: 'db' } }), /db/],
  ['answers with id "1"', (p) => p.send({ jsonrpc: '2.0', id: '1', result: 7 }), /not an answer/],
  ['answers with id 2', (p) => p.send({ jsonrpc: '2.0', id: 2, result: 7 }), /not an answer/],
  ['answers with result and error', (p) => p.send({ id: 1, result: 7, error: null }), /error/],
  ['answers without result', (p) => p.send({ jsonrpc: '2.0', id: 1 }), /id/],
  ['answers with something that is no JSON', (p) => p.send('hello'), /not an answer: hello/],
];
const REFUSED = 'no tasks come: the registration was refused; reports go on';
const times = (lines: readonly string[], text: string) =>
  lines.filter((line) => line.includes(text)).length;

for (const [name, act, told] of REFUSALS) {
  test(`reports and tries again after 5 s when the server ${name} (registration)`, () =>
    withServer((server) =>
      withLink(serverConfig(server.url, listening), async ({ clock, link, lines }) => {
        const peer = await server.welcome();
        await peer.next();
        act(peer);
        assert.is(await clock.timer('register'), 5000);
        await worksWith(peer, link);
        assert.is(times(lines, REFUSED), 1);
        assert.match(lines.find((line) => line.includes(REFUSED)) ?? '', told);
        assert.not.match(lines.join(''), TOKEN);
        await clock.advance(5000);
        assert.is((await peer.next()).method, 'task_register_task');
        assert.is(server.connections, 1);
      }),
    ));
}

test('waits a second when the server closes the connection (registration)', () =>
  withServer((server) =>
    withLink(serverConfig(server.url, listening), async ({ clock }) => {
      const peer = await server.welcome();
      await peer.next();
      peer.close(1000);
      assert.is(await clock.timer('reconnect'), 1000);
      await soon('the end of the connection', peer.closed);
    }),
  ));

test('reports after 5 s without an answer to the registration', () =>
  withServer((server) =>
    withLink(serverConfig(server.url, listening), async ({ clock, link, lines }) => {
      const peer = await server.welcome();
      await peer.next();
      assert.is(await clock.timer('reply'), 5000);
      await clock.advance(5000);
      assert.is(await clock.timer('register'), 5000);
      await worksWith(peer, link);
      assert.match(lines.join(''), 'no answer within 5000 ms');
    }),
  ));

// [what comes before the answer, its sending]
const BEFORE: [string, (peer: Peer) => void][] = [
  ['a ping', (p) => p.ping()],
  ['a task', (p) => p.send(task(1))],
];
for (const [what, act] of BEFORE) {
  test(`takes the refusal behind ${what} for the answer to the registration`, () =>
    withServer((server) =>
      withLink(serverConfig(server.url, listening), async ({ clock, lines }) => {
        const peer = await server.welcome();
        const { id } = await peer.next();
        act(peer);
        refuse(peer, id);
        assert.is(await clock.timer('register'), 5000);
        assert.is(times(lines, REFUSED), 1);
        assert.match(lines.join(''), /"?reason"?[:=] ?"?no/);
      }),
    ));

  test(`${what} alone is no answer to the registration`, () =>
    withServer((server) =>
      withLink(serverConfig(server.url, listening), async ({ clock, lines }) => {
        const peer = await server.welcome();
        await peer.next();
        act(peer);
        await clock.timer('reply');
        await peer.hasHeard();
        await clock.advance(5000);
        assert.is(await clock.timer('register'), 5000);
        assert.match(lines.join(''), 'no answer within 5000 ms');
      }),
    ));
}

test('does a task that comes before the answer to the registration', () =>
  withServer((server) =>
    withLink(serverConfig(server.url, listening), async () => {
      const peer = await server.welcome();
      const { id } = await peer.next();
      peer.send(task(1));
      peer.send({ jsonrpc: '2.0', id, result: 7 });
      assert.is((await peer.next()).method, 'task_upload_task_result');
    }),
  ));

// [how the server treats every registration behind the first]
const UNANSWERED: [string, (peer: Peer) => void][] = [
  ['says nothing', () => {}],
  [
    'answers with the id null',
    (p) => p.send({ jsonrpc: '2.0', id: null, error: { code: 102, message: 'no' } }),
  ],
];
for (const [what, act] of UNANSWERED) {
  test(`registers after 5, 10, 20 s … 10 min where the server ${what}, and each minute once it answers`, () =>
    withServer((server) =>
      withLink(serverConfig(server.url, listening), async ({ clock, link, lines }) => {
        const peer = await server.welcome();
        refuse(peer, (await peer.next()).id);
        for (const wait of [5, 10, 20, 40, 80, 160, 320, 600, 600]) {
          while ((await clock.timer('register')) !== wait * 1000) await hasRead(peer, lines);
          for (let left = wait * 1000; left > 0; left -= 50_000) {
            assert.is(peer.received, 0, `${wait} s`);
            await clock.advance(Math.min(left, 50_000));
            if (left > 50_000) await hasRead(peer, lines);
          }
          const { method, id } = await peer.next();
          assert.is(method, 'task_register_task');
          act(peer);
          // A silent server would be asked for a pong.
          await hasRead(peer, lines);
          if (wait < 600 || times(lines, REFUSED) === 0) continue;
          peer.send({ jsonrpc: '2.0', id, result: 7 });
          await hasRead(peer, lines);
          break;
        }
        assert.is(times(lines, REFUSED), 1);
        assert.is(await clock.timer('register'), 60_000);
        await worksWith(peer, link);
      }),
    ));
}

test('a registration that is renewed and not answered is told, and sent again after 5, 10 s', () =>
  withServer((server) =>
    withLink(serverConfig(server.url, listening), async ({ clock, lines }) => {
      const peer = await server.welcome();
      await peer.next();
      peer.result(7);
      assert.is(await clock.timer('register'), 60_000);
      await clock.advance(50_000);
      await hasRead(peer, lines);
      for (const [passed, wait] of [
        [10_000, 5000],
        [5000, 10_000],
      ] as const) {
        await clock.advance(passed);
        assert.is((await peer.next()).method, 'task_register_task');
        assert.is(await clock.timer('register'), wait);
      }
      assert.match(lines.join(''), 'no answer to the registration');
    }),
  ));

const refuse = (peer: Peer, id: number) =>
  peer.send({ jsonrpc: '2.0', id, error: { code: 102, message: 'no' } });

test('registers after 5, 10, 20 s … 10 min while it is refused, logs that hourly, and takes tasks once it may', () =>
  withServer((server) =>
    withLink(serverConfig(server.url, listening), async ({ clock, link, lines }) => {
      const peer = await server.welcome();
      refuse(peer, (await peer.next()).id);
      // A silent server would be asked for a pong.
      const pass = async (ms: number) => {
        for (let left = ms; left > 0; left -= 50_000) {
          await clock.advance(Math.min(left, 50_000));
          await hasRead(peer, lines);
        }
      };
      let passed_s = 0;
      for (const wait of [5, 10, 20, 40, 80, 160, 320, 600, 600, 600, 600, 600, 600]) {
        // The answer to the one before has been read once its timer is there.
        while ((await clock.timer('register')) !== wait * 1000) await hasRead(peer, lines);
        await pass(wait * 1000 - 1);
        assert.is(peer.received, 0, `${wait} s`);
        await clock.advance(1);
        passed_s += wait;
        const { id, method, params } = await peer.next();
        assert.equal([method, params], ['task_register_task', [TOKEN, AGENT]]);
        const isLast = passed_s > 4000;
        if (isLast) peer.send({ jsonrpc: '2.0', id, result: 7 });
        else refuse(peer, id);
        await hasRead(peer, lines);
        assert.is(times(lines, REFUSED), passed_s >= 3600 ? 2 : 1, `${passed_s} s`);
        if (isLast) break;
      }
      assert.ok(passed_s > 4000);
      assert.is(times(lines, 'registered for tasks'), 1);
      assert.is(await clock.timer('register'), 60_000);
      await worksWith(peer, link);
      // Taken away again: it is told at once, and the waits begin anew.
      await pass(60_000);
      refuse(peer, (await peer.next()).id);
      await hasRead(peer, lines);
      assert.is(times(lines, REFUSED), 3);
      assert.is(await clock.timer('register'), 5000);
    }),
  ));

test('a refusal is told once for many connections', () =>
  withServer((server) =>
    withLink(serverConfig(server.url, listening), async ({ clock, lines }) => {
      for (let round = 0; round < 3; round += 1) {
        const peer = await server.welcome();
        refuse(peer, (await peer.next()).id);
        await clock.timer('register');
        peer.close(1001);
        assert.is(await clock.timer('reconnect'), 3000);
        await clock.advance(3000);
      }
      assert.is(times(lines, REFUSED), 1);
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

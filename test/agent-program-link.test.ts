/** The agent program's connection while it works and when it ends: clients.md §2.5 and §2.6. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import * as assert from 'uvu/assert';
import { Link } from '../agent/src/link.ts';
import { Outbox } from '../agent/src/outbox.ts';
import { retryWait } from '../agent/src/waits.ts';
import { startHttp } from './agent-program-http-server.ts';
import {
  AGENT,
  FakeClock,
  memoryLog,
  type Peer,
  serverConfig,
  soon,
  TOKEN,
} from './agent-program-kit.ts';
import { hasRead, REPORT, task, withLink, withServer, worksWith } from './agent-program-running.ts';
import { runtimeFor } from './agent-program-task-kit.ts';
import { freePort } from './ports.ts';
import { suite } from './runner/suite.ts';

const test = suite('agent program: one connection');

const listening = { allow_task: true };

// [how a working connection ends, the act]
const ENDS: [string, (peer: Peer) => void][] = [
  ['closes with 1000', (p) => p.close(1000)],
  ['closes with 1001', (p) => p.close(1001)],
  ['breaks', (p) => p.terminate()],
];

for (const [name, act] of ENDS) {
  test(`waits 3 s when a working connection ${name}, then connects at once`, () =>
    withServer((server) =>
      withLink(serverConfig(server.url), async ({ clock, link }) => {
        const peer = await server.welcome();
        await worksWith(peer, link);
        act(peer);
        assert.is(await clock.timer('reconnect'), 3000);
        await clock.advance(3000);
        await worksWith(await server.welcome(), link);
      }),
    ));
}

test('tries a closed port after 1, 2, 4 … 60 s, and then every 60 s', async () => {
  const port = await freePort();
  await withLink(serverConfig(`ws://127.0.0.1:${port}`), async ({ clock }) => {
    for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
      const wait = await clock.timer('reconnect');
      assert.is(wait, seconds * 1000);
      await clock.advance(wait);
    }
  });
});

test('starts with 1 s again after an outage', async () => {
  const port = await freePort();
  await withLink(serverConfig(`ws://127.0.0.1:${port}`), async ({ clock, link }) => {
    await clock.advance(await clock.timer('reconnect'));
    assert.is(await clock.timer('reconnect'), 2000);
    await withServer(
      async (server) => {
        await clock.advance(2000);
        await worksWith(await server.welcome(), link);
      },
      { port },
    );
    assert.is(await clock.timer('reconnect'), 3000);
    await clock.advance(3000);
    assert.is(await clock.timer('reconnect'), 1000);
  });
});

// [failures in a row, random, wait in ms]
const WAITS: [number, number, number][] = [
  [1, 0, 800],
  [1, 0.5, 1000],
  [1, 1, 1200],
  [2, 0, 1600],
  [6, 0.5, 32_000],
  [7, 0, 48_000],
  [7, 1, 72_000],
  [5000, 0.5, 60_000],
];

for (const [failures, random, expected] of WAITS) {
  test(`waits ${expected} ms after ${failures} failures with random ${random}`, () => {
    assert.is(
      retryWait(failures, () => random),
      expected,
    );
  });
}

test('gives up an attempt after connect_timeout_ms', async () => {
  const mute = createServer(() => {}).listen(0, '127.0.0.1');
  await once(mute, 'listening');
  const { port } = mute.address() as AddressInfo;
  try {
    await withLink(serverConfig(`ws://127.0.0.1:${port}`), async ({ clock, lines }) => {
      assert.is(await clock.timer('connect'), 1000);
      await clock.advance(1000);
      assert.is(await clock.timer('reconnect'), 1000);
      assert.match(lines.join(''), 'no connection within 1000 ms');
    });
  } finally {
    mute.close();
  }
});

test('gives up reports before results while disconnected, and the oldest of either first', () => {
  const outbox = new Outbox();
  outbox.post('result 0', { isUnique: true });
  for (let n = 1; n <= 100; n += 1) outbox.post(`report ${n}`);
  outbox.post('result 1', { isUnique: true });
  const sent: string[] = [];
  const taking = { isOpen: true, backlog: 0, send: (text: string) => sent.push(text) };
  assert.equal(outbox.attach(taking as never), { waited: 32, dropped: 70 });
  assert.equal(sent.slice(0, 2), ['result 0', 'report 71']);
  assert.equal(sent.slice(-2), ['report 100', 'result 1']);
  outbox.detach();
  for (let n = 2; n <= 35; n += 1) outbox.post(`result ${n}`, { isUnique: true });
  outbox.attach(taking as never);
  assert.equal(
    sent.slice(32),
    Array.from({ length: 32 }, (_, n) => `result ${n + 4}`),
  );
});

test('keeps a huge result alone rather than nothing, and never more than its bound', () => {
  const outbox = new Outbox();
  const large = 'x'.repeat(50 * 1024 * 1024);
  for (let n = 1; n <= 4; n += 1) outbox.post(large + n, { isUnique: true });
  const sent: string[] = [];
  const taking = { isOpen: true, backlog: 0, send: (text: string) => sent.push(text) };
  outbox.attach(taking as never);
  assert.equal(
    sent.map((text) => text.at(-1)),
    ['3', '4'],
  );
});

test('uploads a result over the next connection when the first is gone', async () => {
  const slow = await startHttp();
  try {
    await withServer((server) => {
      const config = { ...listening, allowed_tasks: new Set(['http_ping'] as const) };
      return withLink(serverConfig(server.url, config), async ({ clock }) => {
        const first = await server.welcome();
        await first.next();
        first.result(7);
        first.send(task(9, { http_ping: slow.url }));
        const { answer } = await slow.next();
        first.terminate();
        await clock.timer('reconnect');
        answer.end();
        await clock.advance(3000);
        const second = await server.welcome();
        await second.next();
        second.result(8);
        const { method, params } = await second.next();
        assert.is(method, 'task_upload_task_result');
        assert.is(params[1].task_id, 9);
        assert.is(params[1].success, true);
      });
    });
  } finally {
    await slow.stop();
  }
});

test('keeps the newest 32 messages of all kinds while disconnected', () =>
  withServer((server) =>
    withLink(serverConfig(server.url), async ({ link }) => {
      const kinds = ['agent_report_dynamic_summary', 'agent_report_dynamic'];
      for (let n = 1; n <= 199; n += 1) link.post(kinds[n % 2]!, `{"time":${n}}`);
      const peer = await server.welcome();
      for (let n = 168; n <= 199; n += 1) {
        const message = await peer.next();
        assert.is(message.method, kinds[n % 2]);
        assert.equal(message.params, [TOKEN, { time: n }]);
      }
      await worksWith(peer, link);
    }),
  ));

test('sends nothing that waited before it is registered', () =>
  withServer((server) =>
    withLink(serverConfig(server.url, listening), async ({ clock, link }) => {
      link.post('agent_report_dynamic', REPORT);
      const peer = await server.welcome();
      assert.is((await peer.next()).method, 'task_register_task');
      await clock.advance(4999);
      assert.is(peer.received, 0);
      peer.result(1);
      assert.is((await peer.next()).method, 'agent_report_dynamic');
    }),
  ));

test('registers again every 60 s on the same connection', () =>
  withServer((server) =>
    withLink(serverConfig(server.url, listening), async ({ clock, lines }) => {
      const peer = await server.welcome();
      await peer.next();
      peer.result(1);
      for (let round = 0; round < 3; round += 1) {
        assert.is(await clock.timer('register'), 60_000);
        await clock.advance(59_999);
        assert.is(peer.received, 0);
        await clock.advance(1);
        const { id, method, params } = await peer.next();
        assert.is(method, 'task_register_task');
        assert.equal(params, [TOKEN, AGENT]);
        peer.send({ jsonrpc: '2.0', id, result: round });
        // It has asked the silent server for a pong at the same time, and waits 10 s for a word.
        await hasRead(peer, lines);
      }
      assert.is(server.connections, 1);
    }),
  ));

test('asks a silent server for a pong after a minute, and stays when one comes', () =>
  withServer((server) =>
    withLink(serverConfig(server.url), async ({ clock, link }) => {
      const peer = await server.welcome();
      await worksWith(peer, link);
      await clock.advance(60_000);
      await soon('a ping', peer.pinged);
      await worksWith(peer, link);
      await clock.advance(5000);
      assert.is(server.connections, 1);
    }),
  ));

test('leaves a server that does not answer the ping within 10 s', () =>
  withServer(
    (server) =>
      withLink(serverConfig(server.url), async ({ clock, link }) => {
        const peer = await server.welcome();
        await worksWith(peer, link);
        await clock.advance(60_000);
        await soon('a ping', peer.pinged);
        await clock.advance(10_000);
        assert.is(await clock.timer('reconnect'), 3000);
      }),
    { autoPong: false },
  ));

test("logs a server's errors, also in their old style, without the token and once a minute", () =>
  withServer((server) =>
    withLink(serverConfig(server.url), async ({ clock, link, lines }) => {
      const peer = await server.welcome();
      const refused = { jsonrpc: '2.0', id: 1, error: { code: 102, message: `no ${TOKEN} here` } };
      for (let n = 0; n < 5; n += 1) peer.send(refused);
      peer.result({ error_id: 103, error_message: 'old style' });
      peer.result({ error_id: 'x', error_message: 'no error' });
      peer.send(task(1));
      await hasRead(peer, lines);
      await worksWith(peer, link);
      await clock.advance(60_000);
      peer.send(refused);
      peer.close(1000);
      await clock.timer('reconnect');
      const isRead = /message="?read/;
      const errors = lines.filter((line) => line.includes(' ERROR ') && !isRead.test(line));
      assert.is(errors.length, 3, errors.join(''));
      assert.match(errors[0]!, 'code=102 message="no *** here"');
      assert.match(errors[1]!, 'code=103 message="old style"');
      assert.match(errors[2]!, 'repeated=4');
      assert.not.match(lines.join(''), TOKEN);
    }),
  ));

test('never sends a slow server more than the network takes, and loses only old messages', () =>
  withServer((slow) =>
    withServer((fast) =>
      withLink(serverConfig(slow.url), ({ link: slowLink }) =>
        withLink(serverConfig(fast.url), async ({ link: fastLink }) => {
          const slowPeer = await slow.welcome();
          const fastPeer = await fast.welcome();
          await worksWith(slowPeer, slowLink);
          slowPeer.pause();
          const padding = 'x'.repeat(256 * 1024);
          const last = 119;
          for (let n = 0; n <= last; n += 1) {
            const data = JSON.stringify({ n, padding });
            slowLink.post('agent_report_dynamic', data);
            await worksWith(fastPeer, fastLink, data);
          }
          slowPeer.resume();
          const arrived: number[] = [];
          while (arrived.at(-1) !== last) arrived.push((await slowPeer.next()).params[1].n);
          assert.ok(arrived.length < last, `${arrived.length} messages arrived`);
          assert.equal(
            arrived.slice(-32),
            Array.from({ length: 32 }, (_, index) => last - 31 + index),
          );
        }),
      ),
    ),
  ));

test('says goodbye with code 1000 when it is stopped, and leaves no timer behind', () =>
  withServer(async (server) => {
    const clock = new FakeClock();
    const { log } = memoryLog();
    const stop = new AbortController();
    const link = new Link({
      server: serverConfig(server.url, listening),
      agent_uuid: AGENT,
      connect_timeout_ms: 1000,
      clock,
      time: () => 0,
      log,
      runtime: runtimeFor(clock),
    });
    const running = link.run(stop.signal);
    const peer = await server.welcome();
    await peer.next();
    peer.result(1);
    await worksWith(peer, link);
    stop.abort();
    assert.is(await soon('the close frame', peer.closed), 1000);
    await soon('the end of the link', running);
    await clock.advance(0);
    assert.equal(clock.labels(), []);
  }));

test.run();

/** Monitors that servers place at the agent program: what it takes, what it reports, and what it does while a server is away. */

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import * as assert from 'uvu/assert';
import { Results } from '../agent/src/places/results.ts';
import type { Measured } from '../agent/src/places/wire.ts';
import type { TaskKind } from '../agent/src/task-kinds.ts';
import { AGENT, type FakeClock, type Peer, serverConfig, TOKEN } from './agent-program-kit.ts';
import { REPORT, withLink, withServer, worksWith } from './agent-program-running.ts';
import { freePort } from './ports.ts';
import { suite } from './runner/suite.ts';

const test = suite('agent program: monitors');

const placed = (kinds: readonly TaskKind[] = ['tcp_ping']) => ({
  ...{ allow_monitor: true, allowed_tasks: new Set(kinds) },
});
const check = (monitor: number, port: number, over: object = {}) => ({
  ...{ monitor, version: 1, interval_s: 5, timeout_s: 2, retries: 1, retry_s: 5 },
  ...{ recover_after: 1, upside_down: false, condition: 'true', host: '127.0.0.1' },
  spec: { kind: 'tcp', host: '127.0.0.1', port, tls: false },
  ...over,
});
const item = (clock: FakeClock, over: object) => ({
  jsonrpc: '2.0',
  method: 'monitor_register',
  params: {
    subscription: 9,
    result: { time: clock.now(), whole: false, checks: [], gone: [], now: [], ...over },
  },
});
const answer = (id: number, result: unknown) => ({ jsonrpc: '2.0', id, result });
const refusal = (code: number) => ({
  ...{ jsonrpc: '2.0', id: 1001, error: { code, message: 'no' } },
});

/** Takes the registration of the agent, and places checks at it. */
async function places(peer: Peer, clock: FakeClock, checks: readonly object[]): Promise<void> {
  const { method } = await peer.next();
  assert.is(method, 'monitor_register');
  peer.send(answer(1001, 9));
  peer.send(item(clock, { whole: true, checks }));
  await peer.hasHeard();
}

/** Moves time until the agent has sent something. */
async function nextOf(peer: Peer, clock: FakeClock, most_s = 60): Promise<any> {
  for (let second = 0; second < most_s && peer.received === 0; second++) {
    await new Promise((wake) => setTimeout(wake, 10));
    await clock.advance(1_000);
  }
  return peer.received > 0 ? peer.next() : undefined;
}

async function withTarget(use: (port: number) => Promise<void>): Promise<void> {
  const server = createServer((socket) => socket.on('error', () => {}).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await use((server.address() as AddressInfo).port);
  await new Promise((resolve) => server.close(resolve));
}

test('registers with the kinds that its file allows, beside which tasks need not be', () =>
  withServer((server) =>
    withLink(serverConfig(server.url, placed(['dns', 'execute', 'tcp_ping'])), async () => {
      assert.equal(await (await server.welcome()).next(), {
        jsonrpc: '2.0',
        id: 1001,
        method: 'monitor_register',
        params: [TOKEN, AGENT, ['tcp_ping', 'dns']],
      });
    }),
  ));

for (const [name, over] of [
  ['refuses to be a place', { allow_monitor: false, allowed_tasks: new Set<TaskKind>(['dns']) }],
  ['allows no kind of check', placed(['execute'])],
] as const)
  test(`does not register where its file ${name}`, () =>
    withServer((server) =>
      withLink(serverConfig(server.url, over), async ({ link }) =>
        worksWith(await server.welcome(), link, REPORT),
      ),
    ));

test('tells its refusal where tasks of such kinds are allowed, which would stand in for checks', () =>
  withServer((server) => {
    const over = {
      allow_task: true,
      allow_monitor: false,
      allowed_tasks: new Set<TaskKind>(['dns']),
    };
    return withLink(serverConfig(server.url, over), async ({ clock }) => {
      const peer = await server.welcome();
      assert.is((await peer.next()).method, 'task_register_task');
      peer.result(5);
      const { method, params } = await peer.next();
      assert.equal([method, params[2]], ['monitor_register', []]);
      peer.send(answer(1001, 9));
      peer.send(item(clock, { whole: true, checks: [check(1, 9)] }));
      await peer.hasHeard();
      assert.not(clock.labels().includes('checks'));
    });
  }));

test('is silent about a server that has no monitors, and asks it no more', () =>
  withServer((server) =>
    withLink(serverConfig(server.url, placed()), async ({ clock, lines }) => {
      const peer = await server.welcome();
      await peer.next();
      peer.send(refusal(-32601));
      await peer.hasHeard();
      assert.is(await nextOf(peer, clock, 50), undefined);
      assert.not(lines.some((line) => line.includes('monitors')));
    }),
  ));

test('says once that it is refused, and tries again', () =>
  withServer((server) =>
    withLink(serverConfig(server.url, placed()), async ({ clock, lines }) => {
      const peer = await server.welcome();
      for (let times = 0; times < 3; times++) {
        assert.is((await nextOf(peer, clock)).method, 'monitor_register');
        peer.send(refusal(102));
        await peer.hasHeard();
      }
      const said = lines.filter((line) => line.includes('the server gives this agent no monitors'));
      assert.is(said.length, 1);
    }),
  ));

test('reports what it measured, and again what got no answer', () =>
  withTarget(async (port) => {
    const closed = await freePort();
    await withServer((server) =>
      withLink(serverConfig(server.url, placed()), async ({ clock }) => {
        const peer = await server.welcome();
        await places(peer, clock, [
          check(1, port),
          check(2, closed, { interval_s: 60 }),
          check(3, port, { spec: { kind: 'ping', host: '127.0.0.1', count: 1 } }),
          check(4, port, { condition: 'nonsense ==' }),
        ]);
        const results: any[] = [];
        while (new Set(results.map(({ monitor }) => monitor)).size < 2) {
          const { method, params } = await nextOf(peer, clock);
          assert.equal([method, params.slice(0, 2)], ['monitor_report', [TOKEN, AGENT]]);
          results.push(...params[2]);
          peer.send(answer(1002, { taken: 1, refused: 0 }));
          await peer.hasHeard();
        }
        const [good] = results.filter(({ monitor }) => monitor === 1);
        assert.equal([good.ok, good.code, good.detail], [true, null, null]);
        assert.type(good.ms, 'number');
        const [bad] = results.filter(({ monitor }) => monitor === 2);
        assert.equal(
          [bad.ok, bad.detail],
          [false, `the connection was refused: 127.0.0.1 port ${closed}`],
        );
        assert.equal([...new Set(results.map(({ monitor }) => monitor))].sort(), [1, 2]);

        const lost = await nextOf(peer, clock);
        peer.terminate();
        await clock.timer('reconnect');
        await clock.advance(3_000);
        const later = await server.welcome();
        await places(later, clock, [check(1, port)]);
        const again = await nextOf(later, clock);
        assert.equal(again.params[2].slice(0, lost.params[2].length), lost.params[2]);
      }),
    );
  }));

test('stops what is gone, and checks at once what it is told to', () =>
  withTarget((port) =>
    withServer((server) =>
      withLink(serverConfig(server.url, placed()), async ({ clock }) => {
        const peer = await server.welcome();
        await places(peer, clock, [check(1, port, { interval_s: 3600 })]);
        await nextOf(peer, clock);
        peer.send(answer(1002, { taken: 1, refused: 0 }));
        peer.send(item(clock, { now: [1] }));
        await peer.hasHeard();
        assert.is((await nextOf(peer, clock, 15))?.method, 'monitor_report');
        peer.send(answer(1002, { taken: 1, refused: 0 }));
        peer.send(item(clock, { gone: [1] }));
        await peer.hasHeard();
        assert.not(clock.labels().includes('checks'));
      }),
    ),
  ));

test('a result that the server will never take is dropped alone', () =>
  withTarget((port) =>
    withServer((server) =>
      withLink(serverConfig(server.url, placed()), async ({ clock, lines }) => {
        const peer = await server.welcome();
        const ids = [1, 2, 3, 4, 5];
        const never = 4;
        await places(
          peer,
          clock,
          ids.map((id) => check(id, port, { interval_s: id === never ? 3600 : 10 })),
        );
        const taken: number[] = [];
        for (let reports = 0; reports < 40 && new Set(taken).size < 4; reports++) {
          const { method, params } = await nextOf(peer, clock);
          assert.is(method, 'monitor_report');
          const sent: number[] = params[2].map(({ monitor }: any) => monitor);
          const isRefused = sent.includes(never);
          if (!isRefused) taken.push(...sent);
          peer.send(
            isRefused
              ? { jsonrpc: '2.0', id: 1002, error: { code: -32602, message: 'no' } }
              : answer(1002, { taken: sent.length, refused: 0 }),
          );
          await peer.hasHeard();
        }
        assert.equal([...new Set(taken)].sort(), [1, 2, 3, 5]);
        await nextOf(peer, clock);
        assert.ok(lines.some((line) => line.includes('the server refused them')));
      }),
    ),
  ));

test('never cuts the text of a failure within a character: servers refuse halves', () =>
  withTarget((port) =>
    withServer((server) =>
      withLink(serverConfig(server.url, placed()), async ({ clock }) => {
        const peer = await server.welcome();
        const smiles = '🙂'.repeat(200);
        const says = (more: string) => `ms < 0.0${more} || "${smiles}" == ""`;
        const checks = ['', ' '].map((more, n) => check(n + 1, port, { condition: says(more) }));
        await places(peer, clock, checks);
        const details = new Map<number, string>();
        while (details.size < 2) {
          const { params } = await nextOf(peer, clock);
          for (const { monitor, detail } of params[2]) details.set(monitor, detail);
          peer.send(answer(1002, { taken: 1, refused: 0 }));
          await peer.hasHeard();
        }
        for (const detail of details.values()) {
          assert.ok(detail.includes('🙂') && detail.length === 300, detail);
          assert.ok(detail.isWellFormed());
        }
      }),
    ),
  ));

const result = (at: number, ok: boolean | null = false): Measured => ({
  ...{ monitor: 1, at, ok, ms: null, code: null, detail: null },
});

test('keeps ten thousand results, of which the oldest go, and reports five hundred at a time', () => {
  const results = new Results();
  for (let at = 0; at < 10_020; at++) results.add(result(at), false);
  assert.equal([results.takeDropped(), results.takeDropped(), results.size], [20, 0, 10_000]);
  const next = results.next();
  assert.equal([next.length, next[0]?.at], [500, 20]);
  results.taken(next);
  assert.equal([results.size, results.next()[0]?.at], [9_500, 520]);
});

test('finds one that is refused among five hundred in ten reports, and then reports many again', () => {
  const results = new Results();
  for (let at = 0; at < 500; at++) results.add(result(at), false);
  const sizes: number[] = [];
  while (results.size > 0) {
    const next = results.next();
    sizes.push(next.length);
    if (next.some(({ at }) => at === 0)) results.refused(next);
    else results.taken(next);
  }
  assert.equal(
    [sizes.slice(0, 10), sizes.slice(10)],
    [
      [500, 250, 125, 63, 32, 16, 8, 4, 2, 1],
      [1, 2, 4, 8, 16, 32, 64, 128, 244],
    ],
  );
  assert.is(results.takeDropped(), 1);
});

test('takes failures back for which it was cut off itself, and those only', () => {
  const cutOff = new Results();
  for (const at of [1, 2, 3]) cutOff.add(result(at), false);
  cutOff.doubtSince(2);
  assert.equal(
    cutOff.next().map(({ ok }) => ok),
    [false, null, null],
  );
  const server = new Results();
  server.add(result(2), false);
  server.add(result(3, true), true);
  server.doubtSince(2);
  assert.equal(
    server.next().map(({ ok }) => ok),
    [false, true],
  );
});

test.run();

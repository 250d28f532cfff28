/** Kinds ping and tcp_ping of the agent program, for a name with several addresses (RFC 8305). */
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { checkClock, systemClock } from '../agent/src/clock.ts';
import { firstAnswer, inTurns } from '../checks/src/first-answer.ts';
import { FakeClock } from './agent-program-kit.ts';
import { failureOf, resultOf, runtimeFor } from './agent-program-task-kit.ts';
import { suite } from './runner/suite.ts';

const test = suite('agent program: addresses');
const dir = mkdtempSync(join(tmpdir(), 'svc-agent-'));
test.after(() => rmSync(dir, { recursive: true, force: true }));

const found = (text: string) =>
  text
    .split(' ')
    .filter(Boolean)
    .map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

// [addresses as the system gives them, as they are tried]
const ORDERS: [string, string][] = [
  ['::1 ::2 ::3 1.0.0.1', '::1 1.0.0.1 ::2 ::3'],
  ['1.0.0.1 1.0.0.2 ::1 ::2', '1.0.0.1 ::1 1.0.0.2 ::2'],
  ['::1 1.0.0.1', '::1 1.0.0.1'],
  ['1.0.0.1', '1.0.0.1'],
  ['', ''],
];
for (const [given, expected] of ORDERS) {
  test(`tries "${given}" in the order "${expected}"`, () => {
    assert.equal(inTurns(found(given)), found(expected));
  });
}

/** Attempts that a test ends. */
function attempts(addresses: string) {
  const clock = new FakeClock();
  const begun: string[] = [];
  const ended: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<string>>();
  const stop = new AbortController();
  const attempt = (address: string, signal: AbortSignal) => {
    begun.push(address);
    signal.addEventListener('abort', () => ended.push(address));
    const end = Promise.withResolvers<string>();
    ends.set(address, end);
    return end.promise;
  };
  const result = firstAnswer(found(addresses), attempt, {
    clock: checkClock(clock, 'next address'),
    signal: stop.signal,
  });
  const outcome = result.catch((error: Error) => `failed: ${error.message}`);
  return {
    ...{ clock, begun, ended, stop, outcome },
    answer: (address: string) => ends.get(address)!.resolve(address),
    fail: async (address: string) => {
      ends.get(address)!.reject(new Error(address));
      await clock.advance(0);
    },
  };
}

test('a dead first address costs 250 ms, then the next one is tried beside it', async () => {
  const { clock, begun, ended, outcome, answer } = attempts('::1 1.0.0.1');
  await clock.advance(249);
  assert.equal(begun, ['::1']);
  await clock.advance(1);
  assert.equal(begun, ['::1', '1.0.0.1']);
  answer('1.0.0.1');
  assert.is(await outcome, '1.0.0.1');
  assert.equal([ended, clock.labels()], [['::1', '1.0.0.1'], []]);
});

test('a slow first address still counts when it answers first', async () => {
  const { clock, outcome, answer } = attempts('::1 1.0.0.1');
  await clock.advance(300);
  answer('::1');
  assert.is(await outcome, '::1');
});

test('an address that fails is followed by the next one at once; when all failed the first failure is told', async () => {
  const { clock, begun, outcome, fail } = attempts('::1 1.0.0.1 ::2');
  await clock.advance(0);
  await fail('::1');
  assert.equal(begun, ['::1', '1.0.0.1']);
  await fail('1.0.0.1');
  assert.equal(begun, ['::1', '1.0.0.1', '::2']);
  await fail('::2');
  assert.is(await outcome, 'failed: ::1');
  assert.equal(clock.labels(), []);
});

test('forty addresses are all tried within a second', async () => {
  const { clock, begun, stop, outcome } = attempts(
    Array.from({ length: 40 }, (_, n) => `1.0.0.${n}`).join(' '),
  );
  await clock.advance(999);
  assert.is(begun.length, 40);
  stop.abort(new Error('the limit'));
  assert.is(await outcome, 'failed: the limit');
  assert.equal(clock.labels(), []);
});

/** This machine under a second address is dead: nobody listens there. */
const lookup = async () => found('127.0.0.9 127.0.0.1');

(process.platform === 'linux' ? test : test.skip)(
  'tcp_ping measures the address that answers when the first one does not',
  async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const runtime = runtimeFor(systemClock, {}, { lookup });
    assert.ok((await resultOf('tcp_ping', `name.example:${port}`, { runtime })) > 0);
    server.close();
    await once(server, 'close');
    assert.match(
      await failureOf('tcp_ping', `name.example:${port}`, { runtime }),
      `ECONNREFUSED 127.0.0.9:${port}`,
    );
  },
);

test('ping tells the time of the address that answers, and ends the others', async () => {
  const ping_program = join(dir, 'ping');
  const script = '#!/bin/sh\ncase "$*" in *127.0.0.9) exec sleep 60;; esac\necho time=1.5 ms\n';
  writeFileSync(ping_program, script);
  chmodSync(ping_program, 0o755);
  const runtime = runtimeFor(systemClock, {}, { lookup, ping_program });
  assert.is(await resultOf('ping', 'name.example', { runtime }), 1.5);
});

test('a name without an address fails with its name', async () => {
  const runtime = runtimeFor(systemClock, {}, { lookup: async () => [] });
  for (const [kind, target] of [
    ['ping', 'name.example'],
    ['tcp_ping', 'name.example:1'],
  ] as const)
    assert.is(await failureOf(kind, target, { runtime }), 'no address for name.example');
});

test.run();

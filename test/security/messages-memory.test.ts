// What messages hold in memory, and what the log says of refused ones.
import { setTimeout as sleep } from 'node:timers/promises';
import { definePlugin, RpcError, Type } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { heldBytes } from '../memory.ts';
import { suite } from '../runner/suite.ts';
import { echo, post } from './messages-kit.ts';

const test = suite('messages-memory');
const MB = 1024 * 1024;

/** Calls that are held, and what has been settled. */
function holder() {
  const held: (() => void)[] = [];
  const settled: string[] = [];
  const plugin = definePlugin({
    name: 'holder',
    version: '1.0.0',
    namespaces: ['holder'],
    setup(kernel) {
      kernel.hooks.settled.tap(({ method }) => void settled.push(method));
      kernel.hooks.methods.tap((methods) => {
        methods.add('holder_hold', {
          summary: 'Answers when the test says so.',
          params: { value: Type.Unknown() },
          access: 'authenticated',
          result: Type.Null(),
          handle: () => new Promise<null>((resolve) => held.push(() => resolve(null))),
        });
        methods.add('holder_fail', {
          summary: 'Refuses its input.',
          params: {},
          access: 'public',
          result: Type.Null(),
          handle: () => {
            throw RpcError.invalid('no such colour', { cause: new Error('a secret place') });
          },
        });
      });
    },
  });
  return { plugin, held, settled };
}

async function until(condition: () => boolean): Promise<void> {
  for (let times = 0; !condition() && times < 1_000; times++) await sleep(5);
  assert.ok(condition());
}

const call = (method: string, params: readonly unknown[]) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

test('a message waits in its order for the memory of those before it, and is refused after a time', async () => {
  const { plugin, held } = holder();
  const limits = { message_memory_mb: 1, message_wait_ms: 300 };
  const app = await bootForTest(['token', 'database-sqlite', echo, plugin], { admission: limits });
  const token = await app.token([]);
  const large = (method: string) => post(app, call(method, [token, 'x'.repeat(400_000)]));
  const first = large('holder_hold');
  await until(() => held.length === 1);
  const refused = JSON.parse(await large('echo_any'));
  assert.is(refused.error.code, 999);
  assert.is(refused.id, 1);
  assert.match(refused.error.message, /try again/);
  const waiting = large('echo_father');
  // What is short needs no room.
  assert.equal(JSON.parse(await post(app, call('echo_open', [1]))).result, [1, null, null]);
  held[0]?.();
  assert.is(JSON.parse(await first).result, null);
  assert.is(JSON.parse(await waiting).result, 400_002);
  await app.stop();
});

test('a refused registration holds no parameters while its agent waits for the answer', async () => {
  const { plugin, settled } = holder();
  const plugins = ['token', 'database-sqlite', 'agent-uuid', 'task', 'retention', plugin];
  const app = await bootForTest(plugins, {}, { clock: true });
  const socket = await app.connect();
  const uuid = '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411';
  const text = call('task_register_task', ['bad:token', uuid, new Array(40_000).fill({})]);
  const before = heldBytes();
  for (let times = 0; times < 30; times++) socket.send(text);
  await until(() => settled.length === 30);
  await sleep(1);
  const more = (heldBytes() - before) / MB;
  assert.ok(more < 20, `${Math.round(more)} MB`);
  await app.clock.advance(5_000);
  assert.is((await socket.next()).error.code, 102);
  socket.close();
  await app.stop();
});

test('the log tells a refused input in one line without a stack, a few times', async () => {
  const { plugin } = holder();
  const app: TestApp = await bootForTest(['database-sqlite', plugin]);
  for (let times = 0; times < 50; times++) await post(app, call('holder_fail', []));
  const lines = app.records().filter(({ message }) => message === 'call failed');
  assert.is(lines.length, 5);
  for (const { fields } of lines) assert.not(JSON.stringify(fields).includes('secret place'));
  assert.match(JSON.stringify(lines[0]?.fields), /no such colour/);
  await app.stop();
});

test.run();

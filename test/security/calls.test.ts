/** Calls of one token over many connections leave the event loop to others, and stay within the rate that is set for it. */
import { Worker } from 'node:worker_threads';
import { definePlugin, Type } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';

const test = suite('calls of tokens');

const CONNECTIONS = 300;
/** Processor time of one call: so that a few of them are as much as many of the usual ones. */
const CALL_MS = 0.5;
/** Of the 19,200 calls that the hog has under way, so many may be run before one of somebody else. */
const MOST_BEFORE = 2_000;
let worked = 0;

const probe = definePlugin({
  name: 'probe',
  version: '1.0.0',
  namespaces: ['probe'],
  setup({ hooks }) {
    hooks.methods.tap((methods) =>
      methods.add('probe_work', {
        summary: 'Takes a while.',
        params: {},
        access: 'authenticated',
        result: Type.Null(),
        handle() {
          const until = performance.now() + CALL_MS;
          while (performance.now() < until);
          worked++;
          return null;
        },
      }),
    );
  },
});

/** In a thread: sends more calls whenever one is answered. */
const HOG = `
const { workerData: { url, token, connections }, parentPort } = require('node:worker_threads');
const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'probe_work', params: [token] });
let answers = 0;
for (let n = 0; n < connections; n++) {
  const socket = new WebSocket(url);
  socket.onopen = () => { for (let m = 0; m < 64; m++) socket.send(call); };
  socket.onmessage = () => { socket.send(call); if (++answers === 500) parentPort.postMessage('on'); };
}`;

const anyone = [{ scopes: ['global'], permissions: [] }];
const boot = (config = {}): Promise<TestApp> =>
  bootForTest(['token', 'database-sqlite', probe], config);
const outcome = (app: TestApp, token: string) =>
  app.call('probe_work', [token]).then(
    () => 'answered',
    ({ code, data }) => ({ code, data }),
  );

test('calls of one token over many connections leave the loop to another token', async () => {
  const app = await boot();
  const [hog, other] = [await app.token(anyone), await app.token(anyone)];
  const socket = await app.connect();
  await socket.call('probe_work', [other]);
  const workerData = { url: app.url.replace('http', 'ws'), token: hog, connections: CONNECTIONS };
  const worker = new Worker(HOG, { eval: true, workerData });
  try {
    await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
    const before: number[] = [];
    for (let n = 0; n < 5; n++) {
      const already = worked;
      await socket.call('probe_work', [other]);
      before.push(worked - already);
    }
    assert.ok(Math.max(...before) <= MOST_BEFORE, `${before} calls were run before`);
  } finally {
    await worker.terminate();
    socket.close();
    await app.stop();
  }
});

test('without a rate no call is refused', async () => {
  const app = await boot();
  const token = await app.token(anyone);
  for (let n = 0; n < 50; n++) assert.is(await outcome(app, token), 'answered');
  await app.stop();
});

test('calls beyond the rate of a token are refused with the time to wait, and others are not', async () => {
  const rule = { token: '*', calls_per_second: 2, burst: 3 };
  const app = await bootForTest(
    ['token', 'database-sqlite', probe],
    { admission: { tokens: [rule] } },
    { clock: true },
  );
  const [token, other] = [await app.token(anyone), await app.token(anyone)];
  for (let n = 0; n < 3; n++) assert.is(await outcome(app, token), 'answered');
  const refused = { code: -32005, data: { retry_after_ms: 500 } };
  assert.equal(await outcome(app, token), refused);
  const socket = await app.connect();
  const answer = await socket.call('probe_work', [token]).catch(({ code }) => code);
  assert.is(answer, -32005);
  assert.is(await outcome(app, other), 'answered');
  // The Super Token is the operator's own.
  for (let n = 0; n < 10; n++) assert.is(await outcome(app, app.superToken), 'answered');
  await app.clock.advance(500);
  assert.is(await outcome(app, token), 'answered');
  assert.equal(await outcome(app, token), refused);
  socket.close();
  await app.stop();
});

test.run();

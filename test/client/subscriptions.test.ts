/** Subscriptions of `@svc/client`: order, slow readers, and the ways to end one. */
import { createClient, RpcError, type Subscriptions } from '@svc/client';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { eventually } from '../protocol/token-kit.ts';
import { suite } from '../runner/suite.ts';
import { failureOf, type TickerMethods, type TickerSubscriptions, ticker } from './kit.ts';

const test = suite('client: subscriptions');
const fixture = ticker();
let app: TestApp;
test.before(async () => {
  app = await bootForTest(['token', 'server-info', fixture.plugin]);
});
test.after(() => app.stop());
test.before.each(() => {
  fixture.counts.at = 0;
});

const make = () =>
  createClient<TickerMethods, TickerSubscriptions>(app.url, { token: app.superToken });

test('for await gives each item in order, and leaving the loop ends it on the server', async () => {
  const client = make();
  const stream = client.subscribe('ticker_watch', { word: 'x' });
  await stream.ready;
  for (let at = 0; at < 20; at++) fixture.tick();
  const seen: number[] = [];
  for await (const { at } of stream) {
    seen.push(at);
    if (seen.length === 21) break;
  }
  assert.equal(
    seen,
    Array.from({ length: 21 }, (_, at) => at),
  );
  await eventually(() => assert.is(fixture.feeds.size, 0));
  client.close();
});

test('a slow reader gets the newest items, and how many it has missed', async () => {
  const client = make();
  const stream = client.subscribe('ticker_watch', { word: 'x' }, { queue: 10 });
  await stream.ready;
  for (let at = 0; at < 100; at++) fixture.tick();
  await eventually(() => assert.is(stream.dropped, 91));
  const seen: number[] = [];
  stream.close();
  await stream.each(({ at }) => seen.push(at));
  assert.equal(seen, [91, 92, 93, 94, 95, 96, 97, 98, 99, 100]);
  client.close();
});

test('each waits for the callback before it brings the next item, and fails with it', async () => {
  const client = make();
  const stream = client.subscribe('ticker_watch', { word: 'x' });
  let running = 0;
  let most = 0;
  const failed = failureOf(
    stream.each(async ({ at }) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      if (at === 5) throw new Error('no more');
    }),
  );
  await stream.ready;
  for (let at = 0; at < 10; at++) fixture.tick();
  assert.is((await failed).message, 'no more');
  assert.is(most, 1);
  await eventually(() => assert.is(fixture.feeds.size, 0));
  client.close();
});

test('a refusal fails the reader and `ready` with the code of the server', async () => {
  const client = make();
  for (const [params, code] of [
    [{ word: 'x', token: 'a:b' }, 102],
    [{ word: 5 as unknown as string }, -32602],
  ] as const) {
    const stream = client.subscribe('ticker_watch', params);
    const ready = await failureOf(stream.ready);
    const error = await failureOf(stream.each(() => {}));
    assert.instance(error, RpcError);
    assert.equal([ready.code, error.code], [code, code]);
  }
  client.close();
});

test('a signal ends a subscription with its reason, here and on the server', async () => {
  const client = make();
  const control = new AbortController();
  const options = { signal: control.signal };
  const stream = client.subscribe('ticker_watch', { word: 'x' }, options);
  await stream.ready;
  const reason = new Error('page left');
  control.abort(reason);
  assert.is(await failureOf(stream.each(() => {})), reason);
  await eventually(() => assert.is(fixture.feeds.size, 0));
  const late = client.subscribe('ticker_watch', { word: 'x' }, options);
  assert.is(await failureOf(late.ready), reason);
  client.close();
});

test('closing before the server has answered ends it there too', async () => {
  const client = make();
  await client.call('ticker_seen');
  const before = fixture.counts.opened;
  const stream = client.subscribe('ticker_watch', { word: 'x' });
  await Promise.resolve();
  await Promise.resolve();
  stream.close();
  await client.call('ticker_seen');
  await eventually(() => assert.is(fixture.feeds.size, 0));
  assert.ok(fixture.counts.opened - before <= 1);
  client.close();
});

test('names of the methods that end a subscription, also one of its own', async () => {
  const client = createClient<TickerMethods, TickerSubscriptions & Subscriptions>(app.url, {
    token: app.superToken,
  });
  const stream = client.subscribe('svc-server_stream_log', { log_filter: 'info' });
  await stream.ready;
  stream.close();
  const own = client.subscribe(
    'ticker_watch',
    { word: 'x' },
    { unsubscribe: 'ticker_unsubscribe_watch' },
  );
  await own.ready;
  own.close();
  await eventually(() => assert.is(fixture.feeds.size, 0));
  client.close();
});

test.run();

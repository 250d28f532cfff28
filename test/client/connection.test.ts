/** `@svc/client` when its connection breaks: cut by a relay, ended by the server, or silent. */
import { type ClientOptions, ConnectionError, createClient } from '@svc/client';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { eventually } from '../protocol/token-kit.ts';
import { suite } from '../runner/suite.ts';
import {
  failureOf,
  heldPauses,
  type Relay,
  relayTo,
  type TickerMethods,
  type TickerSubscriptions,
  ticker,
} from './kit.ts';

const test = suite('client: connection');
const fixture = ticker();
let app: TestApp;
let relay: Relay;
/** Where the relay leads. */
let target = '';
test.before(async () => {
  app = await bootForTest(['token', 'server-info', fixture.plugin]);
});
test.after(() => app.stop());
test.before.each(async () => {
  target = app.url;
  relay = await relayTo(() => target);
});
test.after.each(() => relay.close());

const fast = { reconnect: { min_ms: 5, max_ms: 20 } };
const make = (options: ClientOptions = fast) =>
  createClient<TickerMethods, TickerSubscriptions>(relay.url, {
    token: app.superToken,
    ...options,
  });

test('one connection serves all calls, and none opens before the first', async () => {
  const states: string[] = [];
  const client = make({ onState: (state) => states.push(state) });
  assert.is(relay.count(), 0);
  await Promise.all(Array.from({ length: 50 }, () => client.call('ticker_seen')));
  assert.is(relay.count(), 1);
  client.close();
  assert.equal(states, ['connecting', 'open', 'closed']);
});

test('a call that has left fails with the connection, says so, and is not sent again', async () => {
  const client = make();
  const before = fixture.counts.waits;
  const failed = failureOf(client.call('ticker_wait'));
  await eventually(() => assert.is(fixture.counts.waits, before + 1));
  relay.cut();
  const error = await failed;
  assert.instance(error, ConnectionError);
  assert.equal([error.sent, /the connection ended/.test(error.message)], [true, true]);
  assert.is(await client.call('ticker_seen'), before + 1);
  client.close();
});

test('a call made without a connection waits for the next one', async () => {
  relay.mode = 'refuse';
  const client = make();
  const call = client.call('ticker_seen');
  await eventually(() => assert.ok(relay.count() > 3));
  relay.mode = 'pass';
  assert.type(await call, 'number');
  client.close();
});

test('a deadline that ends before there is a connection says that', async () => {
  relay.mode = 'refuse';
  const client = make();
  const { message } = await failureOf(client.call('ticker_seen', {}, { timeout_ms: 50 }));
  assert.is(message, 'ticker_seen: no connection within 50 ms');
  client.close();
});

test('subscriptions come back after a cut, each with its parameters', async () => {
  const client = make();
  const seen: string[] = [];
  const readers = ['a', 'b'].map((word) =>
    client.subscribe('ticker_watch', { word }).each(({ at }) => seen.push(`${word}${at}`)),
  );
  await eventually(() => assert.equal(seen.toSorted(), ['a0', 'b0']));
  relay.cut();
  await eventually(() => assert.equal(seen.toSorted(), ['a0', 'a0', 'b0', 'b0']));
  await eventually(() => assert.is(fixture.feeds.size, 2));
  client.close();
  await Promise.all(readers);
});

test('subscriptions come back after a restart of the server', async () => {
  const client = make();
  const items: number[] = [];
  const stream = client.subscribe('ticker_watch', { word: 'again' });
  const reader = stream.each(({ at }) => items.push(at));
  await eventually(() => assert.is(items.length, 1));
  await app.restart();
  target = app.url;
  await eventually(() => assert.is(items.length, 2));
  client.close();
  await reader;
});

test('pauses grow from attempt to attempt, differ, and start anew after an answer', async () => {
  const pauses = heldPauses();
  relay.mode = 'refuse';
  const client = make({ reconnect: { min_ms: 1_000, max_ms: 30_000 }, wait: pauses.wait });
  const call = client.call('ticker_seen');
  const most = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000];
  for (const [at, limit] of most.entries()) {
    await eventually(() => assert.is(pauses.asked.length, at + 1));
    const asked = pauses.asked[at] ?? 0;
    assert.ok(asked <= limit && asked >= limit / 2, `${asked} of ${limit}`);
    if (at === most.length - 1) relay.mode = 'pass';
    pauses.resume();
  }
  await call;
  const waiting = failureOf(client.call('ticker_wait'));
  await client.call('ticker_seen');
  relay.cut();
  await waiting;
  await eventually(() => assert.ok((pauses.asked[most.length] ?? Infinity) <= 1_000));
  client.close();
});

test('without anything to do the client does not come back', async () => {
  const pauses = heldPauses();
  const client = make({ wait: pauses.wait });
  await client.call('ticker_seen');
  relay.cut();
  await eventually(() => assert.is(pauses.asked.length, 1));
  pauses.resume();
  await new Promise((resolve) => setImmediate(resolve));
  assert.is(relay.count(), 1);
  const call = client.call('ticker_seen');
  assert.type(await call, 'number');
  assert.is(relay.count(), 2);
  client.close();
});

test('a connection that has fallen silent is given up', async () => {
  const client = make({ ...fast, heartbeat_ms: 40 });
  await client.call('ticker_seen');
  relay.mode = 'swallow';
  const { message } = await failureOf(client.call('ticker_wait'));
  assert.match(message, /no sign of life/);
  relay.mode = 'pass';
  fixture.answer();
  assert.type(await client.call('ticker_seen'), 'number');
  client.close();
});

test('without reconnecting, calls and subscriptions fail with the connection', async () => {
  relay.mode = 'refuse';
  const client = make({ reconnect: false });
  const call = await failureOf(client.call('ticker_seen'));
  assert.equal([call.name, call.sent], ['ConnectionError', false]);
  relay.mode = 'pass';
  const stream = client.subscribe('ticker_watch', { word: 'once' });
  await stream.ready;
  const reader = failureOf(stream.each(() => {}));
  relay.cut();
  assert.instance(await reader, ConnectionError);
  client.close();
});

test('close ends what waits and what is subscribed, and nothing is sent afterwards', async () => {
  const client = make();
  const stream = client.subscribe('ticker_watch', { word: 'end' });
  await stream.ready;
  const reader = stream.each(() => {});
  const failed = failureOf(client.call('ticker_wait'));
  await client.call('ticker_seen');
  client.close();
  await reader;
  assert.is((await failed).message, 'the client is closed');
  assert.is((await failureOf(client.call('ticker_seen'))).message, 'the client is closed');
  await eventually(() => assert.is(fixture.feeds.size, 0));
  fixture.answer();
});

test.run();

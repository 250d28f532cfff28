// What the outbox promises (plugins/notify/README.md): order, repetition, pauses, digests.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { ChannelChanged } from '../../plugins/notify/src/api.ts';
import { suite } from '../runner/suite.ts';
import { kernelOf } from '../shared-servers.ts';
import {
  about,
  add,
  alert,
  arrives,
  channel,
  create,
  HOUR,
  idOf,
  MINUTE,
  notifyOf,
  outbox,
  PLUGINS,
  passes,
  type Receiver,
  receiver,
  SECOND,
  send,
  until,
  webhook,
} from './kit.ts';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`outbox (${dialect})`);
  let app: TestApp;
  let hook: Receiver;
  let other: Receiver;
  let serial = 0;
  let name: string;

  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect, clock: true });
    [hook, other] = [await receiver(), await receiver()];
    await create(app, webhook('other', other.url));
  });
  test.after(async () => {
    await app.stop();
    await Promise.all([hook.stop(), other.stop()]);
  });
  test.before.each(async () => {
    name = `c${serial++}`;
    hook.got.length = 0;
    other.got.length = 0;
    hook.reply = () => 200;
    await create(app, webhook(name, hook.url));
  });
  test.after.each(() => app.call('channel_delete', { token: app.superToken, name }));
  const ids = () => hook.got.map(({ headers }) => headers['webhook-id']);

  test('a receiver that answers 500 for ten minutes gets one message when it is back', async () => {
    hook.reply = () => 500;
    await send(app, name, 'late');
    await passes(app, 10 * MINUTE, () => false, 5 * SECOND);
    const tries = hook.got.length;
    assert.ok(tries >= 6 && tries <= 10, `${tries} tries`);
    const { failed, failing_since } = await channel(app, name);
    assert.equal([failed, failing_since === null], [tries, false]);
    hook.reply = () => 200;
    await passes(app, 6 * MINUTE, () => hook.got.length > tries);
    await passes(app, 10 * MINUTE, () => false, 5 * SECOND);
    assert.is(hook.got.length, tries + 1);
    assert.is(new Set(ids()).size, 1);
    const state = await channel(app, name);
    assert.equal([state.sent, state.waiting, state.failing_since], [1, 0, null]);
  });

  test('a receiver that was away for two hours gets one summary', async () => {
    const id = await idOf(app, name);
    hook.reply = () => 503;
    for (const one of ['1-1', '2-1', '3-1', '4-1']) {
      await add(app, [about(id, alert(one, 'open'), app.clock.now())]);
      await passes(app, 15 * MINUTE, () => false, 20 * SECOND);
      if (one !== '4-1') await add(app, [about(id, alert(one, 'closed'), app.clock.now())]);
      await passes(app, 15 * MINUTE, () => false, 20 * SECOND);
    }
    const before = hook.got.length;
    hook.reply = () => 200;
    await passes(app, 6 * MINUTE, () => hook.got.length > before);
    await passes(app, 10 * MINUTE, () => false, 20 * SECOND);
    assert.is(hook.got.length, before + 1);
    const { type, group, alerts, more } = hook.got.at(-1)!.json;
    assert.equal([type, group.open, group.closed, more], ['digest', 1, 3, 0]);
    assert.equal(
      alerts.map(({ id, state }: any) => `${id} ${state}`),
      ['4-1 open', '1-1 closed', '2-1 closed', '3-1 closed'],
    );
    const states = (await outbox(app, { name })).map(({ state }) => state).sort();
    assert.equal(states, [...Array(6).fill('merged'), 'sent']);
  });

  test('Retry-After is kept, and other channels do not wait', async () => {
    hook.reply = () => ({ status: 429, headers: { 'retry-after': '40' } });
    await send(app, name, 'busy');
    await until('refused', () => hook.got.length === 1);
    await until('noted', async () => (await channel(app, name)).failed === 1);
    hook.reply = () => 200;
    await send(app, 'other', 'at once');
    await until('told', () => other.got.length === 1);
    await passes(app, 39 * SECOND);
    assert.is(hook.got.length, 1);
    await passes(app, 6 * SECOND, () => hook.got.length > 1);
    assert.is(hook.got.length, 2);
  });

  test('a refusal for good gets three tries, and the channel fails; other messages go on', async () => {
    const told: object[] = [];
    const end = kernelOf(app).subscribe(ChannelChanged, (change) => void told.push(change));
    hook.reply = ({ json }) => (json.title === 'bad' ? 401 : 200);
    await send(app, name, 'bad');
    await until('refused', () => hook.got.length === 1);
    await send(app, name, 'good');
    await until('told', () => hook.got.length === 2);
    await passes(app, 5 * MINUTE);
    assert.equal(
      hook.got.map(({ json }) => json.title),
      ['bad', 'good', 'bad', 'bad'],
    );
    const [good, bad] = await outbox(app, { name });
    assert.equal([good.state, bad.state, bad.tries, bad.status], ['sent', 'dropped', 3, 401]);
    const failing = await channel(app, name);
    assert.equal([failing.dropped, failing.failing_since === null], [1, false]);
    const [seen] = (await notifyOf(app).channels()).filter((one) => one.name === name);
    assert.is(seen?.failing_since, failing.failing_since);
    await send(app, name, 'good');
    await until('works', async () => (await channel(app, name)).failing_since === null);
    assert.equal(told, [
      { name, failing: true },
      { name, failing: false },
    ]);
    end();
  });

  test('an alert that is refused for minutes is told when the receiver is back, before its end', async () => {
    const id = await idOf(app, name);
    hook.reply = () => 404;
    await add(app, [about(id, alert('4-1', 'open'), app.clock.now())]);
    await passes(app, MINUTE, () => hook.got.length === 3);
    await until('fails', async () => (await channel(app, name)).failing_since !== null);
    hook.reply = () => 200;
    await add(app, [about(id, alert('4-1', 'closed'), app.clock.now())]);
    await passes(app, 5 * MINUTE, () => hook.got.length === 5);
    const told = hook.got.slice(3).map(({ json }) => json.type);
    assert.equal(told, ['alert.opened', 'alert.closed']);
    assert.equal((await channel(app, name)).dropped, 0);
  });

  test('an end is dropped with its opening, and one whose opening was sent is not', async () => {
    const id = await idOf(app, name);
    const enable = (on: boolean) =>
      app.call('channel_update', { token: app.superToken, name, change: { enable: on } });
    await add(app, [about(id, alert('5-2', 'open'), app.clock.now())]);
    await until('told', () => hook.got.length === 1);
    await enable(false);
    await add(app, [about(id, alert('5-1', 'open'), app.clock.now())]);
    await app.clock.sleep(23 * HOUR);
    for (const one of ['5-1', '5-2'])
      await add(app, [about(id, alert(one, 'closed'), app.clock.now())]);
    await app.clock.sleep(2 * HOUR);
    await passes(app, 5 * MINUTE, async () => (await channel(app, name)).dropped === 2);
    await enable(true);
    await passes(app, MINUTE, () => hook.got.length === 2);
    await passes(app, MINUTE);
    assert.equal(
      hook.got.map(({ json }) => `${json.alerts[0].id} ${json.alerts[0].state}`),
      ['5-2 open', '5-2 closed'],
    );
  });

  test('a digest that is dropped takes what it was made of with it', async () => {
    const id = await idOf(app, name);
    hook.reply = () => 404;
    for (const one of ['1-9', '2-9', '3-9'])
      await add(app, [about(id, alert(one, 'open'), app.clock.now())]);
    await passes(app, 8 * MINUTE, () => false, 20 * SECOND);
    const states = async () => (await outbox(app, { name })).map(({ state }) => state);
    assert.equal((await states()).toSorted(), ['merged', 'merged', 'waiting']);
    await app.clock.sleep(25 * HOUR);
    await passes(app, 5 * MINUTE, async () => (await channel(app, name)).dropped > 0);
    assert.equal(await states(), Array(3).fill('dropped'));
  });

  test('texts of one token on many channels hold up no message of another', async () => {
    const own = { scopes: [{ channel: 'many-*' }], permissions: [{ channel: 'write' }] };
    const token = await app.token([own]);
    const many = Array.from({ length: 12 }, (_, n) => `many-${name}-${n}`);
    for (const one of many) await create(app, webhook(one, 'http://127.0.0.1:9/'), token);
    for (const one of many) for (let n = 0; n < 12; n++) await send(app, one, `t${n}`);
    await passes(app, 5 * SECOND);
    await send(app, name, 'at once');
    await passes(app, 3 * SECOND, () => arrives(() => hook.got.length === 1));
    assert.is(hook.got.length, 1);
    for (const one of many) await app.call('channel_delete', { token: app.superToken, name: one });
  });

  test('tries that did not reach the receiver do not count as refusals', async () => {
    hook.reply = (_got, count) => (count <= 4 ? 503 : count <= 6 ? 404 : 200);
    await send(app, name, 'restarting');
    await passes(app, 10 * MINUTE, async () => (await channel(app, name)).sent === 1);
    assert.is((await outbox(app, { name }))[0].state, 'sent');
  });

  test('messages of one alert keep their order; those of another go on', async () => {
    const id = await idOf(app, name);
    hook.reply = ({ json }, count) => (json.alerts[0].id === '7-1' && count === 1 ? 400 : 200);
    await add(app, [about(id, alert('7-1', 'open'), app.clock.now())]);
    await until('refused', async () => (await channel(app, name)).failed === 1);
    await add(app, [
      about(id, alert('7-1', 'closed'), app.clock.now()),
      about(id, alert('8-1', 'open'), app.clock.now()),
    ]);
    await until('told', () => hook.got.length === 2);
    await passes(app, MINUTE, () => hook.got.length === 4);
    const told = hook.got.map(({ json }) => `${json.alerts[0].id} ${json.alerts[0].state}`);
    assert.equal(told, ['7-1 open', '8-1 open', '7-1 open', '7-1 closed']);
  });

  test('a decision that is repeated sends nothing twice', async () => {
    const one = about(await idOf(app, name), alert('9-1', 'open'), app.clock.now());
    await add(app, [one]);
    await add(app, [one]);
    await until('told', () => hook.got.length === 1);
    await passes(app, MINUTE);
    assert.is(hook.got.length, 1);
    const [delivery] = await notifyOf(app).deliveries([one.batch]);
    assert.equal([delivery?.channel, delivery?.state, delivery?.status], [name, 'sent', 200]);
  });

  test('a message whose answer never came keeps its id, and is not merged', async () => {
    const id = await idOf(app, name);
    hook.reply = () => 'reset';
    await add(app, [about(id, alert('5-1', 'open'), app.clock.now())]);
    await until('reset', async () => (await channel(app, name)).failed === 1);
    const [{ message_id }] = await outbox(app, { name });
    hook.reply = () => 503;
    for (const one of ['6-1', '6-2'])
      await add(app, [about(id, alert(one, 'open'), app.clock.now())]);
    await passes(app, 11 * MINUTE, () => false, 20 * SECOND);
    const states = (await outbox(app, { name })).map(({ state }) => state);
    assert.equal(states.sort(), ['merged', 'waiting', 'waiting']);
    hook.reply = () => 200;
    const before = hook.got.length;
    await passes(app, 6 * MINUTE, () => hook.got.length === before + 2);
    const types = hook.got.slice(before).map(({ json }) => json.type);
    assert.equal(types, ['alert.opened', 'digest']);
    assert.is(hook.got[before]?.headers['webhook-id'], message_id);
  });

  test('a channel sends at the pace of its kind', async () => {
    for (let n = 0; n < 25; n++) await send(app, name, `m${n}`);
    await until('burst', () => hook.got.length >= 10);
    assert.ok(hook.got.length <= 20, `${hook.got.length} at once`);
    await passes(app, MINUTE, () => hook.got.length === 25);
    assert.is(hook.got.length, 25);
  });

  test('a message that cannot be sent for a day is dropped and counted', async () => {
    await app.call('channel_update', { token: app.superToken, name, change: { enable: false } });
    await send(app, name, 'old');
    await app.clock.sleep(25 * HOUR);
    await passes(app, 5 * MINUTE, async () => (await channel(app, name)).dropped === 1);
    const [row] = await outbox(app, { name });
    assert.equal([row.state, (await channel(app, name)).waiting], ['dropped', 0]);
  });

  test('a retry by hand tries at once', async () => {
    hook.reply = () => ({ status: 503, headers: { 'retry-after': '3000' } });
    await send(app, name, 'again');
    await until('refused', async () => (await channel(app, name)).failed === 1);
    hook.reply = () => 200;
    const asked = { token: app.superToken, name };
    assert.equal(await app.call('channel_retry', asked), { waiting: 1 });
    await until('told', async () => (await channel(app, name)).sent === 1);
  });

  test.run();
}

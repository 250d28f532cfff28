// Bounds between owners and kinds of messages in one outbox (docs/protocol/channel.md §4).
import type { App } from '@svc/kernel';
import { bootForTest, type RpcFailure, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { CleaningStore } from '../../plugins/notify/src/store/cleaning.ts';
import { OutboxStore } from '../../plugins/notify/src/store/outbox.ts';
import { Statements } from '../../plugins/notify/src/store/statements.ts';
import { suite } from '../runner/suite.ts';
import {
  about,
  add,
  alert,
  arrives,
  channel,
  create,
  idOf,
  MINUTE,
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

const errorOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => '',
    ({ code, message }: RpcFailure) => `${code} ${message}`,
  );

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`bounds of the outbox (${dialect})`);
  let app: TestApp;
  let hook: Receiver;
  let serial = 0;
  let name: string;
  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect, clock: true });
    hook = await receiver();
  });
  test.after(async () => {
    await app.stop();
    await hook.stop();
  });
  test.before.each(async () => {
    name = `b${serial++}`;
    hook.got.length = 0;
    hook.reply = () => 200;
    await create(app, webhook(name, hook.url, { enable: false }));
  });
  test.after.each(async () => {
    await app.call('channel_delete', { token: app.superToken, name });
    // The sender may just look at the rows.
    const empty = () => app.sql('delete from notify_outbox').then(Boolean, () => false);
    await until('emptied', empty);
  });
  const enable = () =>
    app.call('channel_update', { token: app.superToken, name, change: { enable: true } });
  const idsOf = () => hook.got.flatMap(({ json }) => json.alerts.map(({ id }: any) => id));

  /** Stores copies of the newest row of a channel, as many texts or alerts as are asked for. */
  async function fill(id: number, count: number, over: Record<string, string> = {}): Promise<void> {
    const columns = 'body, created_at, tries, uncertain';
    const {
      group_key = "'text ' || n",
      priority = '3',
      owner = "'t'",
      state = '0',
      due = '0',
    } = over;
    await (
      app.kernel as App
    ).db.query.raw(`insert into notify_outbox (channel_id, message_id, batch, group_key, priority, owner, state,
      due, ${columns}) with recursive n(n) as (select 1 union all select n + 1 from n where n < ${count})
      select ${id}, 'm' || n, 'fill ${serial} ' || n, ${group_key}, ${priority}, ${owner}, ${state}, ${due}, ${columns}
      from n, (select ${columns} from notify_outbox where channel_id = ${id} order by id desc limit 1) as one`);
  }

  test('a token may have 250 texts waiting on a channel, all tokens 500, and a repeated key is no text', async () => {
    const use = [{ scopes: [{ channel: 'b*' }], permissions: [{ channel: 'use' }] }];
    const [first, second] = [await app.token(use), await app.token(use)];
    await send(app, name, 'one', { token: first, key: 'again' });
    const id = await idOf(app, name);
    await fill(id, 249);
    // The copies belong to the token, as its own would.
    await app.sql(
      `update notify_outbox set owner = (select max(owner) from notify_outbox where batch like 'send %')`,
    );
    const refused = await errorOf(send(app, name, 'more', { token: first }));
    assert.match(refused, /^108 .*250 texts of this caller wait on this channel/);
    await send(app, name, 'one', { token: first, key: 'again' });
    await send(app, name, 'other', { token: second });
    await fill(id, 249, { owner: "'someone'", group_key: "'text x' || n" }).catch(() => {});
    await app.sql(`update notify_outbox set batch = 'first ' || id where batch like 'fill %'`);
    await fill(id, 249, { owner: "'someone'" });
    assert.match(
      await errorOf(send(app, name, 'more', { token: second })),
      /^108 .*500 texts wait/,
    );
    await send(app, name, 'of the operator');
    assert.is((await channel(app, name)).waiting, 501);
  });

  test('1,000 texts of one token wait at most on all its channels', async () => {
    const use = [{ scopes: [{ channel: 'b*' }], permissions: [{ channel: 'use' }] }];
    const token = await app.token(use);
    await send(app, name, 'one', { token });
    await fill(await idOf(app, name), 999);
    await app.sql(
      `update notify_outbox set owner = (select max(owner) from notify_outbox where batch like 'send %')`,
    );
    const far = `${name}-far`;
    await create(app, webhook(far, hook.url, { enable: false }));
    assert.match(await errorOf(send(app, far, 'more', { token })), /^108 .*texts that wait/);
    await app.call('channel_delete', { token: app.superToken, name: far });
  });

  test('more than 1,000 texts that wait hide no alert', async () => {
    await send(app, name, 'text');
    const id = await idOf(app, name);
    await fill(id, 1_500);
    await enable();
    await add(app, [about(id, alert('1-1', 'open'), app.clock.now())]);
    await passes(app, MINUTE, () => arrives(() => idsOf().includes('1-1'), 300));
    assert.ok(idsOf().includes('1-1'));
  });

  test('a critical alert goes before reminders and others, and before its end', async () => {
    const id = await idOf(app, name);
    const now = app.clock.now();
    const reminders = Array.from({ length: 30 }, (_, n) => {
      const one = about(id, alert(`${n + 10}-1`, 'open', { severity: 'info' }), now);
      return { ...one, message: { ...one.message, type: 'alert.reminder' as const } };
    });
    const critical = alert('1-1', 'open', { severity: 'critical' });
    await add(app, [
      ...reminders,
      about(id, alert('2-1', 'open'), now),
      about(id, critical, now),
      about(id, { ...critical, state: 'closed' }, now),
    ]);
    await enable();
    await passes(app, MINUTE, () => arrives(() => hook.got.length >= 4, 300));
    const told = hook.got.slice(0, 3).map(({ json }) => `${json.alerts[0].id} ${json.type}`);
    assert.equal(told, ['1-1 alert.opened', '2-1 alert.opened', '1-1 alert.closed']);
    assert.is(hook.got[3]?.json.type, 'alert.reminder');
  });

  test('a critical alert goes before more than 1,000 reminders', async () => {
    const id = await idOf(app, name);
    const one = about(id, alert('5-1', 'open'), app.clock.now());
    await add(app, [{ ...one, message: { ...one.message, type: 'alert.reminder' } }]);
    await fill(id, 1_500, { priority: '2', owner: 'null', group_key: "'r' || n" });
    await add(app, [about(id, alert('1-1', 'open', { severity: 'critical' }), app.clock.now())]);
    await enable();
    await passes(app, MINUTE, () => arrives(() => hook.got.length >= 1, 300));
    assert.equal(idsOf()[0], '1-1');
  });

  const cleaning = () => new CleaningStore(new Statements((app.kernel as App).db));

  test('a full outbox drops texts of who has most of them, then alerts of the channel that has most', async () => {
    const id = await idOf(app, name);
    await add(app, [about(id, alert('1-1', 'open'), app.clock.now())]);
    const far = `${name}-far`;
    await create(app, webhook(far, hook.url, { enable: false }));
    await send(app, far, 'text');
    await fill(await idOf(app, far), 50);
    assert.equal([...(await cleaning().dropSurplus(20)).values()], [20]);
    const [mine] = await outbox(app, { name });
    const { dropped, waiting } = await channel(app, far);
    assert.equal([mine?.state, dropped, waiting], ['waiting', 20, 31]);
    for (let n = 0; n < 2; n++) await cleaning().dropSurplus(30);
    const [text] = await app.sql(`select state from notify_outbox where batch like 'send %'`);
    assert.is(Number(text.state), 2);
    assert.is((await outbox(app, { name }))[0].state, 'waiting');
    await cleaning().dropSurplus(1);
    assert.is((await outbox(app, { name }))[0].state, 'dropped');
    await app.call('channel_delete', { token: app.superToken, name: far });
  });

  test('an alert that was dropped stays in the list, whatever waits or was sent besides', async () => {
    const id = await idOf(app, name);
    await add(app, [about(id, alert('1-1', 'open'), app.clock.now())]);
    await app.sql('update notify_outbox set state = 2');
    await send(app, name, 'text');
    await fill(id, 110, { state: '1' });
    await send(app, name, 'text');
    await cleaning().deleteDone(0, 100);
    const kept = await app.sql(
      'select state, count(*) as count from notify_outbox group by state order by state',
    );
    const counts = kept.map(({ state, count }) => [Number(state), Number(count)]);
    assert.equal(counts, [
      [0, 2],
      [1, 100],
      [2, 1],
    ]);
  });

  test('a message written by a server whose clock is ahead or behind is sent at once, and waits as long as others', async () => {
    const id = await idOf(app, name);
    const { db } = app.kernel as App;
    const store = new OutboxStore(new Statements(db), 'another');
    const day = 24 * 60 * MINUTE;
    for (const [n, skew] of [2 * day, -2 * day].entries()) {
      const one = about(id, alert(`${n + 1}-1`, 'open'), app.clock.now() + skew);
      await db.transaction((trx) => store.add(trx, [one], app.clock.now() + skew));
    }
    await passes(app, 3 * MINUTE, () => false, 5 * SECOND);
    const { dropped, waiting } = await channel(app, name);
    assert.equal([dropped, waiting], [0, 2]);
    await enable();
    await passes(app, 10 * SECOND, () => hook.got.length === 2);
    assert.equal(idsOf(), ['1-1', '2-1']);
  });

  test('a token has a quarter of the channels', async () => {
    const small = await bootForTest(PLUGINS, { notify: { max_channels: 4 } }, { dialect });
    try {
      const write = [{ scopes: [{ channel: '*' }], permissions: [{ channel: 'write' }] }];
      const token = await small.token(write);
      await create(small, webhook('one', hook.url), token);
      const refused = await errorOf(create(small, webhook('two', hook.url), token));
      assert.match(refused, /^108 .*a quarter/);
      await create(small, webhook('two', hook.url), await small.token(write));
    } finally {
      await small.stop();
    }
  });

  test.run();
}

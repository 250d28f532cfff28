// proof only: 40
// A receiver that hangs, and a database that takes no writes (plugins/notify/README.md). The limit of a try is real time.
import type { App } from '@svc/kernel';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { sharedServers } from '../shared-servers.ts';
import {
  channel,
  create,
  outbox,
  PLUGINS,
  type Receiver,
  receiver,
  send,
  until,
  webhook,
} from './kit.ts';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`receivers that hang (${dialect})`);
  let app: TestApp;
  let hook: Receiver;
  let other: Receiver;
  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect });
    [hook, other] = [await receiver(), await receiver()];
    await create(app, webhook('hangs', hook.url));
    await create(app, webhook('other', other.url));
  });
  test.after(async () => {
    await app.stop();
    await Promise.all([hook.stop(), other.stop()]);
  });

  test('a request ends after ten seconds, and other channels do not wait', async () => {
    hook.reply = () => 'hang';
    const begun = performance.now();
    await send(app, 'hangs', 'unheard');
    await until('arrived', () => hook.got.length === 1);
    for (let n = 0; n < 5; n++) await send(app, 'other', `m${n}`);
    await until('told', () => other.got.length === 5);
    assert.is((await channel(app, 'hangs')).failed, 0, 'it still hangs');
    await until('ended', async () => (await channel(app, 'hangs')).failed === 1, 30_000);
    assert.ok(performance.now() - begun > 9_000);
    hook.reply = () => 200;
    await app.call('channel_retry', { token: app.superToken, name: 'hangs' });
    await until('told', async () => (await channel(app, 'hangs')).sent === 1);
    const [first, second] = hook.got.map(({ headers }) => headers['webhook-id']);
    assert.is(first, second);
  });

  test('a message whose result cannot be stored does not leave again while the server runs', async () => {
    hook.got.length = 0;
    const make =
      dialect === 'sqlite'
        ? `create trigger no_writes before update of state, tries on notify_outbox begin select raise(abort, 'no'); end`
        : `create function no_writes() returns trigger language plpgsql as $$ begin raise 'no'; end $$`;
    const { db } = app.kernel as App;
    await db.query.raw(make);
    if (dialect === 'postgres')
      await db.query.raw(
        'create trigger no_writes before update of state, tries on notify_outbox for each row execute function no_writes()',
      );
    await send(app, 'hangs', 'once');
    await until('left', () => hook.got.length === 1);
    const tries = () =>
      app.records().filter(({ message }) => /could not send/.test(message)).length;
    await until('tried to store it again', () => tries() >= 2, 30_000);
    await db.query.raw(`drop trigger no_writes${dialect === 'sqlite' ? '' : ' on notify_outbox'}`);
    await until('stored', async () => (await channel(app, 'hangs')).sent === 2);
    assert.is(hook.got.length, 1);
    assert.is((await outbox(app, { name: 'hangs' }))[0].state, 'sent');
  });

  test.run();
}

{
  const test = suite('receivers and several servers');
  test('three servers send each message once, and another one goes on when the sender stops', async () => {
    const hook = await receiver();
    const servers = await sharedServers(3, [...PLUGINS, 'bus', 'bus-postgres']);
    try {
      const [first, second, third] = servers.apps as [TestApp, TestApp, TestApp];
      await create(first, webhook('ops', hook.url));
      const all = [first, second, third];
      for (let n = 0; n < 12; n++) await send(all[n % 3] ?? first, 'ops', `m${n}`);
      await until('all', () => hook.got.length === 12);
      for (const app of all) {
        await app.restart();
        await send(app, 'ops', 'after');
      }
      await until('all', () => hook.got.length >= 15, 30_000);
      const ids = hook.got.map(({ headers }) => headers['webhook-id']);
      assert.equal([ids.length, new Set(ids).size], [15, 15]);
    } finally {
      await servers.stop();
      await hook.stop();
    }
  });
  test.run();
}

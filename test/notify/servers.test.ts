// Several servers on one database, the key of the secrets, backups (plugins/notify/README.md).
import { copyFileSync, existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from '@svc/kernel';
import { bootForTest, type RpcFailure, type TestApp } from '@svc/plugin-sdk/testing';
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

const KEY = 'secrets.key';
const keyOf = (app: TestApp): string => join(app.dir, KEY);
const warnings = async (app: TestApp): Promise<string> => {
  const found = await app.call('svc-server_config_warnings', { token: app.superToken });
  return JSON.stringify(found);
};
const findings = async (app: TestApp): Promise<any[]> => {
  const { plugins } = (app.kernel as App).kernelOf('notify')!;
  const { examine } = plugins.find(({ name }) => name === 'notify')!;
  return [...(await examine!((app.kernel as App).kernelOf('notify') as never))];
};

const test = suite('channels: servers and keys');
let hook: Receiver;
test.before(async () => {
  hook = await receiver();
});
test.after(() => hook.stop());
test.before.each(() => {
  hook.got.length = 0;
});

test('a server whose key is missing sends nothing and warns; the other sends all, once', async () => {
  const servers = await sharedServers(1, [...PLUGINS, 'bus', 'bus-postgres']);
  try {
    const [first] = servers.apps as [TestApp];
    await create(first, webhook('ops', hook.url, { secret: { token: 'a-secret' } }));
    const second = await servers.join();
    assert.not.ok(existsSync(keyOf(second)), 'no key is made where the database knows one');
    assert.match(await warnings(second), `${KEY} is missing`);
    const [found] = await findings(second);
    assert.equal([found.level, /copy the file/.test(found.advice)], ['problem', true]);
    assert.not.match(await warnings(first), KEY);
    assert.is((await findings(first))[0].level, 'ok');
    const change = { secret: { token: 'another' } };
    const sealed = second.call('channel_update', {
      token: servers.superToken,
      name: 'ops',
      change,
    });
    assert.is(await sealed.catch((error: RpcFailure) => error.code), 107);
    for (let n = 0; n < 5; n++) await send(n % 2 ? first : second, 'ops', `m${n}`);
    await until('all', () => hook.got.length === 5);
    await until('marked', async () => (await channel(second, 'ops')).sent === 5);
    assert.is(new Set(hook.got.map(({ headers }) => headers['webhook-id'])).size, 5);
    copyFileSync(keyOf(first), keyOf(second));
    await second.restart();
    assert.not.match(await warnings(second), KEY);
    rmSync(keyOf(first));
    await first.restart();
    await send(second, 'ops', 'after');
    await until('taken over', () => hook.got.length === 6);
    assert.is(hook.got[5]?.headers.authorization, 'Bearer a-secret');
  } finally {
    await servers.stop();
  }
});

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`another key than the one of the secrets stops the sending, and no secret opens (${dialect})`, async () => {
    const app = await bootForTest(PLUGINS, {}, { dialect });
    try {
      assert.is(statSync(keyOf(app)).mode & 0o777, 0o600);
      assert.is(Buffer.from(readFileSync(keyOf(app), 'utf8'), 'base64').length, 32);
      await create(app, webhook('ops', hook.url, { secret: { token: 'a-secret' } }));
      const saved = join(app.dir, 'saved.key');
      copyFileSync(keyOf(app), saved);
      rmSync(keyOf(app));
      await app.restart();
      await send(app, 'ops', 'waits');
      assert.match(await warnings(app), `${KEY} is missing`);
      assert.equal(hook.got.length, 0);
      assert.equal((await channel(app, 'ops')).secret, { token: { set: true } });
      copyFileSync(saved, keyOf(app));
      await app.restart();
      await until('sent', () => hook.got.length === 1);
      // Without secrets a lost key is no loss.
      await app.call('channel_delete', { token: app.superToken, name: 'ops' });
      rmSync(keyOf(app));
      await app.restart();
      assert.not.match(await warnings(app), KEY);
      await create(app, webhook('ops', hook.url, { secret: { token: 'new' } }));
      await send(app, 'ops', 'new');
      await until('sent', () => hook.got.length === 2);
    } finally {
      await app.stop();
    }
  });

  test(`what waits is sent after a restart, with its id (${dialect})`, async () => {
    const app = await bootForTest(PLUGINS, {}, { dialect });
    try {
      hook.reply = () => 503;
      await create(app, webhook('ops', hook.url));
      const { message_id } = await send(app, 'ops', 'later');
      await until('tried', async () => (await channel(app, 'ops')).failed === 1);
      hook.reply = () => 200;
      await app.restart();
      await app.call('channel_retry', { token: app.superToken, name: 'ops' });
      await until('sent', async () => (await channel(app, 'ops')).sent === 1);
      assert.equal(
        hook.got.map(({ headers }) => headers['webhook-id']),
        [message_id, message_id],
      );
      assert.is((await outbox(app))[0].tries, 2);
    } finally {
      await app.stop();
    }
  });
}

test('the outbox is measured: depth, age, and tries by kind and outcome', async () => {
  const app = await bootForTest([...PLUGINS, 'metrics']);
  try {
    hook.reply = () => 200;
    await create(app, webhook('ops', hook.url));
    await send(app, 'ops', 'counted');
    await until('sent', async () => (await channel(app, 'ops')).sent === 1);
    const headers = { authorization: `Bearer ${app.superToken}` };
    const text = await (await app.fetch('/svc/metrics', { headers })).text();
    assert.match(text, /notify_sends_total\{kind="webhook",outcome="ok"\} 1/);
    assert.match(text, /notify_waiting [01]$/m);
    assert.match(text, /notify_oldest_seconds [0-9.]+$/m);
  } finally {
    await app.stop();
  }
});

test.run();

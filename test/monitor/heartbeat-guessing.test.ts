// Jobs whose address somebody guesses keys from: behind one router, or a proxy that is not trusted (docs/protocol/monitor.md §7).
import { randomUUID } from 'node:crypto';
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { sharedServers } from '../shared-servers.ts';
import { boot, call, create, PLUGINS, pause } from './kit.ts';

const WITH_HEARTBEATS = [...PLUGINS, 'admission'];
const beat = (name: string) => ({ name, kind: 'heartbeat', spec: { period_s: 60, grace_s: 60 } });
const guess = async (app: TestApp) => (await app.fetch(`/svc/ping/${randomUUID()}`)).status;
const statusOf = async (app: TestApp, url: string) => (await app.fetch(url)).status;

/** Guesses until the address is closed, and has spent what it may look up then. */
async function close(app: TestApp): Promise<number> {
  let refused = 0;
  for (let n = 0; n < 45; n++) if ((await guess(app)) === 429) refused++;
  assert.is(await guess(app), 429);
  return refused;
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`heartbeats: guessed keys (${dialect})`);
  let app: TestApp;
  test.before(async () => {
    app = await boot(dialect, {}, WITH_HEARTBEATS);
  });
  test.after(() => app.stop());

  test('a right key works while wrong ones from its address are refused, also its first call and after a restart', async () => {
    const old = await create(app, beat('old'));
    assert.ok((await close(app)) > 5, 'a closed address looks up little');
    assert.is(await statusOf(app, old.ping_url), 200, 'it never called before');
    const fresh = await create(app, beat('fresh'));
    await pause(300);
    await close(app);
    assert.is(await statusOf(app, fresh.ping_url), 200, 'it was made while somebody guesses');
    await app.restart();
    await close(app);
    for (const { ping_url, push_url } of [old, fresh])
      for (const url of [ping_url, push_url]) assert.is(await statusOf(app, url), 200);
  });

  test('a key that was renewed, and that of a heartbeat that has gone, count as wrong ones', async () => {
    const made = await create(app, beat('renewed'));
    const gone = await create(app, beat('gone'));
    const change = { name: 'renewed', change: { renew_key: true } };
    const { ping_url } = await call(app, 'monitor_update', change);
    await call(app, 'monitor_delete', { name: 'gone' });
    await app.clock.sleep(3_600_000);
    assert.is(await statusOf(app, made.ping_url), 404);
    await close(app);
    for (const url of [made.ping_url, gone.ping_url]) assert.is(await statusOf(app, url), 429);
    assert.is(await statusOf(app, ping_url), 200);
  });

  test.run();
}

const servers = suite('heartbeats: guessed keys at two servers');
servers(
  'a key that was made at one server works at the other, where somebody guesses',
  async () => {
    const plugins = [...WITH_HEARTBEATS, 'bus', 'bus-postgres'];
    const both = await sharedServers(2, plugins, {}, { clock: true });
    try {
      const [first, second] = both.apps as [TestApp, TestApp];
      await close(first);
      // The one that joined has the key of the secrets.
      const { ping_url } = await create(second, beat('far'));
      let status = 0;
      // What one server changes the others hear of within moments.
      for (let tries = 0; tries < 50 && status !== 200; tries++) {
        status = await statusOf(first, ping_url);
        await pause(20);
      }
      assert.is(status, 200);
    } finally {
      await both.stop();
    }
  },
);
servers.run();

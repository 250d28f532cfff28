// Heartbeats as their owners make them and as jobs call them (docs/protocol/monitor.md §7).
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { boot, call, create, failure, get, MINUTE, PLUGINS, passes, SECOND, says } from './kit.ts';

const HOUR = 60 * MINUTE;
const RID = '0190a1b2-c3d4-7e5f-8a6b-000000000001';
const refusal = async (called: Promise<unknown>) => (await failure(called)).message;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A heartbeat that comes each half minute, and may be ten seconds late. */
const beat = (name: string, over: object = {}, spec: object = { period_s: 30, grace_s: 10 }) => ({
  ...{ name, kind: 'heartbeat', spec },
  ...over,
});

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`heartbeats: methods (${dialect})`);
  let app: TestApp;
  test.before(async () => {
    app = await boot(dialect, {}, [...PLUGINS, 'admission']);
  });
  test.after(() => app.stop());
  test.after.each(async () => {
    for (const { name } of (await call(app, 'monitor_list')).monitors)
      await call(app, 'monitor_delete', { name });
  });
  const limited = (monitor: string, words: string[]) =>
    app.token([{ scopes: [{ monitor }], permissions: words.map((word) => ({ monitor: word })) }]);
  const ping = async (url: string, init: RequestInit = {}) => {
    const answer = await app.fetch(url, init);
    return `${answer.status} ${await answer.text()}`;
  };
  const kinds = async (name: string) =>
    (await call(app, 'monitor_pings', { name })).map(({ kind }: any) => kind);

  test('a heartbeat that is made shows its addresses; a call makes it up, silence down, a call up again', async () => {
    const made = await create(app, beat('backup'));
    assert.match(made.ping_url, /^\/svc\/ping\//);
    assert.match(made.ping_url, UUID);
    assert.is(made.push_url, made.ping_url.replace('/ping/', '/push/'));
    assert.equal([made.secret, made.verdict.state, made.problem], [{}, 'unknown', null]);
    assert.is((await get(app, 'backup')).next_at, made.created_at + 30 * SECOND);
    assert.is(await ping(made.ping_url), '200 OK');
    assert.ok(await says(app, 'backup', 'up'));
    const [{ at }] = await call(app, 'monitor_pings', { name: 'backup', limit: 1 });
    assert.is((await get(app, 'backup')).next_at, at + 30 * SECOND);
    // After a start, silence says nothing for two minutes.
    await passes(app, 2 * MINUTE);
    await ping(made.ping_url);
    assert.ok(await says(app, 'backup', 'up'));
    assert.not.ok(await says(app, 'backup', 'down', 30 * SECOND));
    assert.ok(await says(app, 'backup', 'down', 20 * SECOND));
    const late = await get(app, 'backup');
    assert.match(late.verdict.detail, /^no ping since .* UTC, grace 10 s\)$/);
    assert.is(late.ping_url, made.ping_url);
    assert.is(await ping(made.ping_url, { method: 'POST', body: 'done' }), '200 OK');
    assert.ok(await says(app, 'backup', 'up'));
    const [outage] = await call(app, 'monitor_outages', { name: 'backup' });
    assert.ok(outage.to > outage.from);
    const [last, first] = await call(app, 'monitor_pings', { name: 'backup', limit: 2 });
    assert.equal([last.kind, last.method, last.body], ['success', 'POST', 'done']);
    assert.equal([first.method, first.body], ['GET', '']);
  });

  test('a job that says that it failed is down at once, with its exit status; its body is kept', async () => {
    const { ping_url } = await create(app, beat('job'));
    assert.is(await ping(`${ping_url}/3`, { method: 'POST', body: 'no space left' }), '200 OK');
    assert.ok(await says(app, 'job', 'down', 5 * SECOND));
    assert.is((await get(app, 'job')).verdict.detail, 'exit status 3');
    const [last] = await call(app, 'monitor_pings', { name: 'job' });
    assert.equal([last.exit_status, last.body, last.kind], [3, 'no space left', 'fail']);
    await ping(`${ping_url}/0`);
    assert.ok(await says(app, 'job', 'up', 5 * SECOND));
    await ping(`${ping_url}/fail`);
    await ping(`${ping_url}/log`);
    assert.ok(await says(app, 'job', 'down', 5 * SECOND));
    assert.equal(await kinds('job'), ['log', 'fail', 'success', 'fail']);
  });

  test('a run that began and does not end within its grace is down; its run is told apart by rid', async () => {
    const spec = { period_s: 3_600, grace_s: 300, run_grace_s: 20 };
    const { ping_url } = await create(app, beat('run', {}, spec));
    await ping(ping_url);
    assert.ok(await says(app, 'run', 'up'));
    await ping(`${ping_url}/start?rid=${RID}`);
    await ping(`${ping_url}/start`);
    await ping(ping_url);
    assert.not.ok(await says(app, 'run', 'down', 15 * SECOND));
    assert.ok(await says(app, 'run', 'down', 15 * SECOND));
    assert.match((await get(app, 'run')).verdict.detail, /has not ended within 20 s/);
    await ping(`${ping_url}?rid=${RID}`);
    assert.ok(await says(app, 'run', 'up'));
    const [last] = await call(app, 'monitor_pings', { name: 'run', limit: 1 });
    assert.is(last.rid, RID);
  });

  test('a cron line is one of its zone', async () => {
    const spec = { cron: '0 5 * * *', zone: 'Asia/Kolkata', grace_s: 60 };
    const { ping_url } = await create(app, beat('night', {}, spec));
    await ping(ping_url);
    assert.ok(await says(app, 'night', 'up'));
    // Five o'clock there is 23:30 of UTC.
    const due = () => new Date(app.clock.now()).toISOString().slice(11, 16);
    const left = (23.5 * HOUR - (app.clock.now() % (24 * HOUR)) + 24 * HOUR) % (24 * HOUR);
    await app.clock.sleep(left > 10 * MINUTE ? left - 2 * MINUTE : left + 24 * HOUR - 2 * MINUTE);
    assert.is(due(), '23:28');
    await passes(app, SECOND);
    // A start of the clock's own counts as a pause of the server: silence says nothing for two minutes.
    assert.ok(await says(app, 'night', 'down', 6 * MINUTE));
    assert.match((await get(app, 'night')).verdict.detail, /expected .*05:00 Asia\/Kolkata/);
  });

  test('the form of other programs calls as well', async () => {
    const { push_url } = await create(app, beat('push'));
    assert.is(await ping(`${push_url}?status=up&msg=fine&ping=12`), '200 {"ok":true}');
    assert.ok(await says(app, 'push', 'up'));
    await ping(`${push_url}?status=down&msg=disk%20full`);
    assert.ok(await says(app, 'push', 'down', 5 * SECOND));
    assert.match((await get(app, 'push')).verdict.detail, /: disk full$/);
  });

  test('its addresses show to those who may write it, in no list, no audit row and no other answer', async () => {
    const { ping_url } = await create(app, beat('secret'));
    const key = UUID.exec(ping_url)![0];
    const reader = await limited('*', ['read']);
    const seen = await call(app, 'monitor_get', { name: 'secret' }, reader);
    assert.equal([seen.ping_url, seen.push_url], [null, null]);
    assert.is((await failure(call(app, 'monitor_pings', { name: 'secret' }, reader))).code, 102);
    const others = await limited('o*', ['read', 'write', 'answer']);
    assert.is((await failure(call(app, 'monitor_get', { name: 'secret' }, others))).code, 102);
    const writer = await limited('secret', ['read', 'write']);
    const shown = await call(app, 'monitor_get', { name: 'secret' }, writer);
    assert.is(shown.ping_url, ping_url);
    const asked = await limited('secret', ['answer']);
    await ping(ping_url);
    assert.is((await call(app, 'monitor_pings', { name: 'secret' }, asked)).length, 1);
    for (const answer of [seen, await call(app, 'monitor_list')])
      assert.not.match(JSON.stringify(answer), key);
    const [{ secret, key_hash }] = await app.sql('select secret, key_hash from monitor');
    assert.not.match(`${secret} ${key_hash}`, key);
  });

  test('a key that nobody has fills nothing', async () => {
    await create(app, beat('alone'));
    const before = await app.sql('select id from monitor_ping');
    const wrong = '/svc/ping/11111111-2222-4333-8444-555555555555';
    assert.is(await ping(wrong), '404 not found');
    assert.is(await ping('/svc/ping/x'), '400 invalid key');
    assert.equal(await kinds('alone'), []);
    assert.equal(await app.sql('select id from monitor_ping'), before);
  });

  test('a change keeps the key, unless another one is asked for', async () => {
    const { ping_url } = await create(app, beat('kept'));
    const change = (given: object) => call(app, 'monitor_update', { name: 'kept', change: given });
    const same = [{ note: 'x' }, { secret: null }, { spec: { period_s: 600 } }, { tags: ['a'] }];
    for (const given of same) assert.is((await change(given)).ping_url, ping_url);
    assert.is(await ping(ping_url), '200 OK');
    const fresh = await change({ renew_key: true });
    assert.is.not(fresh.ping_url, ping_url);
    assert.is(await ping(ping_url), '404 not found');
    assert.is(await ping(fresh.ping_url), '200 OK');
    await create(app, { name: 'web', kind: 'ping', spec: { host: '127.0.0.1' } });
    const other = { name: 'web', change: { renew_key: true } };
    assert.match(await refusal(call(app, 'monitor_update', other)), 'have no key');
  });

  test('nobody gives a key, and what is turned upside down is refused', async () => {
    const given = { secret: { key: 'x'.repeat(32) } };
    assert.match(await refusal(create(app, beat('a', given))), "'key' is no field");
    const turned = [
      beat('a', { upside_down: true }),
      { name: 'b', kind: 'group', spec: { members: [] }, upside_down: true },
    ];
    for (const one of turned) assert.match(await refusal(create(app, one)), 'upside down');
    assert.equal((await call(app, 'monitor_list')).monitors, []);
  });

  test('one that was switched off waits anew, and nothing of that time is down', async () => {
    const { ping_url } = await create(app, beat('off'));
    await ping(ping_url);
    assert.ok(await says(app, 'off', 'up'));
    await call(app, 'monitor_set_enable', { name: 'off', enable: false });
    assert.ok(await says(app, 'off', 'paused'));
    assert.not.ok(await says(app, 'off', 'down', MINUTE));
    await call(app, 'monitor_set_enable', { name: 'off', enable: true });
    const on = app.clock.now();
    assert.ok(await says(app, 'off', 'unknown'));
    assert.not.ok(await says(app, 'off', 'down', 30 * SECOND));
    assert.ok(await says(app, 'off', 'down', 20 * SECOND));
    const [outage] = await call(app, 'monitor_outages', { name: 'off' });
    assert.ok(outage.from >= on + 30 * SECOND);
  });

  test('a shorter period does not make it late for the time before', async () => {
    const { ping_url } = await create(app, beat('changed', {}, { period_s: 86_400, grace_s: 60 }));
    await ping(ping_url);
    await passes(app, MINUTE);
    const change = { spec: { period_s: 30, grace_s: 10 } };
    await call(app, 'monitor_update', { name: 'changed', change });
    assert.not.ok(await says(app, 'changed', 'down', 30 * SECOND));
    assert.ok(await says(app, 'changed', 'down', 20 * SECOND));
  });

  test.run();
}

const test = suite('heartbeats: without the key of secrets');

test('no heartbeat is made where nothing can seal its key', async () => {
  const app = await boot(
    'sqlite',
    {},
    PLUGINS.filter((name) => name !== 'notify'),
  );
  try {
    assert.match(await refusal(create(app, beat('none'))), 'list notify under plugins');
  } finally {
    await app.stop();
  }
});

test.run();

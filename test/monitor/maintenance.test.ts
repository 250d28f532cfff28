// Maintenance windows with the effect `pause`: nothing is checked, said or late in them (docs/protocol/alert.md §7).
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { PLUGINS as ALERTING } from '../alert/kit.ts';
import { suite } from '../runner/suite.ts';
import {
  boot,
  call,
  create,
  get,
  http,
  MINUTE,
  PLUGINS,
  passes,
  SECOND,
  says,
  target,
} from './kit.ts';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitors: maintenance (${dialect})`);
  let app: TestApp;
  let web: Awaited<ReturnType<typeof target>>;
  test.before(async () => {
    app = await boot(dialect, {}, [...new Set([...ALERTING, ...PLUGINS])]);
    web = await target();
  });
  test.after(async () => {
    await app.stop();
    await web.stop();
  });
  test.after.each(async () => {
    web.reply = 200;
    for (const { name } of await call(app, 'alert_window_list'))
      await call(app, 'alert_window_delete', { name });
    for (const { name } of (await call(app, 'monitor_list')).monitors)
      await call(app, 'monitor_delete', { name });
  });
  const window = (scope: object, lasts_ms: number, effect = 'pause') => {
    const from = app.clock.now() + 5 * SECOND;
    const once = { from, to: from + lasts_ms };
    return call(app, 'alert_window_create', { window: { name: 'w', scope, once, effect } });
  };

  test('a monitor in the scope is paused and not checked; what fails within it is no outage', async () => {
    await create(app, http('shop', web.url, { retries: 0, tags: ['web'] }));
    await create(app, http('other', web.url, { retries: 0 }));
    for (const name of ['shop', 'other']) assert.ok(await says(app, name, 'up'));
    await window({ tags: ['web'] }, MINUTE);
    assert.is((await get(app, 'shop')).verdict.state, 'up');
    assert.ok(await says(app, 'shop', 'paused', 20 * SECOND));
    const { once } = (await call(app, 'alert_window_list'))[0];
    const by = async (name: string, token?: string) =>
      (await call(app, 'monitor_get', { name }, token)).paused_by;
    assert.equal(await by('shop'), { window: 'w', until: once.to });
    assert.is(await by('other'), null);
    const permissions = [{ monitor: 'read' }];
    const reader = await app.token([{ scopes: [{ monitor: 'shop' }], permissions }]);
    assert.equal(await by('shop', reader), { window: '', until: once.to });
    web.reply = 500;
    assert.ok(await says(app, 'other', 'down'));
    await passes(app, 3 * SECOND);
    const { last_at } = (await get(app, 'shop')).states[0];
    assert.not.ok(await says(app, 'shop', 'down', 25 * SECOND));
    const paused = await get(app, 'shop');
    assert.equal([paused.verdict.state, paused.states[0].last_at], ['paused', last_at]);
    web.reply = 200;
    assert.ok(await says(app, 'shop', 'up', 2 * MINUTE));
    assert.equal(await call(app, 'monitor_outages', { name: 'shop' }), []);
    const [day] = (await call(app, 'monitor_query_uptime', { name: 'shop' })).spans;
    assert.is(day.down_s, 0);
    assert.ok(day.paused_s > 40, `${day.paused_s} s`);
  });

  test('what is still down after it is down from its end on', async () => {
    await create(app, http('shop', web.url, { retries: 0 }));
    assert.ok(await says(app, 'shop', 'up'));
    const { next } = await window({ monitors: ['shop'] }, 40 * SECOND);
    assert.ok(await says(app, 'shop', 'paused', 20 * SECOND));
    web.reply = 500;
    assert.ok(await says(app, 'shop', 'down', 2 * MINUTE));
    await passes(app, SECOND);
    const [outage] = await call(app, 'monitor_outages', { name: 'shop' });
    assert.ok(outage.from >= next[0][1], 'it began after the window');
  });

  test('a heartbeat is not late in it, nor by it', async () => {
    const spec = { period_s: 20, grace_s: 10 };
    const { ping_url } = await create(app, { name: 'job', kind: 'heartbeat', spec });
    await passes(app, 2 * MINUTE);
    await app.fetch(ping_url);
    assert.ok(await says(app, 'job', 'up'));
    await window({ monitors: ['job'] }, MINUTE);
    assert.ok(await says(app, 'job', 'paused', 20 * SECOND));
    const isOver = async () => (await get(app, 'job')).verdict.state !== 'paused';
    assert.ok(await passes(app, 2 * MINUTE, isOver));
    const over = app.clock.now();
    assert.is((await get(app, 'job')).verdict.state, 'unknown');
    assert.not.ok(await says(app, 'job', 'down', 20 * SECOND));
    assert.ok(await says(app, 'job', 'down', 30 * SECOND));
    const [outage] = await call(app, 'monitor_outages', { name: 'job' });
    assert.ok(outage.from >= over);
  });

  test('a window that only quiets, or that is about a rule, stops no check', async () => {
    await create(app, http('shop', web.url));
    assert.ok(await says(app, 'shop', 'up'));
    await window({ monitors: ['shop'] }, MINUTE, 'quiet');
    assert.not.ok(await says(app, 'shop', 'paused', 20 * SECOND));
    await call(app, 'alert_window_delete', { name: 'w' });
    await window({ monitors: ['shop'], rules: ['Monitor down'] }, MINUTE);
    assert.not.ok(await says(app, 'shop', 'paused', 20 * SECOND));
  });

  test.run();
}

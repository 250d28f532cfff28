// What monitors say, in `GET /svc/metrics` (plugins/metrics/src/monitors.ts).
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { boot, call, MINUTE, PLUGINS, passes, type Target, target } from '../monitor/kit.ts';
import { suite } from '../runner/suite.ts';
import { parseMetrics, sampleValue } from './kit.ts';

const NASTY = 'till "2"\\ä';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`metrics: monitors (${dialect})`);
  let app: TestApp;
  let web: Target;
  const get = async (token: string, only = '') => {
    await app.clock.advance(1_500);
    const headers = { authorization: `Bearer ${token}` };
    return app.fetch(`/svc/metrics${only && `?only=${only}`}`, { headers });
  };
  const read = async (token = app.superToken, only = 'monitors') =>
    parseMetrics(await (await get(token, only)).text());
  const namesOf = (families: Awaited<ReturnType<typeof read>>) =>
    (families.get('svc_monitor_info')?.samples ?? []).map(({ labels }) => labels['monitor']);

  test.before(async () => {
    app = await boot(dialect, {}, [...PLUGINS, 'metrics']);
    web = await target();
  });
  test.after(async () => {
    await app.stop();
    await web.stop();
  });

  test('where there are none, the Super Token gets an empty page and others are refused', async () => {
    assert.is((await get(app.superToken, 'monitors')).status, 200);
    const limits = [{ scopes: [{ monitor: 'shop*' }], permissions: [{ monitor: 'read' }] }];
    const answer = await get(await app.token(limits), 'monitors');
    assert.is(answer.status, 403);
    assert.match(await answer.text(), /\{"monitor":"read"\} for monitors/);
  });

  test('a monitor shows its verdict, its times and its tags', async () => {
    const fields = { kind: 'http', interval_s: 10, retries: 0 };
    const shop = { ...fields, name: 'shop', spec: { url: web.url }, tags: ['eu', 'web'] };
    await call(app, 'monitor_create', { monitor: { ...shop, group: 'sales' } });
    const off = { ...fields, name: NASTY, spec: { url: web.url }, enable: false };
    await call(app, 'monitor_create', { monitor: off });
    const period = { kind: 'heartbeat', spec: { period_s: 600 } };
    await call(app, 'monitor_create', { monitor: { name: 'copy', ...period } });
    const up = async () => sampleValue(await read(), 'svc_monitor_up', { monitor: 'shop' });
    assert.ok(await passes(app, MINUTE, async () => (await up()) === 1));
    const families = await read();
    assert.equal(namesOf(families).sort(), ['copy', 'shop', NASTY]);
    const info = { monitor: 'shop', kind: 'http', group: 'sales', tags: ',eu,web,' };
    assert.is(sampleValue(families, 'svc_monitor_info', info), 1);
    const value = (name: string, monitor = 'shop') =>
      sampleValue(families, `svc_monitor_${name}`, { monitor });
    assert.is(value('degraded'), 0);
    assert.ok((value('response_seconds') ?? 9) < 5);
    const age = app.clock.now() / 1_000 - (value('last_result_timestamp_seconds') ?? 0);
    assert.ok(age >= 0 && age < 30, String(age));
    assert.is(value('up', NASTY), undefined);
    assert.is(value('certificate_expiry_timestamp_seconds'), undefined);
  });

  test('a monitor that is down shows 0', async () => {
    web.reply = 500;
    const isDown = async () =>
      sampleValue(await read(), 'svc_monitor_up', { monitor: 'shop' }) === 0;
    assert.ok(await passes(app, MINUTE, isDown));
  });

  test('a token sees the monitors that it may read, and no other part', async () => {
    const limits = [{ scopes: [{ monitor: 'sh*' }], permissions: [{ monitor: 'read' }] }];
    const families = await read(await app.token(limits), '');
    assert.equal(namesOf(families), ['shop']);
    assert.not.ok(families.has('svc_calls'));
  });

  test('all parts come where none is named', async () => {
    const families = await read(app.superToken, '');
    assert.ok(families.has('svc_calls') && families.has('svc_monitors_checked'));
    assert.is(namesOf(families).length, 3);
  });

  test.run();
}

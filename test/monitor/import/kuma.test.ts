/** What an import of Uptime Kuma says of certificates, and what a maintenance of a group covers. */
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../../runner/suite.ts';
import { boot, call, PLUGINS } from '../kit.ts';
import { database } from './fixtures.ts';

const ALL = [...PLUGINS, 'agent-uuid', 'agent', 'agent-events', 'alert'];
const monitor = (id: number, name: string, more: object = {}) => ({
  ...{ id, type: 'http', name, active: 1, interval: 60, url: 'http://192.0.2.1/', parent: null },
  ...{ expiry_notification: 1, ...more },
});
const weekly = (id: number, title: string) => ({
  ...{ id, title, active: 1, strategy: 'cron', cron: '0 3 * * 0', duration: 3600 },
  timezone: 'UTC',
});
const FILE = {
  monitor: [
    monitor(1, 'Shop', { type: 'group' }),
    monitor(2, 'Front page', { parent: 1 }),
    monitor(3, 'Stock', { type: 'group', parent: 1 }),
    monitor(4, 'Store room', { parent: 3, url: 'HTTPS://stock.example.net/' }),
    monitor(5, 'Alone', { type: 'keyword', keyword: 'ok' }),
    monitor(8, 'Keyed', { url: 'http://192.0.2.1/?q=1&api_key=abc', body: '{}', method: 'POST' }),
    monitor(6, 'Container', { type: 'docker', parent: 7 }),
    monitor(7, 'Containers', { type: 'group' }),
  ],
  maintenance: [weekly(1, 'Of the group'), weekly(2, 'Of one'), weekly(3, 'Of nothing')],
  monitor_maintenance: [
    ...[1, 2].map((monitor_id) => ({ monitor_id, maintenance_id: 1 })),
    { monitor_id: 5, maintenance_id: 2 },
    { monitor_id: 7, maintenance_id: 3 },
  ],
};

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`import of Uptime Kuma (${dialect})`);
  let app: TestApp;
  let rows: any[];
  const row = (name: string) => rows.find((one) => one.name === name);
  test.before(async () => {
    app = await boot(dialect, {}, ALL);
    const file = { name: 'kuma.db', base64: database(FILE as any).toString('base64') };
    ({ rows } = await call(app, 'monitor_import_apply', { file }));
  });
  test.after(() => app.stop());

  test('a maintenance of a group covers the group, what is in it, and what is in groups in it', async () => {
    const windows: any[] = await call(app, 'alert_window_list');
    const scopes = windows.map(({ name, scope }) => [name, scope.monitors.toSorted()]);
    assert.equal(Object.fromEntries(scopes), {
      'Of the group': ['Front page', 'Shop', 'Stock', 'Store room'],
      'Of one': ['Alone'],
    });
    assert.equal(row('Of nothing').notes, ['none of its monitors is made']);
  });

  test('only an address that has a certificate is made differently for its certificate', () => {
    const told = 'its certificate is told of by the rule Certificate expiring';
    for (const [name, outcome, notes] of [
      ['Front page', 'made', []],
      ['Alone', 'made', []],
      ['Store room', 'differently', [told]],
    ] as const)
      assert.equal([row(name).outcome, row(name).notes], [outcome, notes], name);
  });

  test('what readers see of a call is told', () => {
    const told = 'shows to people who may read the monitor';
    assert.equal(row('Keyed').notes, [
      `its address, with the key in it, ${told}`,
      `its body ${told}`,
    ]);
  });

  test.run();
}

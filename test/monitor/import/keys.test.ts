/** Keys and secrets of an imported file show to nobody who only reads: not as a name, not as an id, in no answer at all. */
import { createHash } from 'node:crypto';
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../../runner/suite.ts';
import { boot, call, PLUGINS } from '../kit.ts';
import { beszel, database, gatus, kuma, OLD_PUSH_TOKEN, PUSH_TOKEN, SECRETS } from './fixtures.ts';

const ALL = [
  ...PLUGINS,
  'agent-uuid',
  'agent',
  'agent-events',
  'alert',
  'audit',
  'metrics',
  'discovery',
];
const NAMELESS = '7f0c0b9e-8a43-4d38-93c8-2b2d1a3c4d5e';
const TOLD = '0a1b2c3d-1111-4222-8333-9f9e9d9c9b9a';
const IN_NAME = '5f0c0b9e-8a43-4d38-93c8-2b2d1a3c4d5e';
const BY_ADDRESS = '803f680d-e89b-492b-82ef-2be7b774a92d';
const LONG_TOKEN = 'Qm4Zt8Wc2Vn6Xb0Ls5Kd9Jf3Hg7Pa1Ru';
const GATUS_TOKEN = '0b0d0c0e-1111-4222-8333-444455556666';
const HOOK_KEY = 'key-in-a-query-of-a-webhook';

const check = (uuid: string, more: object = {}) => ({
  ...{ name: '', slug: '', tags: '', desc: '', grace: 60, timeout: 300, status: 'up', uuid },
  ...more,
});
const CHECKS = [
  check(NAMELESS),
  check(TOLD.toUpperCase(), {
    ...{
      name: 'Told',
      desc: `curl https://hc-ping.com/${TOLD} || echo ${TOLD.replaceAll('-', '')}`,
    },
    tags: `prod ${TOLD}`,
  }),
  check(IN_NAME, { name: `job ${IN_NAME.toUpperCase()}` }),
  { ...check(''), ping_url: `https://hc-ping.com/${BY_ADDRESS}`, slug: 'by-slug' },
];
const tables = kuma();
const KUMA = {
  ...tables,
  monitor: [
    ...(tables['monitor'] ?? []),
    {
      ...{ id: 300, type: 'push', name: LONG_TOKEN, active: 1, interval: 60, parent: 301 },
      ...{ push_token: LONG_TOKEN, description: `calls /api/push/${LONG_TOKEN}?status=up` },
    },
    // Cut off at 80 characters, which leaves most of the key.
    {
      ...{
        id: 302,
        type: 'push',
        name: `${'x'.repeat(50)} ${LONG_TOKEN.slice(0, 31)}2`,
        active: 1,
      },
      ...{ push_token: `${LONG_TOKEN.slice(0, 31)}2`, interval: 60 },
    },
    { id: 301, type: 'group', name: `jobs ${LONG_TOKEN}`, active: 1 },
  ],
  notification: [
    ...(tables['notification'] ?? []),
    {
      ...{ id: 9, name: 'Hook', active: 1, user_id: 1 },
      config: JSON.stringify({
        type: 'webhook',
        webhookURL: `https://anna:hunter2-basic@hook.example.net/in?key=${HOOK_KEY}`,
      }),
    },
  ],
};
const GATUS = `${gatus}  - {name: last}
`.replace(
  'suites:',
  `  - {name: "job ${GATUS_TOKEN}", token: "${GATUS_TOKEN}", heartbeat: {interval: 30m}}\nsuites:`,
);

const KEYS = [
  ...[NAMELESS, TOLD, TOLD.replaceAll('-', ''), IN_NAME, BY_ADDRESS, GATUS_TOKEN],
  ...[PUSH_TOKEN, OLD_PUSH_TOKEN, LONG_TOKEN, LONG_TOKEN.slice(0, 20), HOOK_KEY, ...SECRETS],
];
const fileOf = (name: string, bytes: Buffer | string) => ({
  file: { name, base64: Buffer.from(bytes).toString('base64') },
});
const FILES = [
  fileOf('checks.json', JSON.stringify({ checks: CHECKS })),
  fileOf('kuma.db', database(KUMA)),
  fileOf('gatus.yaml', GATUS),
  fileOf('data.db', database(beszel('vm'))),
];
const READER = [
  {
    scopes: [{ monitor: '*' }, { channel: '*' }, 'global'],
    permissions: [{ monitor: 'read' }, { channel: 'read' }, { alert: 'read' }, { audit: 'read' }],
  },
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`import: keys (${dialect})`);
  let app: TestApp;
  let names: string[];
  const reports: any[] = [];

  test.before(async () => {
    app = await boot(dialect, { audit: {} }, ALL);
    for (const file of FILES) reports.push(await call(app, 'monitor_import_apply', file));
    const { monitors } = await call(app, 'monitor_list', { limit: 500 });
    names = monitors.flatMap((one: any) => (one.kind === 'heartbeat' ? one.name : []));
  });
  test.after(() => app.stop());

  const demandNone = (text: string, where: string) => {
    for (const key of KEYS)
      assert.not.ok(text.toLowerCase().includes(key.toLowerCase()), `${key} in ${where}: ${text}`);
  };

  test('no answer that a reader gets holds a key of the files', async () => {
    const reader = await app.token(READER);
    const { methods } = await app.call('rpc.discover', [app.superToken]);
    const answered = new Set<string>();
    for (const { name, params } of methods) {
      const needed = params.filter((one: any) => one.required).map((one: any) => one.name);
      const others = needed.filter((one: string) => one !== 'token' && one !== 'name');
      if (others.length > 0 || /^(?:rpc\.|monitor_import)/.test(name)) continue;
      const all = needed.includes('name') ? names.map((one) => ({ name: one })) : [{}];
      for (const one of all) {
        const answer = await call(app, name, one, reader).catch((error) => ({
          message: error.message,
        }));
        if (!answer?.message) answered.add(name);
        demandNone(JSON.stringify(answer) ?? '', name);
      }
    }
    for (const name of ['monitor_list', 'monitor_get', 'channel_list', 'alert_window_list'])
      assert.ok(answered.has(name), `${name} of ${[...answered]}`);
    const metrics = await app.fetch('/svc/metrics', {
      headers: { authorization: `Bearer ${reader}` },
    });
    demandNone(await metrics.text(), 'metrics');
  });

  test('what an import says, and its row in the audit, holds none either', async () => {
    demandNone(JSON.stringify(reports), 'a report');
    demandNone(JSON.stringify(await app.sql('select * from monitor_import')), 'the table');
    const undone = await call(app, 'monitor_import_plan', FILES[0]);
    demandNone(JSON.stringify(undone), 'a second plan');
  });

  test('an id that is made of a key is a digest', async () => {
    const { imported_from } = await call(app, 'monitor_get', { name: 'Told' });
    const digest = createHash('sha256').update(TOLD).digest('hex').slice(0, 12);
    assert.match(imported_from, new RegExp(`^healthchecks:[0-9a-f]{12}:check:${digest}$`));
  });

  test('what has no name is called by its slug or a number, and what was left out is told', () => {
    const rows = reports[0].rows.map(({ as, notes }: any) => [as, notes]);
    const moved = 'its job calls another address: /svc/ping/UUID';
    const left = 'the key in its name, group, tags or note is left out';
    assert.equal(rows, [
      ['check 1', [moved]],
      ['Told', [moved, left]],
      ['job …', [moved, left]],
      ['by-slug', [moved]],
    ]);
    const kumaNames = reports[1].rows.map(({ as }: any) => as);
    assert.ok(
      kumaNames.includes('jobs …') && kumaNames.some((one: any) => /^push \d+$/.test(one)),
      `${kumaNames}`,
    );
  });

  test('the same file again finds what it made, and the jobs call with the keys that they have', async () => {
    const again = [];
    for (const file of FILES) again.push(await call(app, 'monitor_import_apply', file));
    const made = (all: any[]) =>
      all.flatMap(({ rows }) => rows.flatMap((one: any) => (one.as === null ? [] : one.as)));
    assert.equal(made(again).sort(), made(reports).sort());
    assert.ok(again.every(({ rows }) => rows.every((one: any) => !/^made|dif/.test(one.outcome))));
    for (const { source } of again) await call(app, 'monitor_import_switch_on', { source });
    for (const key of [NAMELESS, TOLD, IN_NAME, BY_ADDRESS, GATUS_TOKEN, LONG_TOKEN])
      assert.is((await fetch(`${app.url}/svc/ping/${key}`)).status, 200, key);
  });

  test.run();
}

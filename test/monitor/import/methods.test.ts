/** `monitor_import_*`: what other programs have becomes monitors, channels, rules and windows. */
import { randomUUID } from 'node:crypto';
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { summaryReport } from '../../protocol/agent-kit.ts';
import { suite } from '../../runner/suite.ts';
import { boot, call, failure, PLUGINS } from '../kit.ts';
import {
  beszel,
  database,
  gatus,
  healthchecks,
  kuma,
  kuma1,
  OLD_PUSH_TOKEN,
  PUSH_TOKEN,
  SECRETS,
  UUID,
} from './fixtures.ts';

const ALL = [...PLUGINS, 'agent-uuid', 'agent', 'agent-events', 'alert', 'audit'];

interface Row {
  readonly item: string;
  readonly type: string;
  readonly name: string;
  readonly outcome: string;
  readonly as: string | null;
  readonly notes: readonly string[];
}
interface Report {
  readonly source: string;
  readonly rows: readonly Row[];
  readonly rewritings: readonly { readonly from: string; readonly to: string }[];
}

const fileOf = (name: string, bytes: Buffer | string) => ({
  file: { name, base64: Buffer.from(bytes).toString('base64') },
});
const done = async (app: TestApp, word: string, params: object, token?: string) => {
  const report = (await call(app, `monitor_import_${word}`, params, token)) as Report;
  const text = JSON.stringify(report);
  for (const secret of [...SECRETS, PUSH_TOKEN, OLD_PUSH_TOKEN]) assert.not.match(text, secret);
  return report;
};
const row = ({ rows }: Report, name: string, type = 'monitor'): Row => {
  const found = rows.find((one) => one.name === name && one.type === type);
  assert.ok(found, `${name} of ${JSON.stringify(rows.map((one) => one.name))}`);
  return found;
};
const count = ({ rows }: Report) =>
  Object.fromEntries(
    [...new Set(rows.map(({ outcome }) => outcome))]
      .sort()
      .map((outcome) => [outcome, rows.filter((one) => one.outcome === outcome).length]),
  );
const names = async (app: TestApp) =>
  ((await call(app, 'monitor_list', { limit: 500 })) as any).monitors.map((one: any) => one.name);
const get = (app: TestApp, name: string) => call(app, 'monitor_get', { name }) as Promise<any>;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`import: ${dialect}`);
  let app: TestApp;
  test.before(async () => {
    app = await boot(dialect, { audit: {} }, ALL);
  });
  test.after(() => app.stop());

  test('a plan changes nothing, and says what would be made, made differently and not made', async () => {
    const report = await done(app, 'plan', fileOf('kuma.db', database(kuma())));
    assert.equal(count(report), { differently: 8, made: 10, not_made: 21 });
    assert.is(row(report, 'kind docker').outcome, 'not_made');
    assert.match(row(report, 'Hard query').notes[0] as string, 'plain path');
    assert.match(row(report, 'Guessable').notes[0] as string, 'too short');
    assert.equal(await names(app), []);
    assert.equal(await call(app, 'channel_list'), []);
  });

  test('Uptime Kuma: monitors are made switched off, with keys, secrets, groups and windows', async () => {
    const file = fileOf('kuma.db', database(kuma()));
    const report = await done(app, 'apply', file);
    assert.equal(count(report), { differently: 8, made: 10, not_made: 21 });
    const page = await get(app, 'Front page');
    assert.is(page.enable, false);
    assert.equal(page.spec, {
      ...{ url: 'https://shop.example.net/', method: 'GET', headers: ['Accept: text/html'] },
      ...{ follow: 5, user: 'anna' },
    });
    assert.equal(page.secret, { password: { set: true }, secret_headers: { set: true } });
    assert.is(page.condition, 'status in [404] || (status >= 200 && status <= 299)');
    assert.equal(
      [page.group, page.tags, page.retries, page.retry_s, page.timeout_s],
      ['Shop', ['web'], 2, 30, 20],
    );
    assert.is(page.imported_from, `${report.source}:monitor:2`);
    const conditions = ['Word', 'No word', 'Query'].map(
      async (name) => (await get(app, name)).condition,
    );
    assert.equal(await Promise.all(conditions), [
      '(status >= 200 && status <= 299) && body.contains("it \\"works\\"")',
      '(status >= 200 && status <= 299) && !body.contains("error")',
      '(status >= 200 && status <= 299) && string(json.checks[0].state) == "ok"',
    ]);
    assert.equal((await get(app, 'Shop')).spec, {
      rule: 'worst',
      members: ['Front page', 'Database'],
    });
    assert.is((await get(app, 'Router')).upside_down, true);
    const windows: any = await call(app, 'alert_window_list');
    assert.equal(
      windows.map((one: any) => [one.name, one.cron, one.duration_s, one.zone, one.enable]),
      [
        ['Move', null, null, 'UTC', false],
        ['Updates', '0 3 * * 0', 3600, 'Europe/Berlin', false],
        ['Week', '30 22 * * 1,3', 9000, 'UTC', false],
      ],
    );
    assert.is(windows[0].once.from, Date.UTC(2027, 6, 1, 8));
  });

  test('a second import changes nothing and says so', async () => {
    const before = await names(app);
    const report = await done(app, 'apply', fileOf('renamed.db', database(kuma())));
    assert.equal(count(report), { not_made: 21, there: 18 });
    assert.equal(await names(app), before);
  });

  test('a job calls a heartbeat with the key that it has', async () => {
    const { source } = await done(app, 'plan', fileOf('kuma.db', database(kuma())));
    await done(app, 'switch_on', { source });
    const answer = await fetch(`${app.url}/svc/push/${PUSH_TOKEN}?status=up`);
    assert.is(answer.status, 200, await answer.text());
    const old = await fetch(`${app.url}/svc/push/${OLD_PUSH_TOKEN}`);
    assert.is(old.status, 200);
  });

  test('what was off where it came from stays off, the rest is switched on once', async () => {
    const { source } = await done(app, 'plan', fileOf('kuma.db', database(kuma())));
    assert.is((await get(app, 'No word')).enable, false);
    assert.is((await get(app, 'Word')).enable, true);
    assert.equal(count(await done(app, 'switch_on', { source })), { kept: 1, there: 17 });
  });

  test('an undo deletes what was made, and leaves what somebody changed', async () => {
    const { source } = await done(app, 'plan', fileOf('kuma.db', database(kuma())));
    await call(app, 'monitor_update', { name: 'Name', change: { note: 'ours' } });
    await app.call('monitor_create', {
      token: app.superToken,
      monitor: { name: 'own', kind: 'ping', spec: { host: '192.0.2.9' }, enable: false },
    });
    const report = await done(app, 'undo', { source });
    assert.equal(count(report), { deleted: 17, kept: 1 });
    assert.equal(await names(app), ['Name', 'own']);
    assert.equal(await call(app, 'channel_list'), []);
    assert.equal(await call(app, 'alert_window_list'), []);
    assert.equal(count(await done(app, 'undo', { source })), { kept: 1 });
  });

  test('the first version and its backup in JSON give the same monitors', async () => {
    const [file, backup] = [
      database(kuma1()),
      JSON.stringify({
        version: '1.23.16',
        notificationList: [],
        monitorList: [
          {
            id: 1,
            name: 'One',
            active: true,
            interval: 60,
            type: 'http',
            url: 'https://one.example.net/',
            accepted_statuscodes: ['200-299'],
            retryInterval: 60,
          },
          { id: 2, name: 'Two', active: true, interval: 60, type: 'push', pushToken: PUSH_TOKEN },
        ],
      }),
    ];
    for (const one of [fileOf('kuma.db', file), fileOf('backup.json', backup)]) {
      const report = await done(app, 'apply', one);
      assert.is(row(report, 'One').outcome, 'made');
      assert.is(row(report, 'Two').outcome, 'differently');
      const { condition, timeout_s } = await get(app, 'One');
      assert.equal([condition, timeout_s], ['status >= 200 && status <= 299', 48]);
      await done(app, 'undo', { source: report.source });
    }
  });

  test('Gatus: conditions are rewritten, and the table of them is answered', async () => {
    const report = await done(app, 'apply', fileOf('gatus.yaml', gatus));
    const page = await get(app, 'page');
    assert.is(
      page.condition,
      'status in [200, 429] && json.status.startsWith("he") && size(json.items) > 2 && tls.days_left > 2 && ms < 300',
    );
    assert.equal(
      [page.interval_s, page.retries, page.recover_after, page.group],
      [120, 3, 3, 'core'],
    );
    assert.equal(
      report.rewritings.find(({ from }) => from === '[CERTIFICATE_EXPIRATION] > 240h')?.to,
      'tls.days_left > 10',
    );
    assert.match(row(report, 'from env').notes[0] as string, '$HOST_OF_GATUS');
    const found = ['host', 'port', 'cert', 'mail', 'name', 'job'].map(async (name) => {
      const { kind, spec, condition } = await get(app, name);
      return [kind, spec, condition];
    });
    assert.equal(await Promise.all(found), [
      ['ping', { host: '192.0.2.1' }, null],
      ['tcp', { host: '192.0.2.1', port: 22 }, null],
      ['tls', { host: '192.0.2.1', port: 443 }, 'tls.days_left > 10'],
      ['tls', { host: '192.0.2.1', port: 587, starttls: 'smtp' }, 'tls.days_left > 10'],
      [
        'dns',
        { name: 'example.net', type: 'A', server: '192.0.2.53' },
        'answers[0] == "192.0.2.7" && rcode == "NOERROR"',
      ],
      ['heartbeat', { period_s: 1800, grace_s: 900 }, null],
    ]);
    await done(app, 'undo', { source: report.source });
  });

  test('Healthchecks: checks keep their UUIDs as keys', async () => {
    const report = await done(app, 'apply', fileOf('checks.json', healthchecks));
    assert.equal(count(report), { differently: 2, not_made: 1 });
    const { spec, tags } = await get(app, 'Nightly');
    assert.equal(spec, { cron: '15 5 * * *', zone: 'Europe/Riga', grace_s: 600, run_grace_s: 600 });
    assert.equal(tags, ['prod', 'db']);
    assert.equal((await get(app, 'Often')).spec, {
      period_s: 300,
      grace_s: 60,
      run_grace_s: 60,
      methods: ['POST'],
    });
    await done(app, 'switch_on', { source: report.source });
    assert.is((await fetch(`${app.url}/svc/ping/${UUID}`)).status, 200);
    assert.is((await get(app, 'Often')).enable, false);
    await done(app, 'undo', { source: report.source });
  });

  test('a plan says of keys that another heartbeat has what the import would say', async () => {
    const first = await done(app, 'apply', fileOf('checks.json', healthchecks));
    const again = fileOf('other.json', healthchecks);
    const { checks } = JSON.parse(String(healthchecks));
    const twice = fileOf('twice.json', JSON.stringify({ checks: [...checks, ...checks] }));
    for (const file of [again, twice]) {
      const planned = await done(app, 'plan', file);
      const made = await done(app, 'apply', file);
      assert.equal(planned.rows, made.rows);
      assert.match(row(planned, 'Nightly').notes[0] as string, 'another heartbeat has this key');
    }
    await done(app, 'undo', { source: first.source });
    // Each key is planned once, and taken by none any more.
    const outcomes = count(await done(app, 'plan', twice));
    assert.equal([outcomes['differently'], outcomes['not_made']], [2, 4]);
  });

  test('Beszel: alerts become rules of the machines of their names', async () => {
    const uuid = randomUUID();
    await app.call('agent_report_dynamic_summary', [
      app.superToken,
      summaryReport({ uuid, time: app.clock.now() }),
    ]);
    const report = await done(app, 'apply', fileOf('data.db', database(beszel(uuid))));
    assert.match(row(report, 'Memory (70, 1 min)', 'rule').notes[0] as string, "no machine 'gone'");
    assert.equal(row(report, 'CPU (80, 10 min)', 'rule').notes, [
      "without 'gone': there is no such machine",
    ]);
    const rules: any[] = (await call(app, 'alert_rule_list')) as any;
    const found = rules.filter(({ shipped }) => shipped === null);
    assert.equal(
      found.map(({ name, source, condition, for_s, enable }) => [
        name,
        source,
        condition,
        for_s,
        enable,
      ]),
      [
        ['CPU (80, 10 min)', 'machine', 'avg("cpu_usage", "10m") > 80', 0, false],
        ['Disk (90, 10 min)', 'part', 'disk.used_percent > 90', 600, false],
        ['Status (5 min)', 'presence', 'silent_for > 300', 0, false],
      ],
    );
    assert.ok(found.every(({ scope }) => scope.agents.length === 1 && scope.agents[0] === uuid));
    const windows: any = await call(app, 'alert_window_list');
    assert.equal([windows[0].cron, windows[0].duration_s], ['0 22 * * *', 28_800]);
    await done(app, 'switch_on', { source: report.source });
    assert.is(row(report, 'beszel-webhook-1', 'channel').outcome, 'differently');
    assert.equal(count(await done(app, 'undo', { source: report.source })), { deleted: 5 });
  });

  test('files that cannot be used are refused in words, and nothing is changed', async () => {
    const before = await names(app);
    const good = database(kuma1());
    const bomb = Array.from(
      { length: 12 },
      (_, at) => `a${at}: &a${at} [${at === 0 ? 'x' : `*a${at - 1}, `.repeat(9)}]`,
    ).join('\n');
    const cases: readonly [string, Buffer | string, RegExp][] = [
      ['no text', Buffer.from([0xff, 0xfe, 0x00]), /neither a SQLite database nor text/],
      ['empty', '', /neither endpoints/],
      ['cut off', good.subarray(0, 5_000), /damaged/],
      [
        'corrupt',
        Buffer.concat([good.subarray(0, 100), Buffer.alloc(good.length - 100, 0x55)]),
        /damaged/,
      ],
      ['another database', database({ people: [{ id: 1 }] }), /neither Uptime Kuma nor Beszel/],
      [
        'a view',
        database(
          { other: [{ id: 1 }] },
          'create view monitor as with recursive c(id) as (select 1 union all select id + 1 from c) select id from c',
        ),
        /no table that stores rows/,
      ],
      [
        'a virtual table',
        database({ other: [{ id: 1 }] }, 'create virtual table monitor using fts5(name)'),
        /no table that stores rows/,
      ],
      [
        'a huge text',
        database({ ...kuma1(), monitor: [{ id: 1, type: 'http', name: 'x'.repeat(100_000) }] }),
        /more than 64 KB/,
      ],
      ['a bomb of anchors', `${bomb}\nendpoints: *a11`, /anchors/],
      ['deep nesting', `endpoints: ${'['.repeat(50_000)}`, /nested too deeply at line 1/],
      ['no YAML', 'endpoints: {a: 1', /cannot be read at line/],
      ['no checks', '{"checks": []}', /no checks/],
    ];
    for (const [name, bytes, wanted] of cases) {
      const { code, message } = await failure(done(app, 'apply', fileOf(name, bytes)));
      assert.is(code, 108, name);
      assert.match(message, wanted, name);
    }
    const { code } = await failure(
      call(app, 'monitor_import_plan', { file: { name: 'x', base64: '???' } }),
    );
    assert.is(code, 108);
    assert.equal(await names(app), before);
  });

  test('a token imports one file at a time, and two tokens keep the others waiting', async () => {
    const limit = [{ scopes: [{ monitor: 'x' }], permissions: [{ monitor: 'write' }] }];
    const [one, two, three] = await Promise.all([
      app.token(limit),
      app.token(limit),
      app.token(limit),
    ]);
    const plan = (token: string) =>
      call(app, 'monitor_import_plan', fileOf('gatus.yaml', gatus), token);
    const [first, second] = [plan(one), plan(two)];
    const said = await Promise.all([failure(plan(one)), failure(plan(three))]);
    assert.equal(
      said.map(({ code }) => code),
      [108, 108],
    );
    assert.match(said[0]?.message ?? '', /an import of this token is running/);
    assert.match(said[1]?.message ?? '', /others import now: try again in a minute/);
    await done(app, 'plan', fileOf('gatus.yaml', gatus));
    await Promise.all([first, second]);
    await plan(three);
  });

  test('a token makes what it may make, and learns nothing of what others imported', async () => {
    const limit = [
      {
        scopes: [{ monitor: 'O*' }],
        permissions: [{ monitor: 'write' }, { monitor: 'read' }, { monitor: 'delete' }],
      },
    ];
    const token = await app.token(limit);
    const report = await done(app, 'apply', fileOf('kuma.db', database(kuma1())), token);
    assert.is(row(report, 'One').outcome, 'made');
    assert.is(row(report, 'Two').outcome, 'not_made');
    assert.match(row(report, 'Two').notes[0] as string, 'permission');
    await done(app, 'undo', { source: report.source });
    const others = await done(app, 'apply', fileOf('kuma.db', database(kuma1())));
    const seen = await done(app, 'undo', { source: others.source }, token);
    assert.equal(
      seen.rows.map(({ name }) => name),
      ['One'],
    );
    await done(app, 'undo', { source: others.source });
  });
  test.run();
}

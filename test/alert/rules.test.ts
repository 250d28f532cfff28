// `alert_rule_*` (plugins/alert/README.md).

import { randomUUID } from 'node:crypto';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { failure } from '../protocol/agent-kit.ts';
import { suite } from '../runner/suite.ts';
import { PLUGINS, report } from './kit.ts';

const DEFAULT_RULES = [
  'Another server dead',
  'CPU busy',
  'Certificate about to expire',
  'Certificate expiring',
  'Channel failing',
  'Clock of a machine off',
  'Disk almost full',
  'Disk full',
  'Disk of the database almost full',
  'Heartbeat late or failed',
  'Machine contract ends',
  'Machine offline',
  'Machine restarted',
  'Memory pressure',
  'Monitor down',
  'Reports lost',
  'Reports refused',
  'Server cut off',
];
const busy = {
  name: 'web busy',
  source: 'machine',
  scope: { tags: ['web'] },
  condition: 'cpu_usage > 90',
};

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`alert: rules (${dialect})`);
  let app: TestApp;
  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect });
  });
  test.after(() => app.stop());
  const call = (method: string, params: object, token = app.superToken) =>
    app.call(method, { token, ...params });
  const names = async (token?: string) =>
    (await call('alert_rule_list', {}, token)).map(({ name }: { name: string }) => name);

  test('a new server has the default rules, and those that only show do not send', async () => {
    const rules = await call('alert_rule_list', {});
    assert.equal(await names(), DEFAULT_RULES);
    const quiet = rules.filter(({ notify }: any) => !notify).map(({ name }: any) => name);
    assert.equal(quiet, ['CPU busy', 'Machine contract ends', 'Machine restarted']);
    assert.ok(rules.every(({ open, owner }: any) => !open && owner === null));
    for (const { source, problem } of rules)
      assert.is(problem, source === 'monitor' ? 'the plugin monitor is off' : null);
  });

  test('a summary may use the names that there are, with filters; others are refused with their place', async () => {
    const create = (over: object) =>
      call('alert_rule_create', { rule: { ...busy, name: 'words', ...over } });
    for (const [over, message] of [
      [{ summary: '{{subject.nme}} is busy' }, /^.*summary, character 0: .*did you mean/],
      [{ summary: 'at {{value|uper}}' }, /summary, character 3: .*is no filter/],
      [{ summary: '{{value' }, /has no end/],
      [{ summary: '{{labels.team}}' }, /names nothing/],
    ] as const) {
      const { code, message: said } = await failure(create(over));
      assert.is(code, 108);
      assert.match(said, message);
    }
    const summary = '{{labels.team|upper}}: {{subject.name}} since {{since|date:UTC}}';
    await create({ summary, labels: { team: 'web' } });
    const change = { labels: null };
    const { message } = await failure(call('alert_rule_update', { name: 'words', change }));
    assert.match(message, /labels.team/);
    // One that became unknown is no reason to keep a rule as it is.
    await app.sql(`update alert_rule set summary = '{{gone}}' where name = 'words'`);
    await call('alert_rule_update', { name: 'words', change: { for_s: 5 } });
    await call('alert_rule_delete', { name: 'words' });
  });

  test('a default rule that was deleted stays deleted, changed fields stay, and both can be reset', async () => {
    await call('alert_rule_delete', { name: 'CPU busy' });
    await call('alert_rule_update', { name: 'Disk full', change: { for_s: 7 } });
    await call('alert_rule_set_enable', { name: 'Disk almost full', enable: false });
    await app.sql(
      `update alert_rule set summary = 'old', condition = 'silent_for > 1' where shipped = 'offline'`,
    );
    await app.restart();
    assert.not((await names()).includes('CPU busy'));
    assert.is((await call('alert_rule_get', { name: 'Disk full' })).for_s, 7);
    assert.is((await call('alert_rule_get', { name: 'Disk almost full' })).enable, false);
    const offline = await call('alert_rule_get', { name: 'Machine offline' });
    assert.equal([offline.summary, offline.condition.slice(0, 16)], ['', 'silent_for > 120']);
    await call('alert_rule_reset', { name: 'CPU busy' });
    assert.is((await call('alert_rule_reset', { name: 'Disk full' })).for_s, 60);
    assert.ok((await call('alert_rule_reset', { name: 'Disk almost full' })).enable);
    assert.equal(await names(), DEFAULT_RULES);
  });

  test('a rule is made, changed, switched and deleted', async () => {
    const made = await call('alert_rule_create', { rule: busy });
    const { id, updated_at, ...rest } = made;
    assert.ok(id > 0 && updated_at > 0);
    assert.equal(rest, {
      ...busy,
      ...{ clear: null, for_s: 0, clear_for_s: 0, severity: 'warning', enable: true, notify: true },
      ...{ policy: null, repeat_s: null, summary: '', runbook: '', labels: {}, shipped: null },
      ...{ owner: null, problem: null, open: 0 },
    });
    const change = { name: 'web', severity: 'critical', clear: 'cpu_usage < 75', for_s: 300 };
    const changed = await call('alert_rule_update', { name: 'web busy', change });
    assert.equal(
      [changed.name, changed.severity, changed.clear, changed.for_s],
      Object.values(change),
    );
    const back = await call('alert_rule_update', {
      name: 'web',
      change: { clear: null, for_s: null },
    });
    assert.equal([back.clear, back.for_s, back.severity], [null, 0, 'critical']);
    assert.not((await call('alert_rule_set_enable', { name: 'web', enable: false })).enable);
    assert.equal(await call('alert_rule_delete', { name: 'web' }), { success: true });
    assert.is((await failure(call('alert_rule_get', { name: 'web' }))).code, 105);
  });

  const bad: readonly [string, object, number, RegExp][] = [
    [
      'an unknown variable',
      { condition: 'cpu_usge > 90' },
      108,
      /condition, characters 0 to 8: .*cpu_usage/,
    ],
    ['a number for a condition', { condition: 'cpu_usage' }, 108, /compare it/],
    ['a faulty clear', { clear: 'nope < 1' }, 108, /^Invalid input: clear, characters 0 to 4/],
    ['no scope', { scope: {} }, 108, /scope: name agents or tags/],
    ['an empty list', { scope: { tags: [] } }, 108, /scope: name agents or tags/],
    ['all and something', { scope: { all: true, tags: ['a'] } }, 108, /leave out all/],
    ['an unknown machine', { scope: { agents: [randomUUID()] } }, 106, /UUID not found/],
    ['an unknown policy', { policy: 'nights' }, 108, /no policy 'nights'/],
    ['a runbook that is no address', { runbook: 'javascript:alert(1)' }, 108, /https/],
    ['a name that is taken', { name: 'Machine offline' }, 108, /already/],
    ['a name with spaces around it', { name: ' x' }, 108, /space/],
    ['a short repeat', { repeat_s: 5 }, 108, /at least 60/],
    ['a negative hold', { for_s: -1 }, -32602, /Invalid params/],
    ['an unknown member', { colour: 'red' }, -32602, /Invalid params/],
    ['an unknown severity', { severity: 'fatal' }, -32602, /Invalid params/],
  ];
  for (const [what, over, code, message] of bad) {
    test(`${what} is refused, and nothing changes`, async () => {
      const {
        code: got,
        message: said,
        data,
      } = (await failure(call('alert_rule_create', { rule: { ...busy, ...over } }))) as any;
      assert.is(got, code, said);
      assert.match(`${said} ${data ?? ''}`, message);
      assert.equal(await names(), DEFAULT_RULES);
    });
  }

  test('a check tells places of faults, and how many machines it is about', async () => {
    const uuid = randomUUID();
    await report(app, uuid, { cpu_usage: 950 });
    const check = (over: object, token?: string) =>
      call('alert_rule_check', { source: 'machine', condition: 'cpu_usage > 90', ...over }, token);
    assert.equal(await check({ condition: 'cpu_usge > 90' }), {
      valid: false,
      errors: [
        {
          message: 'there is no variable cpu_usge; did you mean cpu_usage?',
          from: 0,
          to: 8,
          nearest: 'cpu_usage',
        },
      ],
      variables: [],
      matches: 1,
      true_now: 0,
      cut: false,
    });
    const { valid, variables, matches, true_now } = await check({});
    assert.equal([valid, variables, matches, true_now], [true, ['cpu_usage'], 1, 1]);
    assert.is((await check({ condition: 'cpu_usage > 96' })).true_now, 0);
    assert.is((await check({}, await app.token([]))).matches, 0);
    // What only the values show is a condition without a verdict, and half a rule no failure.
    const beyond = await check({ condition: 'tags[5] == "a"' });
    assert.equal([beyond.valid, beyond.true_now, beyond.cut], [true, 0, false]);
    for (const scope of [{}, { agents: [] }, { tags: [] }])
      assert.equal([(await check({ scope })).valid, (await check({ scope })).matches], [true, 0]);
    const logged = app.records().map((record) => JSON.stringify(record));
    assert.equal(
      logged.filter((line) => /failed.*alert_rule_check|alert_rule_check.*failed/.test(line)),
      [],
    );
    const found = await call('alert_rule_variables', { source: 'presence' });
    assert.ok(found.some(({ name, unit }: any) => name === 'silent_for' && unit === 's'));
  });

  test('a rule that names machines takes the right to these, any other the right to all', async () => {
    const uuid = randomUUID();
    await report(app, uuid);
    const permissions = [
      { alert: 'write' },
      { alert: 'read' },
      { dynamic_monitoring_summary: 'read' },
    ];
    const token = await app.token([{ scopes: [{ agent_uuid: uuid }], permissions }]);
    assert.is((await failure(call('alert_rule_create', { rule: busy }, token))).code, 102);
    const mine = { ...busy, name: 'mine', scope: { agents: [uuid.toUpperCase()] } };
    const made = await call('alert_rule_create', { rule: mine }, token);
    assert.equal([made.scope, made.owner], [{ agents: [uuid] }, token.split(':')[0]]);
    assert.equal(await names(token), ['mine']);
    const wider = call(
      'alert_rule_update',
      { name: 'mine', change: { scope: { all: true } } },
      token,
    );
    assert.is((await failure(wider)).code, 102);
    assert.is((await failure(call('alert_rule_delete', { name: 'Disk full' }, token))).code, 102);
    await call('alert_rule_delete', { name: 'mine' }, token);
  });

  test('a stored condition that is not understood any more is off with a reason, and others run', async () => {
    await call('alert_rule_create', { rule: { ...busy, name: 'old words' } });
    await app.sql(`update alert_rule set condition = 'gone_variable > 1' where name = 'old words'`);
    await app.restart();
    const rule = await call('alert_rule_get', { name: 'old words' });
    assert.match(rule.problem, /its condition: there is no variable gone_variable/);
    assert.is((await call('alert_rule_get', { name: 'Disk full' })).problem, null);
    await call('alert_rule_delete', { name: 'old words' });
  });

  test.run();
}

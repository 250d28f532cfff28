// Silences, maintenance windows and policies over the wire (plugins/alert/README.md).

import { randomUUID } from 'node:crypto';
import { MaintenanceWindows } from '@svc/plugin-alert/api';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { create, webhook } from '../notify/kit.ts';
import { failure } from '../protocol/agent-kit.ts';
import { suite } from '../runner/suite.ts';
import { kernelOf } from '../shared-servers.ts';
import { opened, PLUGINS, report } from './settings-kit.ts';

const HOUR = 3_600_000;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`alert: silences, windows, policies (${dialect})`);
  let app: TestApp;
  test.before(async () => {
    app = await bootForTest([...PLUGINS, 'status-page'], {}, { dialect });
  });
  test.after(() => app.stop());
  const call = (method: string, params: object, token = app.superToken): Promise<any> =>
    app.call(method, { token, ...params });
  const refusal = (method: string, params: object, token?: string) =>
    failure(call(method, params, token));
  const soon = () => kernelOf(app).clock.now() + HOUR;

  test('no name has control characters or such that turn the text, and no text U+0000', async () => {
    const scope = { agents: [randomUUID()] };
    const rule = { name: 'r', source: 'machine', scope, condition: 'cpu_usage > 999' };
    const window = { name: 'w', scope, once: { from: soon(), to: soon() + HOUR } };
    const silence = { scope, reason: 'r', ends_at: soon() };
    const rows: [string, object][] = [];
    for (const bad of ['a\0b', 'a\r\nb', 'a\u202eb', 'a\u0085b', 'a\u2028b'])
      rows.push(
        ['alert_rule_create', { rule: { ...rule, name: bad } }],
        ['alert_rule_create', { rule: { ...rule, labels: { a: bad } } }],
        ['alert_rule_create', { rule: { ...rule, labels: { [bad]: 'a' } } }],
        ['alert_rule_create', { rule: { ...rule, runbook: bad } }],
        ['alert_window_create', { window: { ...window, name: bad } }],
        ['alert_silence_create', { silence: { ...silence, reason: bad } }],
        ['alert_policy_set', { policy: { name: bad, steps: [] } }],
      );
    const tags = { tags: ['a\0'] };
    rows.push(
      ['alert_rule_create', { rule: { ...rule, summary: 'a\0' } }],
      ['alert_rule_create', { rule: { ...rule, condition: 'name == "\0"' } }],
      ['alert_rule_create', { rule: { ...rule, scope: tags } }],
      ['alert_silence_create', { silence: { ...silence, scope: tags } }],
      ['alert_window_create', { window: { ...window, scope: tags } }],
    );
    for (const [method, params] of rows)
      assert.is((await refusal(method, params)).code, -32602, JSON.stringify(params));
    const name = 'Küche 👩‍🍳 می‌خواهم';
    assert.is(
      (await call('alert_rule_create', { rule: { ...rule, scope: { all: true }, name } })).name,
      name,
    );
    await call('alert_rule_delete', { name });
  });

  test('a silence says what it hides, ends when somebody ends it, and stays in the list of the past', async () => {
    const machine = randomUUID();
    const { rule, id } = await opened(app, machine);
    const scope = { agents: [machine.toUpperCase()], rules: [rule] };
    const preview = await call('alert_silence_preview', { scope });
    assert.equal([preview.hides, preview.alerts.map((one: any) => one.id)], [1, [id]]);
    assert.is(
      (await call('alert_silence_preview', { scope: { ...scope, rules: ['x'] } })).hides,
      0,
    );
    const silence = { scope, reason: ' new disk ', ends_at: soon() };
    const made = await call('alert_silence_create', { silence });
    assert.equal(
      [made.reason, made.hides, made.ended_by, made.scope.agents],
      ['new disk', 1, null, [machine]],
    );
    const again = await call('alert_silence_preview', { scope });
    assert.equal(again.alerts[0].hidden_by, { kind: 'silence', name: 'new disk' });
    assert.equal(
      (await call('alert_silence_list', {})).map((one: any) => one.hides),
      [1],
    );
    const ended = await call('alert_silence_end', { id: made.id });
    assert.ok(ended.ends_at <= kernelOf(app).clock.now() && ended.ended_by !== null);
    assert.equal(await call('alert_silence_list', {}), []);
    assert.equal(
      (await call('alert_silence_list', { past: true })).map((one: any) => one.id),
      [made.id],
    );
    assert.match((await refusal('alert_silence_end', { id: made.id })).message, /ended already/);
    assert.is((await refusal('alert_silence_end', { id: 999 })).code, 105);
  });

  test('a silence needs a reason, an end within a year, and a scope', async () => {
    const scope = { tags: ['web'] };
    for (const [silence, code] of [
      [{ scope, reason: ' ', ends_at: soon() }, 108],
      [{ scope, reason: 'x', ends_at: kernelOf(app).clock.now() - 1 }, 108],
      [
        {
          scope,
          reason: 'x',
          starts_at: soon() + 400 * 24 * HOUR,
          ends_at: soon() + 401 * 24 * HOUR,
        },
        108,
      ],
      [{ scope, reason: 'x', ends_at: soon(), starts_at: soon() + 1_000 }, 108],
      [{ scope: {}, reason: 'x', ends_at: soon() }, -32602],
      [{ scope, reason: 'x' }, -32602],
    ] as const) {
      assert.is(
        (await refusal('alert_silence_create', { silence })).code,
        code,
        JSON.stringify(silence),
      );
    }
    assert.equal(await call('alert_silence_list', {}), []);
    const long = { scope, reason: 'x', ends_at: soon() + 4_000 * 24 * HOUR };
    const { id, ends_at } = await call('alert_silence_create', { silence: long });
    assert.ok(ends_at < soon() + 367 * 24 * HOUR, 'it is cut');
    await call('alert_silence_end', { id });
  });

  test('who may silence one machine may not silence others, nor see their silences', async () => {
    const [mine, other] = [randomUUID(), randomUUID()];
    await opened(app, mine);
    await opened(app, other);
    const limit = {
      scopes: [{ agent_uuid: mine }],
      permissions: [{ alert: 'silence' }, { alert: 'read' }],
    };
    const token = await app.token([limit]);
    const silence = (agents: string[] | undefined) => ({
      silence: { scope: agents ? { agents } : { tags: ['web'] }, reason: 'x', ends_at: soon() },
    });
    const { id } = await call('alert_silence_create', silence([mine]), token);
    for (const agents of [[other], [mine, other], undefined])
      assert.is((await refusal('alert_silence_create', silence(agents), token)).code, 102);
    const foreign = await call('alert_silence_create', silence([other]));
    assert.equal(
      (await call('alert_silence_list', {}, token)).map((one: any) => one.id),
      [id],
    );
    assert.is((await refusal('alert_silence_end', { id: foreign.id }, token)).code, 102);
    assert.is((await refusal('alert_silence_end', { id: 999 }, token)).code, 102);
    assert.equal(await call('alert_policy_list', {}, token), []);
    for (const one of [id, foreign.id]) await call('alert_silence_end', { id: one });
  });

  const DAILY = { cron: '30 2 * * *', duration_s: 3_600, zone: 'Europe/Berlin' };
  const window = (name: string, over: object = {}) => ({
    window: { name, scope: { tags: ['web'] }, ...DAILY, ...over },
  });

  test('a window is made, shown with its next five times, changed and deleted', async () => {
    const made = await call('alert_window_create', window('nightly'));
    assert.equal(
      [made.next.length, made.once, made.effect, made.public, made.enable],
      [5, null, 'quiet', [], true],
    );
    assert.ok(made.next.every(([from, to]: number[]) => to! - from! === HOUR));
    assert.match(
      (await refusal('alert_window_create', window('nightly'))).message,
      /there already/,
    );
    const now = kernelOf(app).clock.now();
    const once = { from: now - 1_000, to: now + HOUR };
    const change = { once, name: 'today', public: ['fleet'] };
    const changed = await call('alert_window_update', { name: 'nightly', change });
    assert.equal(
      [changed.name, changed.once, changed.cron, changed.active],
      ['today', once, null, true],
    );
    const off = await call('alert_window_update', { name: 'today', change: { enable: false } });
    assert.equal([off.active, off.once, off.public], [false, once, ['fleet']]);
    assert.equal(
      (await call('alert_window_list', {})).map((one: any) => one.name),
      ['today'],
    );
    assert.equal(await call('alert_window_delete', { name: 'today' }), { success: true });
    assert.is((await refusal('alert_window_delete', { name: 'today' })).code, 105);
    assert.is((await refusal('alert_window_update', { name: 'today', change: {} })).code, 105);
  });

  test('a preview shows when a window would hold, and refuses what it cannot be', async () => {
    const from = Date.UTC(2026, 2, 28, 12);
    const to = from + 48 * HOUR;
    const { active } = await call('alert_window_preview', { ...window('x'), from, to });
    assert.equal(active[0], [Date.UTC(2026, 2, 29, 1), Date.UTC(2026, 2, 29, 2)]);
    for (const [over, words] of [
      [{ cron: 'x' }, /five fields/],
      [{ zone: 'Mars' }, /no time zone/],
      [{ once: { from, to } }, /give once/],
    ] as const) {
      const { code, message } = await refusal('alert_window_preview', {
        ...window('x', over),
        from,
        to,
      });
      assert.is(code, 108);
      assert.match(message, words);
    }
    const far = await refusal('alert_window_preview', {
      ...window('x'),
      from,
      to: from + 63 * 24 * HOUR,
    });
    assert.match(far.message, /62 days/);
  });

  test('the policy default is there from the first start; others are made, used, and deleted when no rule uses them', async () => {
    const [first] = await call('alert_policy_list', {});
    assert.equal(first, {
      ...{ name: 'default', steps: [], group_by: 'rule', wait_s: 10, interval_s: 60 },
      ...{ repeat_s: { critical: 14_400 }, send_close: true },
    });
    assert.match((await refusal('alert_policy_delete', { name: 'default' })).message, /stays/);
    const steps = [
      { after_s: 900, channels: ['mail'] },
      { after_s: 0, channels: ['mail'] },
    ];
    const policy = {
      name: 'night',
      steps,
      quiet: { from: '22:00', to: '07:00', zone: 'Europe/Berlin' },
    };
    assert.match((await refusal('alert_policy_set', { policy })).message, /no channel 'mail'/);
    await create(app, webhook('mail', 'http://127.0.0.1:9/'));
    const stored = await call('alert_policy_set', { policy });
    assert.equal(
      stored.steps.map((step: any) => step.after_s),
      [0, 900],
    );
    for (const [over, words] of [
      [{ quiet: { ...policy.quiet, to: '22:00' } }, /must end/],
      [{ quiet: { ...policy.quiet, to: '29:00' } }, /no time of day/],
      [{ quiet: { ...policy.quiet, zone: 'Mars' } }, /no time zone/],
      [{ steps: [steps[0], steps[0]] }, /same after_s/],
    ] as const)
      assert.match(
        (await refusal('alert_policy_set', { policy: { ...policy, ...over } })).message,
        words,
      );
    await call('alert_policy_set', { policy: { ...policy, wait_s: 5 } });
    const { rule } = await opened(app, randomUUID(), { policy: 'night' });
    assert.match((await refusal('alert_policy_delete', { name: 'night' })).message, /a rule uses/);
    await call('alert_rule_delete', { name: rule });
    assert.equal(await call('alert_policy_delete', { name: 'night' }), { success: true });
    assert.is((await refusal('alert_policy_delete', { name: 'night' })).code, 105);
  });

  test('a window is shown on a status page by those who may write that page', async () => {
    const machine = randomUUID();
    await report(app, machine);
    const writes = { scopes: [{ agent_uuid: machine }], permissions: [{ alert: 'write' }] };
    const page = { scopes: [{ status_page: 'mine' }], permissions: [{ status_page: 'write' }] };
    const [plain, may] = [await app.token([writes]), await app.token([writes, page])];
    const now = kernelOf(app).clock.now();
    const once = { from: now - 1_000, to: now + HOUR };
    const shown = (name: string, slug: string) => ({
      window: { name, scope: { agents: [machine] }, once, public: [slug] },
    });
    const { code, message } = await refusal('alert_window_create', shown('w', 'mine'), plain);
    assert.equal([code, /status_page write/.test(message)], [102, true]);
    assert.is((await refusal('alert_window_create', shown('w', 'main'), may)).code, 102);
    await call('alert_window_create', shown('w', 'mine'), may);
    // Whoever changes a window owns it, and would show it.
    const change = { enable: true };
    assert.is((await refusal('alert_window_update', { name: 'w', change }, plain)).code, 102);
    const windows = kernelOf(app).use(MaintenanceWindows);
    assert.equal(windows.active('mine', now).length, 1);
    await call('token_edit', { target_token: may.split(':')[0], limit: [writes] });
    await call('alert_window_create', window('reload'));
    assert.equal(windows.active('mine', now), [], 'its owner lost the right');
    for (const name of ['w', 'reload']) await call('alert_window_delete', { name });
  });

  test('tokens share room for silences and windows, and leave the Super Token its own', async () => {
    const small = await bootForTest(
      PLUGINS,
      { alert: { max_silences: 8, max_windows: 4 } },
      { dialect },
    );
    const machine = randomUUID();
    await report(small, machine);
    const permissions = [{ alert: 'write' }, { alert: 'silence' }, { alert: 'read' }];
    const token = await small.token([{ scopes: [{ agent_uuid: machine }], permissions }]);
    const scope = { agents: [machine] };
    const silence = { scope, reason: 'x', ends_at: soon() };
    const make = (by = small.superToken): Promise<any> =>
      small.call('alert_silence_create', { token: by, silence });
    const mine = await make(token);
    await make(token);
    const full = await failure(make(token));
    assert.is(full.code, 108);
    assert.match(full.message, /2 silences, and max_silences under \[alert\].* allows 2: end some/);
    await make();
    await small.call('alert_silence_end', { token, id: mine.id });
    await make(token);
    const open = (name: string, by = small.superToken) =>
      small.call('alert_window_create', { token: by, window: { name, scope, ...DAILY } });
    await open('a', token);
    assert.match((await failure(open('b', token))).message, /max_windows/);
    await open('b');
    await small.stop();
  });

  test('a scope names at most 1,000 things', async () => {
    const names = (what: string, count: number) =>
      Array.from({ length: count }, (_, at) => `${what} ${at}`);
    const scope = { rules: names('r', 600), tags: names('t', 401) };
    const silence = { scope, reason: 'x', ends_at: soon() };
    for (const [method, params] of [
      ['alert_silence_create', { silence }],
      ['alert_silence_preview', { scope }],
      ['alert_window_create', window('wide', { scope })],
    ] as const) {
      const { code, message } = await refusal(method, params);
      assert.equal([code, /1001 rules.*1000 are allowed/.test(message)], [108, true], message);
    }
  });

  test('many silences with many names hold nobody up', async () => {
    const made: number[] = [];
    for (let n = 0; n < 150; n++) {
      const rules = Array.from({ length: 990 }, (_, at) => `rule ${n} ${at}`);
      const silence = { scope: { rules }, reason: 'x', ends_at: soon() };
      made.push((await call('alert_silence_create', { silence })).id);
    }
    await opened(app, randomUUID());
    assert.is((await call('alert_silence_list', {})).length, 150);
    for (const id of made) await call('alert_silence_end', { id });
  });

  test('policies need the right in the whole, windows that to what they name', async () => {
    const machine = randomUUID();
    await report(app, machine);
    const limit = { scopes: [{ agent_uuid: machine }], permissions: [{ alert: 'write' }] };
    const token = await app.token([limit]);
    const policy = { name: 'x', steps: [] };
    assert.is((await refusal('alert_policy_set', { policy }, token)).code, 102);
    assert.is((await refusal('alert_window_create', window('x'), token)).code, 102);
    await call('alert_window_create', window('mine', { scope: { agents: [machine] } }), token);
    const change = { scope: { tags: ['web'] } };
    assert.is((await refusal('alert_window_update', { name: 'mine', change }, token)).code, 102);
    await call('alert_window_update', { name: 'mine', change });
    assert.is((await refusal('alert_window_delete', { name: 'mine' }, token)).code, 102);
    assert.is((await refusal('alert_window_delete', { name: 'none' }, token)).code, 102);
    await call('alert_window_delete', { name: 'mine' });
  });

  test.run();
}

// Rules about monitors, judged by what the monitors say (plugins/alert/src/presence/monitors.ts).

import { randomUUID } from 'node:crypto';
import { type MonitorNow, MonitorVerdict } from '@svc/plugin-monitor/api';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { failure } from '../protocol/agent-kit.ts';
import { suite } from '../runner/suite.ts';
import { kernelOf } from '../shared-servers.ts';
import { report } from './kit.ts';
import {
  channelFor,
  DAY,
  goes,
  MINUTE,
  pass,
  SECOND,
  told,
  typesOf,
  World,
} from './monitors-kit.ts';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`alert: monitors (${dialect})`);
  let app: TestApp;
  let world: World;
  let count = 0;
  let name: string;
  const call = (method: string, params: object = {}, token = app.superToken) =>
    app.call(method, { token, ...params });
  const openOf = async (subject = name): Promise<any[]> =>
    (await call('alert_list')).alerts.filter((one: any) => one.subject.id === subject);
  const kindsOf = async (subject = name): Promise<string[]> =>
    (await call('alert_history'))
      .filter((one: any) => one.subject.id === subject)
      .map(({ kind }: any) => kind)
      .toReversed();
  const opens = (subject = name) =>
    goes(app, `${subject} opens`, async () => (await openOf(subject)).length > 0);
  const ends = (subject = name) =>
    goes(app, `${subject} ends`, async () => (await openOf(subject)).length === 0);
  const hears = (n: number, subject = name) =>
    goes(app, `${n} messages`, async () => (await typesOf(app, subject)).length >= n);

  test.before(async () => {
    world = new World();
    app = await bootForTest(world.plugins, {}, { dialect, clock: true });
    await channelFor(app);
    await pass(app, 60 * SECOND);
  });
  test.before.each(() => {
    world.list.clear();
    world.isolated = [];
    name = `shop-${++count}`;
  });
  test.after(() => app.stop());

  test('a monitor that is down is told once, with since when and why, and its end with how long', async () => {
    world.set(name, { tags: ['web'] });
    await pass(app, 12 * SECOND);
    assert.equal(await openOf(), []);
    const since = app.clock.now() - 40 * SECOND;
    world.down(name, since);
    await opens();
    const [alert] = await openOf();
    assert.equal(
      [alert.rule, alert.severity, alert.since, alert.subject.kind, alert.value_text],
      ['Monitor down', 'critical', since, 'monitor', 'status 500'],
    );
    await hears(1);
    const back = app.clock.now();
    world.up(name, back);
    await ends();
    await hears(2);
    await pass(app, 20 * SECOND);
    const messages = await told(app, name);
    assert.equal(
      messages.map(({ type }) => type),
      ['alert.opened', 'alert.closed'],
    );
    const [first, last] = messages.map(({ alerts: [one] }) => one);
    assert.equal(
      [first?.since, first?.value, first?.shipped, first?.monitor],
      [since, 'status 500', 'monitor-down', { kind: 'http', one_place: false, not_after: null }],
    );
    assert.equal([last?.since, last?.closed_at], [since, back]);
    assert.equal(await kindsOf(), ['opened', 'closed']);
  });

  const quiet: readonly [says: string, over: Partial<MonitorNow>][] = [
    ['places that say up, with one failure of several retries', { state: 'up', up: 1 }],
    ['fewer places down than are needed', { state: 'degraded', up: 2, down: 1 }],
    ['nobody who knows', { state: 'unknown', up: 0, unknown: 3 }],
    ['a window that pauses it', { state: 'paused', up: 0 }],
  ];
  test('nothing opens by what is not down', async () => {
    const now = app.clock.now();
    for (const [says, over] of quiet) world.set(says, { since: now, ...over });
    await pass(app, 30 * SECOND);
    for (const [says] of quiet) assert.equal(await kindsOf(says), [], says);
  });

  test('what only one place knows is told as that', async () => {
    world.down(name, app.clock.now(), { unknown: 2 });
    await hears(1);
    const [message] = await told(app, name);
    assert.is(message?.alerts[0]?.monitor?.one_place, true);
  });

  const left: readonly [lifetime: number, left: number, rules: readonly string[]][] = [
    [90, 13, ['Certificate expiring']],
    [6, 1.4, ['Certificate expiring']],
    [6, 3, []],
    [90, 15, []],
    [90, 2.9, ['Certificate about to expire', 'Certificate expiring']],
    [6, 0.5, ['Certificate about to expire', 'Certificate expiring']],
  ];
  test('a certificate is expiring by days or by its share, whatever is less', async () => {
    const now = app.clock.now();
    for (const [lifetime, days] of left)
      world.set(`${lifetime}/${days}`, {
        not_after: now + days * DAY,
        lifetime_ms: lifetime * DAY,
        since: now - DAY,
      });
    await goes(app, 'opened', async () => (await openOf('6/0.5')).length === 2);
    for (const [lifetime, days, rules] of left) {
      const open = await openOf(`${lifetime}/${days}`);
      assert.equal(open.map(({ rule }) => rule).sort(), rules, `${lifetime}/${days}`);
      // The certificate is as it was before: the alert begins when it was noticed.
      for (const { since } of open) assert.ok(since >= now);
    }
    await hears(1, '90/13');
    const [message] = await told(app, '90/13');
    assert.is(message?.alerts[0]?.monitor?.not_after, now + 13 * DAY);
    // The weaker one hangs below the stronger one.
    await hears(1, '6/0.5');
    await pass(app, 20 * SECOND);
    const heard = (await told(app, '6/0.5')).flatMap(({ alerts }) => alerts);
    assert.equal(
      heard.map(({ shipped }) => shipped),
      ['certificate-critical'],
    );
    world.set('90/13', { not_after: now + 90 * DAY });
    world.set('90/2.9', { not_after: null });
    await ends('90/13');
    await ends('90/2.9');
    assert.equal(await kindsOf('90/13'), ['opened', 'closed']);
    assert.ok((await kindsOf('90/2.9')).includes('expired'));
  });

  test('a certificate that has ended is a monitor that is down, with the reason', async () => {
    const not_after = app.clock.now() - 2 * DAY;
    const detail = 'the certificate expired 2 days ago';
    const over = { kind: 'tls', not_after, lifetime_ms: 90 * DAY, detail };
    world.down(name, app.clock.now(), over);
    await goes(app, 'opened', async () =>
      (await openOf()).some(({ rule }) => rule === 'Monitor down'),
    );
    const down = (await openOf()).find(({ rule }) => rule === 'Monitor down');
    assert.is(down.value_text, detail);
  });

  test('a late or failed heartbeat has a rule of its own, and ends with the next good one', async () => {
    world.set(name, { kind: 'heartbeat' });
    const since = app.clock.now();
    world.down(name, since, { kind: 'heartbeat', detail: 'it said that it failed' });
    await hears(1);
    assert.equal(
      (await openOf()).map(({ rule }) => rule),
      ['Heartbeat late or failed'],
    );
    world.up(name, app.clock.now());
    await hears(2);
    assert.equal(await typesOf(app, name), ['opened', 'closed']);
  });

  test('the severity is at most that of the monitor, as it was at the opening', async () => {
    world.down(name, app.clock.now(), { severity: 1 });
    await hears(1);
    assert.is((await told(app, name))[0]?.severity, 'warning');
    world.set(name, { severity: 2 });
    await pass(app, 12 * SECOND);
    const [{ severity }] = await openOf();
    assert.is(severity, 'warning');
    const { counts } = await call('alert_list');
    assert.equal([counts.critical, counts.warning > 0], [0, true]);
  });

  test('unknown and paused freeze an alert; after a day of it the alert expires', async () => {
    const since = app.clock.now();
    world.down(name, since);
    await hears(1);
    for (const state of ['unknown', 'paused', 'down'] as const) {
      world.set(name, { state, since: state === 'down' ? since : app.clock.now() });
      await pass(app, 24 * SECOND);
      assert.is((await openOf()).length, 1, state);
    }
    assert.equal(await kindsOf(), ['opened']);
    world.set(name, { state: 'unknown', since: app.clock.now() - DAY - MINUTE });
    await ends();
    assert.equal(await kindsOf(), ['opened', 'expired']);
  });

  test('a monitor that is deleted or switched off ends its alert without a recovery', async () => {
    world.down(name, app.clock.now());
    await hears(1);
    world.list.delete(name);
    await ends();
    await hears(2);
    const [, last] = await told(app, name);
    assert.equal([last?.type, last?.alerts[0]?.note], ['alert.closed', 'expired']);
  });

  test('a monitor that is called otherwise during its outage has the same alert, under its new name', async () => {
    const renamed = `${name}-renamed`;
    const since = app.clock.now();
    world.down(name, since);
    await hears(1);
    const [{ id, episode }] = await openOf();
    await call('alert_ack', { id, note: 'on it' });
    world.rename(name, renamed);
    // The name that it had is that of another one now, which is down, too.
    world.down(name, app.clock.now());
    await pass(app, 20 * SECOND);
    const [alert] = await openOf(renamed);
    assert.equal(
      [alert.id, alert.episode, alert.since, alert.ack_note, alert.subject.name],
      [id, episode, since, 'on it', renamed],
    );
    assert.not((await openOf()).some((one) => one.id === id));
    assert.equal(await typesOf(app, renamed), []);
    world.up(renamed, app.clock.now());
    await hears(1, renamed);
    assert.equal(await typesOf(app, renamed), ['closed']);
    assert.equal(await kindsOf(renamed), ['opened', 'acked', 'closed']);
    world.list.delete(renamed);
    await pass(app, 12 * SECOND);
    assert.equal((await kindsOf(renamed)).at(-1), 'closed');
  });

  test('what a silence hides stays hidden under another name, and a silence of that name hides it, too', async () => {
    const silence = { reason: 'new disk', ends_at: app.clock.now() + 30 * MINUTE };
    const silenceOf = (monitor: string) =>
      call('alert_silence_create', { silence: { ...silence, scope: { monitors: [monitor] } } });
    const first = await silenceOf(name);
    world.down(name, app.clock.now());
    await opens();
    const renamed = `${name}-renamed`;
    world.rename(name, renamed);
    await pass(app, 20 * SECOND);
    assert.is((await openOf(renamed))[0].hidden_by.name, 'new disk');
    await silenceOf(renamed);
    await call('alert_silence_end', { id: first.id });
    await pass(app, 20 * SECOND);
    assert.is((await openOf(renamed))[0].hidden_by.kind, 'silence');
    assert.equal(await typesOf(app, renamed), []);
  });

  test('below a parent that is down nothing is told, and it is counted; afterwards what is still down is', async () => {
    const [child, grandchild] = [`${name}-child`, `${name}-grandchild`];
    const parent = world.set(name);
    const middle = world.set(child, { parent: parent.id });
    world.set(grandchild, { parent: middle.id });
    const now = app.clock.now();
    for (const one of [name, child, grandchild]) world.down(one, now);
    await opens(grandchild);
    await hears(1);
    await pass(app, 20 * SECOND);
    assert.equal(await typesOf(app, child), []);
    const [hidden] = await openOf(child);
    assert.equal(hidden.hidden_by, { kind: 'subject', name });
    assert.equal((await openOf())[0].below, 2);
    world.up(name, app.clock.now());
    world.up(grandchild, app.clock.now());
    await hears(1, child);
    await hears(2);
    assert.equal(await typesOf(app, grandchild), []);
    assert.equal(await typesOf(app, name), ['opened', 'closed']);
    world.up(child, app.clock.now());
    await hears(2, child);
  });

  test('a verdict is judged in the next round', async () => {
    world.set(name);
    await pass(app, 12 * SECOND);
    const now = app.clock.now();
    world.down(name, now);
    kernelOf(app).publish(MonitorVerdict, { changes: [] });
    await opens();
    const [{ opened_at }] = await openOf();
    assert.ok(opened_at - now <= 4 * SECOND, `${opened_at - now}`);
  });

  test('parents in a circle hide nothing', async () => {
    const now = app.clock.now();
    const a = world.down(name, now);
    const b = world.down(`${name}-b`, now, { parent: a.id });
    world.set(name, { parent: b.id });
    world.up(`${name}-b`, now);
    await hears(1);
  });

  test('a silence and a window by the name of a monitor hide its alert, and its end is heard by nobody', async () => {
    const now = app.clock.now();
    const scope = { monitors: [name] };
    const silence = { scope, reason: 'new disk', ends_at: now + 40 * SECOND };
    await call('alert_silence_create', { silence });
    world.down(name, now);
    world.down(`${name}-other`, now);
    await hears(1, `${name}-other`);
    assert.equal((await openOf())[0].hidden_by, { kind: 'silence', name: 'new disk' });
    assert.equal(await typesOf(app, name), []);
    const once = { from: now, to: now + 90 * SECOND };
    await call('alert_window_create', { window: { name, scope, once } });
    await pass(app, 50 * SECOND);
    assert.equal(await typesOf(app, name), []);
    await hears(1);
    assert.is((await told(app, name))[0]?.alerts[0]?.since, now);
  });

  test('one that was down before a rule was made is shown, and nobody is told', async () => {
    world.set(name, { state: 'degraded', since: app.clock.now() - MINUTE, up: 1, down: 1 });
    const rule = {
      name,
      source: 'monitor',
      scope: { monitors: [name] },
      condition: 'state == "degraded"',
    };
    await call('alert_rule_create', { rule });
    await opens();
    await pass(app, 20 * SECOND);
    assert.equal(await typesOf(app, name), []);
    await call('alert_rule_delete', { name });
  });

  test('a rule that says something else ends its alert now, however long the monitor is down', async () => {
    const rule = { name, source: 'monitor', scope: { monitors: [name] }, severity: 'info' };
    await call('alert_rule_create', { rule: { ...rule, condition: 'state == "down"' } });
    await pass(app, 2 * SECOND);
    world.down(name, app.clock.now());
    await goes(app, 'both', async () => (await openOf()).length === 2);
    await pass(app, 30 * SECOND);
    const now = app.clock.now();
    const change = { condition: 'state == "down" && places_down > 3' };
    await call('alert_rule_update', { name, change });
    await goes(app, 'one', async () => (await openOf()).length === 1);
    const events = await call('alert_history', { rule: name, kinds: ['closed'] });
    assert.ok(events[0].detail.closed_at === undefined && events[0].at >= now);
    await call('alert_rule_delete', { name });
  });

  test('rules name monitors or their tags, hold, and end where the scope is no longer theirs', async () => {
    const scope = { tags: [name] };
    const rule = {
      name,
      source: 'monitor',
      scope,
      condition: 'ms > 2000 && group == "eu"',
      for_s: 10,
    };
    await call('alert_rule_create', { rule });
    world.set(name, { ms: 2_400, group: 'eu', tags: [name] });
    world.set(`${name}-other`, { ms: 2_400, group: 'eu' });
    const asked = { source: 'monitor', scope, condition: rule.condition };
    const { matches, true_now, valid } = await call('alert_rule_check', asked);
    assert.equal([valid, matches, true_now], [true, 1, 1]);
    await opens();
    const [alert] = await openOf();
    assert.equal([alert.value_text, alert.threshold], ['2400 ms', '> 2000 ms']);
    assert.equal(await openOf(`${name}-other`), []);
    await call('alert_rule_update', { name, change: { scope: { monitors: [`${name}-other`] } } });
    await opens(`${name}-other`);
    assert.equal((await kindsOf()).at(-1), 'expired');
    await call('alert_rule_delete', { name });
    const agents = [randomUUID()];
    const refused = await failure(
      call('alert_rule_create', { rule: { ...rule, scope: { agents } } }),
    );
    assert.equal([refused.code, /look.*at monitors/.test(refused.message)], [108, true]);
    const names = (await call('alert_rule_variables', { source: 'monitor' })).map(
      (one: any) => one.name,
    );
    assert.ok(
      ['state', 'down_for', 'places_unknown', 'tls.days_left'].every((one) => names.includes(one)),
    );
    const played = { rule, from: 1_000, to: 60_000 };
    assert.is((await failure(call('alert_rule_test', played))).code, 108);
  });

  test('a server that is cut off is one problem of the server', async () => {
    world.isolated = [{ server: '0b6f1c52-7a35', since: app.clock.now() }];
    await opens('0b6f1c52');
    const [alert] = await openOf('0b6f1c52');
    assert.equal(
      [alert.rule, alert.part, alert.subject.kind],
      ['Server cut off', 'cut_off', 'server'],
    );
    world.isolated = [];
    await ends('0b6f1c52');
  });

  test('nothing is asked where no rule about monitors runs', async () => {
    const rules = (await call('alert_rule_list')).filter((one: any) => one.source === 'monitor');
    for (const one of rules) await call('alert_rule_set_enable', { name: one.name, enable: false });
    await pass(app, 12 * SECOND);
    const before = world.asked;
    await pass(app, 40 * SECOND);
    assert.is(world.asked, before);
    for (const one of rules) await call('alert_rule_set_enable', { name: one.name, enable: true });
    await pass(app, 40 * SECOND);
    assert.ok(world.asked > before && world.asked <= before + 6, `${world.asked - before}`);
  });

  test('what only machines check that are away is not told, and their machine is', async () => {
    const agent = randomUUID();
    await report(app, agent);
    await app.clock.sleep(11 * MINUTE);
    await pass(app, 130 * SECOND, [agent]);
    world.set(name, { agents: [agent] });
    await goes(app, 'offline', async () => (await openOf(agent)).length > 0);
    world.down(name, app.clock.now());
    await opens();
    await pass(app, 20 * SECOND);
    assert.equal(await typesOf(app, name), []);
    assert.equal((await openOf())[0].hidden_by.kind, 'subject');
    assert.equal(
      (await openOf(agent)).map(({ below }) => below),
      [1],
    );
    await goes(app, 'told', async () => (await typesOf(app, name)).length > 0, [agent]);
  });

  test('a restart says nothing again, keeps what is hidden hidden, and goes on', async () => {
    const child = `${name}-child`;
    const parent = world.down(name, app.clock.now());
    world.down(child, app.clock.now(), { parent: parent.id });
    await hears(1);
    await opens(child);
    await app.restart();
    await pass(app, 40 * SECOND);
    assert.equal(await typesOf(app, name), ['opened']);
    assert.equal(await typesOf(app, child), []);
    assert.equal(await kindsOf(), ['opened']);
    world.up(name, app.clock.now());
    world.up(child, app.clock.now());
    await hears(2);
    assert.equal(await typesOf(app, child), []);
  });

  test('a database of before gets the new rules; one that was deleted stays deleted', async () => {
    await app.sql(
      `delete from alert_rule where shipped in ('monitor-down', 'certificate', 'cut-off')`,
    );
    await call('alert_rule_delete', { name: 'Heartbeat late or failed' });
    await app.restart();
    const shipped = (await call('alert_rule_list')).map((one: any) => one.shipped);
    for (const id of ['monitor-down', 'certificate', 'certificate-critical', 'cut-off'])
      assert.ok(shipped.includes(id), id);
    assert.not(shipped.includes('heartbeat-late'));
  });

  test('without the plugin of monitors their alerts end, and the rules say why they do not run', async () => {
    world.down(name, app.clock.now());
    await opens();
    world.isOff = true;
    await app.restart();
    await ends();
    assert.equal(await kindsOf(), ['opened', 'expired']);
    const { problem } = await call('alert_rule_get', { name: 'Monitor down' });
    assert.is(problem, 'the plugin monitor is off');
  });

  test.run();
}

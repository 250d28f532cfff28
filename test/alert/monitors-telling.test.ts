// How alerts of monitors are told: many at once, by group, in steps of a certificate, and not at all in windows.

import type { MonitorNow } from '@svc/plugin-monitor/api';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import type { Message } from '../../plugins/notify/src/api.ts';
import { create, webhook } from '../notify/kit.ts';
import { failure } from '../protocol/agent-kit.ts';
import { suite } from '../runner/suite.ts';
import {
  channelFor,
  DAY,
  goes,
  MINUTE,
  NOWHERE,
  pass,
  SECOND,
  told,
  typesOf,
  World,
} from './monitors-kit.ts';

const namesOf = (messages: readonly Message[]): string[][] =>
  messages.map(({ alerts }) => alerts.map(({ subject }) => subject.name).toSorted());

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`alert: telling of monitors (${dialect})`);
  let app: TestApp;
  let world: World;
  const call = (method: string, params: object = {}) =>
    app.call(method, { token: app.superToken, ...params });
  const openOf = async (subject: string): Promise<any[]> =>
    (await call('alert_list')).alerts.filter((one: any) => one.subject.id === subject);
  const hears = (n: number, subject: string) =>
    goes(app, `${n} messages`, async () => (await typesOf(app, subject)).length >= n);
  const policy = async (over: object = {}) => {
    const steps = [{ after_s: 0, channels: ['A'] }];
    const given = { name: 'default', steps, wait_s: 4, interval_s: 0, ...over };
    await call('alert_policy_set', { policy: given });
  };
  const allOf = async (type: string): Promise<Message[]> =>
    (await app.sql('select body from notify_outbox order by id'))
      .map(({ body }) => JSON.parse(body) as Message)
      .filter((message) => message.type === type);
  /** Monitors that are well, and some of them that go down. */
  const fall = async (start: string, all: number, down: number, over: Partial<MonitorNow> = {}) => {
    const names = Array.from({ length: all }, (_one, at) => `${start}-${at}`);
    for (const name of names) world.set(name, over);
    await pass(app, 12 * SECOND);
    const now = app.clock.now();
    for (const name of names.slice(0, down)) world.down(name, now);
    return names.slice(0, down);
  };

  test.before(async () => {
    world = new World();
    app = await bootForTest(world.plugins, {}, { dialect, clock: true });
    await channelFor(app);
    await create(app, webhook('B', NOWHERE));
    await pass(app, 60 * SECOND);
  });
  test.before.each(() => {
    world.list.clear();
  });
  test.after(() => app.stop());

  for (const group_by of ['rule', 'subject', 'group'] as const)
    test(`40 monitors that go down at once are one message, and so is their end (by ${group_by})`, async () => {
      await policy({ group_by });
      const start = `mass-${group_by}`;
      const names = await fall(start, 41, 40);
      await hears(1, `${start}-0`);
      await pass(app, 20 * SECOND);
      const own = (message: Message) => message.alerts[0]?.subject.name.startsWith(start);
      const opened = (await allOf('alert.opened')).filter(own);
      assert.equal(
        opened.map(({ alerts, more, group }) => [alerts.length, more, group.open]),
        [[10, 30, 40]],
      );
      assert.match(opened[0]?.title ?? '', /^40 of 4\d monitors went down at \d\d:\d\d UTC$/);
      const now = app.clock.now();
      for (const name of names) world.up(name, now);
      await goes(app, 'over', async () => (await openOf(`${start}-0`)).length === 0);
      await pass(app, 20 * SECOND);
      const closed = (await allOf('alert.closed')).filter(own);
      assert.equal(
        closed.map(({ alerts, more }) => [alerts.length, more]),
        [[10, 30]],
      );
    });

  test('monitors of one group are told together, those of another one and without one by themselves', async () => {
    await policy({ group_by: 'group' });
    for (let at = 0; at < 20; at++) world.set(`fine-${at}`);
    const now = app.clock.now();
    for (const [name, group] of [
      ['eu-1', 'eu "1" %'],
      ['eu-2', 'eu "1" %'],
      ['us-1', 'us'],
      ['lone', null],
    ] as const)
      world.down(name, now, { group });
    await hears(1, 'lone');
    await pass(app, 10 * SECOND);
    const opened = (await allOf('alert.opened')).slice(-3);
    assert.equal(namesOf(opened).toSorted(), [['eu-1', 'eu-2'], ['lone'], ['us-1']]);
    const eu = opened.find(({ alerts }) => alerts.length === 2);
    assert.is(eu?.group.open, 2);
    await policy({ group_by: 'subject' });
  });

  test('a certificate is told once at each of its two steps, and when it is renewed', async () => {
    const now = app.clock.now();
    const lifetime_ms = 90 * DAY;
    world.set('cert', { since: now - DAY, not_after: now + 13 * DAY, lifetime_ms });
    await hears(1, 'cert');
    world.set('cert', { not_after: now + 13 * DAY - MINUTE });
    await pass(app, 30 * SECOND);
    assert.equal(await typesOf(app, 'cert'), ['opened']);
    world.set('cert', { not_after: now + 2 * DAY });
    await hears(2, 'cert');
    // Critical ones are told every four hours, those of certificates are not.
    const cert = world.set('cert').id;
    const repeats = await app.sql(`select next_at from alert where subject_id = '${cert}'`);
    assert.equal(
      repeats.map(({ next_at }) => next_at),
      [null, null],
    );
    world.set('cert', { not_after: now + 90 * DAY });
    await goes(app, 'over', async () => (await openOf('cert')).length === 0);
    await pass(app, 20 * SECOND);
    const said = (await told(app, 'cert')).flatMap(({ type, alerts }) =>
      alerts.map(({ shipped }) => `${type} ${shipped}`),
    );
    assert.equal(said.toSorted(), [
      'alert.closed certificate',
      'alert.closed certificate-critical',
      'alert.opened certificate',
      'alert.opened certificate-critical',
    ]);
  });

  test('a silence and a window of a pattern hide all whose names begin so', async () => {
    const now = app.clock.now();
    const scope = { monitors: ['db-*', 'solo'] };
    const silence = { scope, reason: 'works', ends_at: now + 5 * MINUTE };
    await call('alert_silence_create', { silence });
    for (const name of ['db-1', 'db-2', 'solo', 'solo-2']) world.down(name, now);
    await hears(1, 'solo-2');
    for (const name of ['db-1', 'db-2', 'solo']) {
      assert.equal(await typesOf(app, name), [], name);
      assert.is((await openOf(name))[0].hidden_by.kind, 'silence', name);
    }
    const once = { from: now, to: now + 60 * MINUTE };
    const window = { name: 'nights', scope: { monitors: ['w-*'] }, once };
    await call('alert_window_create', { window });
    world.down('w-1', now);
    await goes(app, 'open', async () => (await openOf('w-1')).length > 0);
    assert.is((await openOf('w-1'))[0].hidden_by.kind, 'window');
  });

  test('a rule of a pattern looks at all whose names begin so', async () => {
    const scope = { monitors: ['api-*'] };
    const rule = { name: 'slow', source: 'monitor', scope, condition: 'ms > 2000' };
    await call('alert_rule_create', { rule });
    for (const name of ['api-1', 'web-1']) world.set(name, { ms: 3_000 });
    await goes(app, 'open', async () => (await openOf('api-1')).length > 0);
    assert.equal(await openOf('web-1'), []);
    await call('alert_rule_delete', { name: 'slow' });
  });

  test('a group and its member that are down are one message, and so is their end', async () => {
    await policy({ group_by: 'rule' });
    const { id } = world.set('member');
    world.set('group', { kind: 'group', members: [id] });
    const now = app.clock.now();
    world.down('member', now);
    world.down('group', now, { detail: 'member: status 500' });
    await hears(1, 'member');
    await pass(app, 20 * SECOND);
    assert.equal(await typesOf(app, 'group'), []);
    assert.equal(namesOf(await told(app, 'member')), [['member']]);
    const [hidden] = await openOf('group');
    assert.equal(hidden.hidden_by, { kind: 'subject', name: 'member' });
    assert.is((await openOf('member'))[0].below, 1);
    for (const name of ['member', 'group']) world.up(name, app.clock.now());
    await hears(2, 'member');
    await pass(app, 20 * SECOND);
    assert.equal(await typesOf(app, 'group'), []);
    assert.equal(await typesOf(app, 'member'), ['opened', 'closed']);
  });

  test('a group is told whose member is silenced, and hides below what the member hangs on', async () => {
    const root = world.set('root');
    const { id } = world.set('below', { parent: root.id });
    world.set('all', { kind: 'group', members: [id] });
    let now = app.clock.now();
    for (const name of ['root', 'below', 'all']) world.down(name, now);
    await hears(1, 'root');
    await pass(app, 20 * SECOND);
    assert.equal(await typesOf(app, 'all'), []);
    assert.is((await openOf('all'))[0].hidden_by.name, 'root');
    for (const name of ['root', 'below', 'all']) world.up(name, app.clock.now());
    await hears(2, 'root');
    now = app.clock.now();
    const silence = { scope: { monitors: ['below'] }, reason: 'x', ends_at: now + 5 * MINUTE };
    await call('alert_silence_create', { silence });
    for (const name of ['below', 'all']) world.down(name, now);
    await hears(1, 'all');
    assert.equal(await typesOf(app, 'below'), []);
  });

  const others: readonly [says: string, over: object, member: Partial<MonitorNow>][] = [
    ['whose channel hears of the group alone', { policy: 'others' }, {}],
    ['who hears of the member as a warning only', {}, { severity: 1 }],
  ];
  for (const [says, over, member] of others)
    test(`a group is told to those ${says}`, async () => {
      const steps = [{ after_s: 0, channels: ['B'] }];
      await call('alert_policy_set', { policy: { name: 'others', steps, wait_s: 0 } });
      const rule = { name: 'groups', source: 'monitor', severity: 'critical', ...over };
      const condition = 'state == "down" && kind == "group"';
      await call('alert_rule_create', {
        rule: { ...rule, scope: { monitors: ['team*'] }, condition },
      });
      const start = `team-${Object.keys(over).length}`;
      const { id } = world.set(`one of ${start}`, member);
      world.set(start, { kind: 'group', members: [id] });
      await pass(app, 12 * SECOND);
      for (const name of [`one of ${start}`, start]) world.down(name, app.clock.now());
      await hears(1, start);
      await hears(1, `one of ${start}`);
      await pass(app, 20 * SECOND);
      const rules = (await told(app, start)).flatMap(({ alerts }) => alerts.map((one) => one.rule));
      assert.ok(rules.includes('groups'), rules.join());
      await call('alert_rule_delete', { name: 'groups' });
    });

  test('a certificate that has ended is one message: that its monitor is down', async () => {
    const ended = { kind: 'tls', not_after: app.clock.now() - 2 * DAY, lifetime_ms: 90 * DAY };
    world.down('ended', app.clock.now(), { ...ended, detail: 'the certificate expired' });
    await goes(app, 'open', async () => (await openOf('ended')).length === 3);
    await hears(1, 'ended');
    await pass(app, 30 * SECOND);
    const said = (await told(app, 'ended')).flatMap(({ alerts }) => alerts);
    assert.equal(
      said.map(({ shipped, below }) => [shipped, below]),
      [['monitor-down', 0]],
    );
    const hidden = (await openOf('ended')).filter(({ rule }) => rule !== 'Monitor down');
    assert.equal(
      hidden.map(({ hidden_by, value_text }) => [hidden_by.name, value_text]),
      [
        ['ended', 'ended 2 days ago'],
        ['ended', 'ended 2 days ago'],
      ],
    );
    world.up('ended', app.clock.now());
    world.set('ended', { not_after: app.clock.now() + 90 * DAY });
    await hears(2, 'ended');
    await pass(app, 90 * SECOND);
    assert.equal(await typesOf(app, 'ended'), ['opened', 'closed']);
  });

  test('a certificate that has ended is told as that where nobody hears that its monitor is down', async () => {
    await call('alert_rule_set_enable', { name: 'Monitor down', enable: false });
    const ended = { kind: 'tls', not_after: app.clock.now() - 2 * DAY, lifetime_ms: 90 * DAY };
    world.down('quiet', app.clock.now(), ended);
    await hears(1, 'quiet');
    await pass(app, 20 * SECOND);
    const said = (await told(app, 'quiet')).flatMap(({ alerts }) => alerts);
    // The critical step stands for the earlier one: that is nothing further to be told.
    assert.equal(
      said.map(({ shipped, below }) => [shipped, below]),
      [['certificate-critical', 0]],
    );
    await call('alert_rule_set_enable', { name: 'Monitor down', enable: true });
  });

  test('a summary names what is checked; other rules refuse these names', async () => {
    const summary =
      '{{subject.name}}: {{monitor.target}} is down in {{monitor.places}}, {{monitor.detail}}';
    await call('alert_rule_update', { name: 'Monitor down', change: { summary } });
    world.down('named', app.clock.now(), { up: 1, down: 2 });
    await hears(1, 'named');
    const text = 'named: https://shop.example.net is down in 2/3, status 500';
    assert.is((await told(app, 'named'))[0]?.alerts[0]?.summary, text);
    assert.is((await openOf('named'))[0].summary, text);
    await call('alert_rule_update', { name: 'Monitor down', change: { summary: '' } });
    const refused = await failure(
      call('alert_rule_update', { name: 'CPU busy', change: { summary } }),
    );
    assert.equal([refused.code, /monitor\.target/.test(refused.message)], [108, true]);
  });

  test.run();
}

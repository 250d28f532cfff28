// `alert_rule_test`: what a rule would have done, from stored reports and from when machines came and went.

import { randomUUID } from 'node:crypto';
import { definePlugin } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { ReportBuckets } from '../../plugins/agent/src/api.ts';
import { AgentHistory } from '../../plugins/agent-events/src/api.ts';
import { AgentRegistry } from '../../plugins/agent-uuid/src/api.ts';
import { messagesOf } from '../../plugins/alert/src/evaluate/play.ts';
import { stepOf, usualOf } from '../../plugins/alert/src/evaluate/preview/steps.ts';
import { addTestMethod } from '../../plugins/alert/src/evaluate/test-run.ts';
import { dynamicReport, failure, PLUGINS, summaryReport } from '../protocol/agent-kit.ts';
import { suite } from '../runner/suite.ts';
import { PLUGINS as ALL, report } from './kit.ts';
import { machines } from './kit-evaluate.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const DAY = 86_400_000;
const FROM = Math.floor(Date.now() / DAY - 5) * DAY;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`alert: play a rule (${dialect})`);
  let app: TestApp;
  let A: string;
  let B: string;

  const plugin = definePlugin({
    permissions: { alert: { words: ['read'] } },
    name: 'alert-test',
    namespaces: ['alert'],
    requires: [ReportBuckets, AgentRegistry, AgentHistory],
    setup(kernel) {
      const { auth, clock } = kernel;
      kernel.hooks.methods.tap((methods) =>
        addTestMethod(methods, {
          kernel,
          auth,
          clock,
          machines,
          registry: kernel.use(AgentRegistry),
          buckets: kernel.use(ReportBuckets),
          history: kernel.use(AgentHistory),
        }),
      );
    },
  });

  /** Stores summaries of these CPU usages, one each `step` ms from `from` on. */
  const store = (
    uuid: string,
    from: number,
    { step, values }: { step: number; values: readonly number[] },
  ) =>
    Promise.all(
      values.map((cpu, n) =>
        app.call('agent_report_dynamic_summary', [
          app.superToken,
          summaryReport({ uuid, time: from + n * step, cpu_usage: cpu * 10 }),
        ]),
      ),
    );
  const play = (rule: object, over: object = {}) =>
    app.call('alert_rule_test', {
      token: app.superToken,
      rule: {
        name: 'r',
        source: 'machine',
        scope: { all: true },
        condition: 'cpu_usage > 90',
        ...rule,
      },
      from: FROM,
      to: FROM + 60 * MINUTE,
      ...over,
    });
  const same = (count: number, value: number) => Array.from({ length: count }, () => value);

  test.before(async () => {
    app = await bootForTest([...PLUGINS, 'agent-events', plugin], {}, { dialect });
    [A, B] = [randomUUID(), randomUUID()];
    const values = [...same(20, 50), ...same(70, 95), ...same(10, 85), ...same(50, 70)];
    await store(A, FROM, { step: SECOND, values });
    await store(B, FROM + DAY, { step: MINUTE, values });
  });
  test.after(() => app.stop());

  test('a short range is played second by second, with holds and hysteresis', async () => {
    const rule = { clear: 'cpu_usage < 80', for_s: 60, clear_for_s: 30 };
    assert.equal(await play(rule), {
      episodes: [
        {
          subject: { kind: 'agent', id: A, name: 'web-1' },
          part: '',
          opened_at: FROM + 80 * SECOND,
          closed_at: FROM + 130 * SECOND,
          max: 95,
        },
      ],
      messages: 2,
      evaluated: 150,
      source: 'raw',
      cut: false,
    });
    assert.equal((await play({ for_s: 90 })).episodes, []);
  });

  test('a long range is played by minutes', async () => {
    const rule = { condition: 'avg("cpu_usage", "10m") > 90', for_s: 300 };
    const { episodes, source, evaluated } = await play(rule, {
      from: FROM + DAY,
      to: FROM + 2 * DAY,
    });
    assert.is(source, 'minutes');
    assert.is(evaluated, 150);
    assert.is(episodes.length, 1);
    assert.ok(episodes[0].opened_at > FROM + DAY + 25 * MINUTE);
    assert.ok(episodes[0].opened_at < FROM + DAY + 40 * MINUTE);
  });

  test('an alert that is open at the end of the range has no end', async () => {
    const { episodes } = await play({}, { to: FROM + 60 * SECOND });
    assert.equal(
      episodes.map(({ closed_at }: { closed_at: unknown }) => closed_at),
      [null],
    );
  });

  test('only machines of the scope that the caller may read are played', async () => {
    const token = await app.token([
      { scopes: ['global'], permissions: [{ alert: 'read' }] },
      { scopes: [{ agent_uuid: B }], permissions: [{ dynamic_monitoring_summary: 'read' }] },
    ]);
    assert.is((await play({}, { token })).evaluated, 0);
    assert.is((await play({ scope: { agents: [B] } })).evaluated, 0);
    assert.is((await play({ scope: { tags: ['web'] } })).evaluated, 150);
    assert.is((await play({ scope: { tags: ['db'] } })).evaluated, 0);
    assert.is((await play({}, { agents: [B] })).evaluated, 0);
  });

  for (const [rule, over, message] of [
    [{ condition: 'cpu_usge > 1' }, {}, /rule.condition: there is no variable cpu_usge/],
    [{ clear: 'cpu_usage' }, {}, /rule.clear: .*compare it/],
    [{ condition: 'traffic("day") > 1' }, {}, /cannot be played/],
    [{ source: 'part', condition: 'disk.read_only' }, {}, /not stored/],
    [{ source: 'event', condition: 'event == "refused"' }, {}, /must be machine, part or presence/],
    [{ source: 'server', condition: 'lasts_s > 9' }, {}, /must be machine, part or presence/],
    [{ source: 'part', condition: 'name == "web-1"' }, {}, /must name a value of disks/],
    [{}, { to: FROM }, /from must be before to/],
    [{}, { from: 0 }, /at most 31 days/],
  ] as const) {
    test(`${JSON.stringify({ ...rule, ...over })} is refused`, async () => {
      const { code, message: said } = await failure(play(rule, over));
      assert.is(code, 108);
      assert.match(said, message);
    });
  }

  test.run();
  parts(dialect);
  presence(dialect);
}

const GIB = 2 ** 30;

/** Disk of 100 GiB. */
const disk = (mount_point: string, used: number, over: object = {}) => ({
  kind: 'Ssd',
  name: 'vda1',
  file_system: 'ext4',
  mount_point,
  total_space: 100 * GIB,
  available_space: (100 - used) * GIB,
  is_removable: false,
  is_read_only: false,
  read_speed: 0,
  write_speed: 0,
  ...over,
});

function parts(dialect: 'sqlite' | 'postgres'): void {
  const test = suite(`alert: play a rule on parts (${dialect})`);
  let app: TestApp;
  const uuid = randomUUID();
  const full = (time: number, used: number, over: object = {}) =>
    app.call('agent_report_dynamic', [
      app.superToken,
      dynamicReport({
        uuid,
        time,
        disk: [
          disk('/', used),
          disk('/data', 10),
          disk('/snap', 100, { file_system: 'squashfs' }),
          disk('/iso', 100, { is_read_only: true }),
        ],
        ...over,
      }),
    ]);
  const play = (rule: object, over: object = {}) =>
    app.call('alert_rule_test', {
      token: app.superToken,
      rule: {
        name: 'r',
        source: 'part',
        scope: { all: true },
        condition: 'disk.used_percent > 90',
        ...rule,
      },
      from: FROM,
      to: FROM + 60 * MINUTE,
      ...over,
    });

  test.before(async () => {
    app = await bootForTest(ALL, {}, { dialect });
    // Every ten seconds for five minutes, a disk that is there no more; then a day with one report each ten minutes.
    for (let n = 0; n < 30; n++) {
      const gone = n < 12 ? [disk('/', 50), disk('/old', 95)] : undefined;
      await full(FROM + n * 10 * SECOND, n < 10 ? 50 : 95, gone ? { disk: gone } : {});
    }
    for (let n = 0; n < 144; n++)
      await full(FROM + 2 * DAY + n * 10 * MINUTE, n < 50 || n > 100 ? 50 : 95);
  });
  test.after(() => app.stop());

  test('each disk has episodes of its own; disks that rules leave out, and values between reports, do not count', async () => {
    const { episodes, source, cut, evaluated } = await play({
      clear: 'disk.used_percent < 85',
      for_s: 60,
    });
    assert.equal(
      episodes.map(({ part, opened_at, closed_at, max }: any) => [part, opened_at, closed_at, max]),
      [
        ['/old', FROM + 60 * SECOND, null, 95],
        ['/', FROM + 180 * SECOND, null, 95],
      ],
    );
    assert.equal([source, cut, evaluated], ['raw', false, 30 + 12 + 18]);
  });

  test('a long range is played by minutes, at the pace of the reports', async () => {
    const { episodes, source } = await play(
      { clear: 'disk.used_percent < 85', for_s: 1_800 },
      { from: FROM + 2 * DAY, to: FROM + 3 * DAY },
    );
    assert.equal(
      episodes.map(({ part, opened_at, closed_at }: any) => [part, opened_at, closed_at]),
      [['/', FROM + 2 * DAY + 530 * MINUTE, FROM + 2 * DAY + 1_010 * MINUTE]],
    );
    assert.is(source, 'minutes');
  });

  test('graphics cards and interfaces are played, too', async () => {
    const gpu = await play({ condition: 'gpu.temperature > 8 && gpu.memory_used_percent > 49' });
    assert.equal(
      gpu.episodes.map(({ part, opened_at }: any) => [part, opened_at]),
      [['1', FROM]],
    );
    const network = await play({ condition: 'interface.receive_speed > 1000' });
    assert.equal(
      network.episodes.map(({ part, max }: any) => [part, max]),
      [['ens3', 1_200]],
    );
  });

  test('whoever may not read the disks of a machine sees nothing of them', async () => {
    const scopes = [{ agent_uuid: uuid }];
    const preview = { scopes: ['global'], permissions: [{ alert: 'read' }] };
    const summaries = await app.token([
      preview,
      { scopes, permissions: [{ dynamic_monitoring_summary: 'read' }] },
    ]);
    assert.is((await play({}, { token: summaries })).evaluated, 0);
    const disks = await app.token([
      preview,
      { scopes, permissions: [{ dynamic_monitoring: { read: 'disk' } }] },
    ]);
    assert.is((await play({}, { token: disks })).evaluated, 60);
  });

  test.run();
}

function presence(dialect: 'sqlite' | 'postgres'): void {
  const test = suite(`alert: play a rule on absence (${dialect})`);
  let app: TestApp;

  test.before(async () => {
    app = await bootForTest(ALL, {}, { dialect, clock: true });
  });
  test.after(() => app.stop());

  test('a machine that was away has an episode from when it had been silent for long enough', async () => {
    const uuid = randomUUID();
    const from = app.clock.now();
    /** Lets time pass, with a report each five seconds where the machine is here. */
    const pass = async (minutes: number, isHere: boolean) => {
      for (let n = 0; n < minutes * 12; n++) {
        if (isHere) await report(app, uuid);
        await app.clock.advance(5 * SECOND);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    await pass(4, true);
    await pass(6, false);
    await pass(3, true);
    await pass(1.5, false);
    await pass(2, true);
    const play = (condition: string) =>
      app.call('alert_rule_test', {
        token: app.superToken,
        rule: { name: 'r', source: 'presence', scope: { all: true }, condition, clear_for_s: 30 },
        from,
        to: app.clock.now(),
      });
    const { episodes, messages, evaluated } = await play('silent_for > 120');
    assert.is(episodes.length, 1);
    const [{ subject, opened_at, closed_at, max }] = episodes;
    assert.is(subject.id, uuid);
    const minutes = (at: number) => (at - from) / MINUTE;
    assert.ok(Math.abs(minutes(opened_at) - 6) < 0.2, `opened after ${minutes(opened_at)} min`);
    assert.ok(Math.abs(minutes(closed_at) - 10.5) < 0.2, `closed after ${minutes(closed_at)} min`);
    assert.ok(max > 340 && max < 370, `silent for ${max} s`);
    assert.is(messages, 2);
    assert.ok(evaluated < 600, `${evaluated} evaluations`);
    assert.is((await play('silent_for > 40')).episodes.length, 2);
    assert.is((await play('silent_for > 120 && "intermittent" in tags')).episodes.length, 0);
  });

  test.run();
}

const test = suite('alert: preview');

test('steps are as short as two million evaluations allow', () => {
  assert.is(stepOf(7_200_000, 1), 1_000);
  assert.is(stepOf(7_200_000, 1_000), 60_000);
  assert.is(stepOf(7 * DAY, 40), 60_000);
  assert.is(stepOf(31 * DAY, 100), 180_000);
});

test('the usual distance of values is the middle one, at least a step', () => {
  assert.is(usualOf([0, 10, 20, 90, 100], 1), 10);
  assert.is(usualOf([0, 10], 60), 60);
  assert.is(usualOf([], 60), 60);
});

test('openings and ends that come within a minute are one message, and what is over at once is none', () => {
  const episode = (from: number, to: number | null) => ({
    opened_at: from * SECOND,
    closed_at: to === null ? null : to * SECOND,
    max: null,
  });
  assert.is(messagesOf([]), 0);
  assert.is(messagesOf([episode(0, 5)]), 0);
  assert.is(messagesOf([episode(0, null)]), 1);
  assert.is(messagesOf([episode(0, 300)]), 2);
  assert.is(
    messagesOf([episode(0, null), episode(8, null), episode(30, null), episode(50, null)]),
    2,
  );
});

test.run();

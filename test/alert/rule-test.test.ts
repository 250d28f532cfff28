// `alert_rule_test`: what a rule would have done, from stored summaries.

import { randomUUID } from 'node:crypto';
import { definePlugin } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { ReportBuckets } from '../../plugins/agent/src/api.ts';
import { AgentRegistry } from '../../plugins/agent-uuid/src/api.ts';
import { messagesOf } from '../../plugins/alert/src/evaluate/play.ts';
import { addTestMethod, stepOf } from '../../plugins/alert/src/evaluate/test-run.ts';
import { failure, PLUGINS, summaryReport } from '../protocol/agent-kit.ts';
import { suite } from '../runner/suite.ts';
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
    name: 'alert-test',
    namespaces: ['alert'],
    requires: [ReportBuckets, AgentRegistry],
    setup(kernel) {
      const { auth, clock } = kernel;
      kernel.hooks.methods.tap((methods) =>
        addTestMethod(methods, {
          auth,
          clock,
          machines,
          registry: kernel.use(AgentRegistry),
          buckets: kernel.use(ReportBuckets),
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
    app = await bootForTest([...PLUGINS, plugin], {}, { dialect });
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
    [{ condition: 'cores > 1' }, {}, /not stored/],
    [{ source: 'presence', condition: 'silent_for > 1' }, {}, /must be machine/],
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
}

const test = suite('alert: preview');

test('steps are as short as two million evaluations allow', () => {
  assert.is(stepOf(7_200_000, 1), 1_000);
  assert.is(stepOf(7_200_000, 1_000), 60_000);
  assert.is(stepOf(7 * DAY, 40), 60_000);
  assert.is(stepOf(31 * DAY, 100), 180_000);
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

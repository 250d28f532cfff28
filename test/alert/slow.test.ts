// Rules with traffic, predictions and windows of more than an hour (plugins/alert/src/presence/slow.ts).

import { randomUUID } from 'node:crypto';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { PLUGINS, report } from './kit.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const MiB = 2 ** 20;
const GiB = 2 ** 30;

/** What a machine reported: values by the share of the time that is over, 0 to 1. */
interface Past {
  readonly hours: number;
  readonly values: (share: number) => object;
}

const windows: readonly {
  readonly says: string;
  readonly condition: string;
  readonly past: Past;
  readonly value: readonly [least: number, most: number] | undefined;
}[] = [
  {
    says: 'a disk that loses 80 GiB a day is full tomorrow',
    condition: 'predict("available_space", "24h") < GiB(1)',
    past: {
      hours: 25,
      values: (share) => ({ available_space: Math.round((100 - 83 * share) * GiB) }),
    },
    value: [-70 * GiB, -50 * GiB],
  },
  {
    says: 'a disk that stays as it is will not be full',
    condition: 'predict("available_space", "24h") < GiB(1)',
    past: { hours: 25, values: () => ({ available_space: 40 * GiB }) },
    value: undefined,
  },
  {
    says: 'an average of two hours',
    condition: 'avg("cpu_usage", "2h") > 80',
    past: { hours: 3, values: (share) => ({ cpu_usage: share < 0.5 ? 850 : 950 }) },
    value: [85, 95],
  },
  {
    says: 'a share of two figures has an average, too',
    condition: 'avg("memory_used_percent", "3h") > 70',
    past: { hours: 3, values: () => ({ used_memory: 3 * GiB, total_memory: 4 * GiB }) },
    value: [74, 76],
  },
  {
    says: 'a window of which less than a half has reports has no value',
    condition: 'avg("cpu_usage", "12h") > 80',
    past: { hours: 3, values: () => ({ cpu_usage: 990 }) },
    value: undefined,
  },
  {
    says: 'the newest report and windows together',
    condition: 'process_count > 10 && max("cpu_usage", "2h") > 80',
    past: { hours: 3, values: () => ({ cpu_usage: 990, process_count: 20 }) },
    value: [0, 100],
  },
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`alert: rules with stored values (${dialect})`);
  let app: TestApp;
  const call = (method: string, params: object = {}) =>
    app.call(method, { token: app.superToken, ...params });
  const scenes = windows.map((window, at) => ({ ...window, uuid: randomUUID(), rule: `w ${at}` }));
  const openOf = async (uuid: string, rules: readonly string[]) =>
    (await call('alert_list', { agents: [uuid] })).alerts.filter(({ rule }: any) =>
      rules.includes(rule),
    );

  /** Time goes on, with reports of these machines. */
  async function pass(ms: number, on: ReadonlyMap<string, object>): Promise<void> {
    for (let passed = 0; passed < ms; passed += 20 * SECOND) {
      await Promise.all([...on].map(([uuid, values]) => report(app, uuid, values)));
      await app.clock.advance(20 * SECOND);
      for (let n = 0; n < 3; n++) await app.sql('select 1');
    }
  }
  async function goes(
    what: string,
    holds: () => Promise<boolean>,
    on: ReadonlyMap<string, object>,
  ) {
    for (let minutes = 0; minutes < 20; minutes++) {
      if (await holds()) return;
      await pass(MINUTE, on);
    }
    throw new Error(what);
  }
  const addRule = (name: string, uuid: string, rule: object) =>
    call('alert_rule_create', {
      rule: { name, source: 'machine', scope: { agents: [uuid] }, ...rule },
    });

  test.before(async () => {
    app = await bootForTest([...PLUGINS, 'retention', 'series'], {}, { dialect, clock: true });
    for (const { uuid, past, rule, condition } of scenes) {
      const begin = app.clock.now() - past.hours * HOUR;
      for (
        let time = begin;
        time < app.clock.now();
        time += past.hours > 12 ? 10 * MINUTE : MINUTE
      ) {
        const values = past.values((time - begin) / (past.hours * HOUR));
        await report(app, uuid, { time, ...values });
      }
      await addRule(rule, uuid, { condition });
    }
    await pass(6 * MINUTE, new Map(scenes.map(({ uuid, past }) => [uuid, past.values(1)])));
  });
  test.after(() => app.stop());

  for (const { says, uuid, rule, value } of scenes)
    test(says, async () => {
      assert.is((await call('alert_rule_get', { name: rule })).problem, null);
      const [alert] = await openOf(uuid, [rule]);
      assert.is(alert !== undefined, value !== undefined, JSON.stringify(alert));
      if (value) assert.ok(alert.value >= value[0] && alert.value <= value[1], `${alert.value}`);
    });

  test('traffic of the day and of the month is that of agent_query_traffic; a hold is counted in rounds', async () => {
    const uuid = randomUUID();
    await report(app, uuid, { total_received: 0, total_transmitted: 0 });
    await app.clock.advance(10 * SECOND);
    const moved = { total_received: 300 * MiB, total_transmitted: 200 * MiB };
    const on = new Map([[uuid, moved]]);
    await addRule('traffic', uuid, { condition: 'traffic("day") > MiB(400)', for_s: 600 });
    await addRule('month', uuid, { condition: 'traffic("month") > MiB(400)' });
    await goes('month', async () => (await openOf(uuid, ['month'])).length === 1, on);
    assert.equal(await openOf(uuid, ['traffic']), []);
    const begun = app.clock.now();
    await goes('open', async () => (await openOf(uuid, ['traffic', 'month'])).length === 2, on);
    const took = app.clock.now() - begun;
    assert.ok(took > 6 * MINUTE && took <= 11 * MINUTE, `${took / SECOND} s`);
    const day = new Date(app.clock.now()).setUTCHours(0, 0, 0, 0);
    const range = { uuids: [uuid], from: day, to: app.clock.now(), by: 'day' };
    const [traffic] = await call('agent_query_traffic', range);
    for (const { value } of await openOf(uuid, ['traffic', 'month']))
      assert.is(value, traffic.received + traffic.transmitted);
  });

  test('alerts of a machine that is silent stay as they are', async () => {
    const { uuid } = scenes[2] as (typeof scenes)[number];
    await pass(6 * MINUTE, new Map());
    assert.is((await openOf(uuid, ['w 2'])).length, 1);
  });

  test.run();
}

const test = suite('alert: rules with stored values, without the plugin series');
test('a rule says that its windows have no value', async () => {
  const app = await bootForTest(PLUGINS, {});
  try {
    const rule = { name: 'a', source: 'machine', scope: { all: true } };
    const condition = 'traffic("month") > GiB(4)';
    const params = { token: app.superToken, rule: { ...rule, condition } };
    const { problem } = await app.call('alert_rule_create', params);
    assert.match(problem, /plugin series is off/);
  } finally {
    await app.stop();
  }
});
test.run();

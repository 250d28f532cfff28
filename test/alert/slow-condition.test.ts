// Rules that take longer than the server can afford: they are switched off, and say so.

import { randomUUID } from 'node:crypto';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { until } from '../bus-kit.ts';
import { suite } from '../runner/suite.ts';
import { sharedServers } from '../shared-servers.ts';
import { PLUGINS, report } from './kit.ts';

/** Evaluations of a rule by which it is judged, and some more. */
const REPORTS = 1_100;
const SLOW = /switched off because it takes longer .*slow_rule_us/;
/** Takes longer than the ten microseconds that the test allows. */
const LIST = `[${Array.from({ length: 30 }, (_, n) => `${n}.0`).join(', ')}]`;
const LONG = Array(4).fill(`${LIST}.all(x, cpu_usage + x >= 0.0)`).join(' && ');

const CONFIG = { alert: { slow_rule_us: 10 } };
const RULE = { name: 'long', source: 'machine', scope: { all: true }, condition: LONG };

/** Makes the rule, and reports until it is off. */
async function slowDown(app: TestApp): Promise<void> {
  const call = (method: string, params: object) =>
    app.call(method, { token: app.superToken, ...params });
  await call('alert_rule_create', { rule: RULE });
  const uuid = randomUUID();
  for (let round = 0; round < 10; round++) {
    for (let n = 0; n < REPORTS; n += 100)
      await Promise.all(Array.from({ length: 100 }, () => report(app, uuid)));
    if (!(await call('alert_rule_get', { name: 'long' })).enable) return;
  }
  throw new Error('the rule is still on');
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`alert: slow rules (${dialect})`);
  let app: TestApp;
  const call = (method: string, params: object = {}) =>
    app.call(method, { token: app.superToken, ...params });
  const get = (name: string) => call('alert_rule_get', { name });

  test.before(async () => {
    app = await bootForTest(PLUGINS, CONFIG, { dialect });
    await slowDown(app);
  });
  test.after(() => app.stop());

  test('a rule that was too slow says so, in the list and after a restart, too', async () => {
    assert.match((await get('long')).problem, SLOW);
    await app.restart();
    assert.match((await get('long')).problem, SLOW);
    const listed = (await call('alert_rule_list')).find(({ name }: any) => name === 'long');
    assert.match(listed.problem, SLOW);
  });

  test('a default rule that was too slow stays off over a restart', async () => {
    await app.sql(`update alert_rule set enable = 0, slow_at = 1 where shipped = 'memory'`);
    await app.restart();
    const { enable, problem } = await get('Memory pressure');
    assert.is(enable, false);
    assert.match(problem, SLOW);
    const reset = await call('alert_rule_reset', { name: 'Memory pressure' });
    assert.equal([reset.enable, reset.problem], [true, null]);
  });

  test('whoever changes it or switches it on ends the problem', async () => {
    const change = { condition: 'cpu_usage > 90' };
    assert.is((await call('alert_rule_update', { name: 'long', change })).problem, null);
    await app.sql(`update alert_rule set slow_at = 1 where name = 'long'`);
    assert.match((await get('long')).problem, SLOW);
    const { problem } = await call('alert_rule_set_enable', { name: 'long', enable: true });
    assert.is(problem, null);
  });

  test.run();
}

const test = suite('alert: slow rules of a fleet');
test('every server says that a rule was too slow', async () => {
  const servers = await sharedServers(2, PLUGINS, CONFIG);
  try {
    const [first, second] = servers.apps as [TestApp, TestApp];
    await slowDown(first);
    const problem = async () => {
      const rules = await second.call('alert_rule_list', { token: servers.superToken });
      return rules.find(({ name }: any) => name === 'long')?.problem ?? '';
    };
    await until('the other server knows', async () => SLOW.test(await problem()));
  } finally {
    await servers.stop();
  }
});
test.run();

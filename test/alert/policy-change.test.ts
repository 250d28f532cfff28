// A policy that names other channels while alerts are open (docs/protocol/alert.md §9).

import { randomUUID } from 'node:crypto';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { create, passes, type Receiver, receiver, SECOND, until, webhook } from '../notify/kit.ts';
import { suite } from '../runner/suite.ts';
import { PLUGINS, report } from './kit.ts';

const NAMES = ['A', 'B', 'C'];
const MACHINES = 3;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`alert: a policy is changed while it is open (${dialect})`);
  let app: TestApp;
  const hooks = new Map<string, Receiver>();
  const call = (method: string, params: object): Promise<any> =>
    app.call(method, { token: app.superToken, ...params });

  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect, clock: true });
    for (const name of NAMES) {
      const hook = await receiver();
      hooks.set(name, hook);
      await create(app, webhook(name, hook.url));
    }
  });
  test.after(async () => {
    await app.stop();
    for (const hook of hooks.values()) await hook.stop();
  });
  test.before.each(() => {
    for (const hook of hooks.values()) hook.got.length = 0;
  });

  /** Messages of each channel: types, and the numbers of alerts in them. */
  const got = () =>
    Object.fromEntries(
      NAMES.map((name) => [
        name,
        hooks.get(name)?.got.map(({ json }) => {
          return `${json.type.slice(6)} ${json.alerts.length}`;
        }),
      ]),
    );
  const steps = (...lists: string[][]) =>
    lists.map((channels, at) => ({ after_s: at * 3_600, channels }));

  let agents: string[] = [];
  /** Time goes on, in which the machines go on reporting. */
  const go = (most_ms: number, holds = () => false) =>
    passes(app, most_ms, async () => {
      for (const uuid of agents) await report(app, uuid, { cpu_usage: 950 });
      return holds();
    });

  /** A rule with three open alerts of which channel A heard. */
  async function open() {
    const [rule, policy] = [randomUUID(), randomUUID()];
    const set = (...lists: string[][]) =>
      call('alert_policy_set', { policy: { name: policy, steps: steps(...lists), wait_s: 5 } });
    await set(['A']);
    agents = Array.from({ length: MACHINES }, () => randomUUID());
    const what = { source: 'machine', scope: { agents }, condition: 'cpu_usage > 90' };
    for (const uuid of agents) await report(app, uuid);
    await call('alert_rule_create', { rule: { name: rule, policy, ...what } });
    for (const uuid of agents) await report(app, uuid, { cpu_usage: 950 });
    const alerts = async () =>
      (await call('alert_list', { agents })).alerts.map(({ id }: any) => id);
    await until('open', async () => (await alerts()).length === MACHINES);
    await go(60_000, () => got()['A']?.length === 1);
    assert.equal(got(), { A: [`opened ${MACHINES}`], B: [], C: [] });
    return { set, rule, ids: (await alerts()) as number[] };
  }
  const rest = () => go(20 * SECOND);

  test('the new channel hears of what is open, once and in one message; both hear the end', async () => {
    const { set, ids } = await open();
    await set(['B']);
    await go(10 * SECOND, () => got()['B']?.length === 1);
    assert.equal(got(), { A: ['opened 3'], B: ['opened 3'], C: [] });
    // Back and forth, in another order, without a change.
    for (const lists of [[['A']], [['B']], [['B'], ['A']], [['A'], ['B']], [['A'], ['B']]]) {
      await set(...lists);
      await rest();
    }
    assert.equal(got(), { A: ['opened 3'], B: ['opened 3'], C: [] });
    for (const id of ids) await call('alert_close', { id });
    const both = () => got()['A']?.length === 2 && got()['B']?.length === 2;
    await go(120 * SECOND, both);
    assert.equal(got(), { A: ['opened 3', 'closed 3'], B: ['opened 3', 'closed 3'], C: [] });
  });

  test('a rule that gets another policy is told to its channels, once', async () => {
    const { rule, ids } = await open();
    const policy = { name: randomUUID(), steps: steps(['B']), wait_s: 5 };
    await call('alert_policy_set', { policy });
    await call('alert_rule_update', { name: rule, change: { policy: policy.name } });
    await go(10 * SECOND, () => got()['B']?.length === 1);
    await call('alert_rule_update', { name: rule, change: { runbook: 'https://example.net/' } });
    await rest();
    assert.equal(got(), { A: ['opened 3'], B: ['opened 3'], C: [] });
    // Nothing opens anew.
    agents = [];
    for (const id of ids) await call('alert_close', { id });
    await go(120 * SECOND, () => got()['B']?.length === 2);
  });

  test('what is acknowledged, or not told to anybody yet, is not told to the new channel', async () => {
    const { set, ids } = await open();
    const [first, ...others] = ids;
    await call('alert_ack', { id: first });
    await set(['A'], ['C']);
    await rest();
    assert.equal(got(), { A: ['opened 3'], B: [], C: [] });
    await set(['A', 'C']);
    await go(10 * SECOND, () => got()['C']?.length === 1);
    assert.equal(got(), { A: ['opened 3'], B: [], C: [`opened ${others.length}`] });
    const { events } = await call('alert_get', { id: others[0] });
    assert.equal(
      events.map(({ kind }: any) => kind),
      ['opened', 'reminded'],
    );
    for (const id of ids) await call('alert_close', { id });
    await go(120 * SECOND, () => (got()['C']?.length ?? 0) >= 2);
    assert.equal(got()['C']?.slice(0, 2), ['opened 2', 'closed 2']);
  });

  test.run();
}

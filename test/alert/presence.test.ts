// Rules about silence, events and what ends alerts without a value (plugins/alert/src/presence).

import { randomUUID } from 'node:crypto';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { failure } from '../protocol/agent-kit.ts';
import { suite } from '../runner/suite.ts';
import { PLUGINS, report } from './kit.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const ROUND_MS = 20;
/** Machines that report all the time, and have been here for long: each test takes one. */
let spare: string[] = [];

/** Moves time, with reports of machines that are on. */
async function pass(app: TestApp, ms: number, on: readonly string[] = []): Promise<void> {
  for (let passed = 0; passed < ms; passed += 5 * SECOND) {
    await Promise.all([...on, ...spare].map((uuid) => report(app, uuid)));
    await app.clock.advance(5 * SECOND);
    // Threads of the database take real time.
    await new Promise((resolve) => setTimeout(resolve, ROUND_MS));
  }
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`alert: absence (${dialect})`);
  let app: TestApp;
  let A: string;
  const call = (method: string, params: object = {}, token = app.superToken) =>
    app.call(method, { token, ...params });
  const openOf = async (uuid: string, rule = 'Machine offline') =>
    (await call('alert_list', { agents: [uuid] })).alerts.filter((one: any) => one.rule === rule);
  const kindsOf = async (uuid: string, rule = 'Machine offline') => {
    const events = await call('alert_history', { agents: [uuid], rule });
    return events.map(({ kind }: any) => kind).toReversed();
  };
  const dueOf = async (uuid: string) =>
    (await app.sql(
      `select kind, due, told, batch from alert_event where subject_id = '${uuid}' order by id`,
    )) as any[];
  const goes = async (what: string, holds: () => Promise<boolean>, on: readonly string[] = []) => {
    for (let round = 0; round < 120; round++) {
      if (await holds()) return;
      await pass(app, 5 * SECOND, on);
    }
    throw new Error(what);
  };

  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect, clock: true });
    spare = Array.from({ length: 8 }, () => randomUUID());
    await pass(app, 5 * SECOND);
    await app.clock.sleep(11 * MINUTE);
    // The pause is over, in which nothing opens.
    await pass(app, 125 * SECOND);
  });
  test.before.each(() => {
    A = spare.pop() ?? '';
  });
  test.after(() => app.stop());

  test('a machine that stops is offline after two minutes since its last report, and over when it is back', async () => {
    const last = app.clock.now();
    await report(app, A);
    await pass(app, 100 * SECOND);
    assert.equal(await openOf(A), []);
    await goes('offline', async () => (await openOf(A)).length === 1);
    assert.ok(app.clock.now() - last <= 170 * SECOND, `${app.clock.now() - last}`);
    const [alert] = await openOf(A);
    assert.ok(Math.abs(alert.since - last) <= 10 * SECOND, `${alert.since - last}`);
    assert.equal([alert.severity, alert.state, alert.subject.id], ['critical', 'open', A]);
    const back = app.clock.now();
    await goes('over', async () => (await openOf(A)).length === 0, [A]);
    assert.equal(await kindsOf(A), ['opened', 'closed']);
    const { alert: over, events } = await call('alert_get', { id: alert.id });
    const end = events.find(({ kind }: any) => kind === 'closed').detail.closed_at;
    // The first report after the silence, however long its end was held.
    assert.ok(Math.abs(over.closed_at - back) <= 5 * SECOND, `${over.closed_at - back}`);
    assert.is(end, over.closed_at);
    assert.is(over.value, alert.value, 'as it was when it opened');
    assert.ok(over.value >= 120, `${over.value}`);
  });

  test('a machine that is back within two minutes never opens', async () => {
    await report(app, A);
    await pass(app, 95 * SECOND);
    await pass(app, 60 * SECOND, [A]);
    assert.equal(await kindsOf(A), []);
  });

  test('a deleted machine ends its alert, and so does a rule that is switched off', async () => {
    const B = spare.pop() ?? '';
    await goes('offline', async () => (await openOf(A)).length + (await openOf(B)).length === 2);
    await call('agent-uuid_delete', { agent_uuid: A });
    await goes('expired', async () => (await kindsOf(A)).includes('expired'));
    assert.equal((await openOf(B)).length, 1);
    await call('alert_rule_update', { name: 'Machine offline', change: { name: 'Gone' } });
    assert.is((await openOf(B, 'Gone')).length, 1);
    assert.equal(await kindsOf(B, 'Gone'), ['opened']);
    await call('alert_rule_update', { name: 'Gone', change: { name: 'Machine offline' } });
    await call('alert_rule_set_enable', { name: 'Machine offline', enable: false });
    await goes('expired', async () => (await openOf(B)).length === 0);
    assert.equal(await kindsOf(B), ['opened', 'expired']);
    await call('alert_rule_set_enable', { name: 'Machine offline', enable: true });
  });

  test('machines that were away before a rule was made are listed, and nobody is told', async () => {
    const many = Array.from({ length: 12 }, () => randomUUID());
    for (const uuid of many) await report(app, uuid);
    await pass(app, 200 * SECOND);
    const rule = {
      name: 'Silent',
      source: 'presence',
      scope: { agents: many },
      condition: 'silent_for > 60',
    };
    await call('alert_rule_create', { rule });
    await goes('listed', async () => {
      const { alerts } = await call('alert_list', { agents: many });
      return alerts.filter((one: any) => one.rule === 'Silent').length === 12;
    });
    const due = (await Promise.all(many.map(dueOf))).flat().filter(({ kind }) => kind === 'opened');
    assert.ok(due.length >= 12 && due.every((row) => row.due === null && row.told === null));
    await call('alert_rule_delete', { name: 'Silent' });
  });

  test('after a pause of the server nothing opens for two minutes', async () => {
    await report(app, A);
    await app.clock.sleep(10 * MINUTE);
    await pass(app, 60 * SECOND, [A]);
    await pass(app, 60 * SECOND, [A]);
    assert.equal(await kindsOf(A), []);
  });

  test('an owner who may not read a machine any more ends its alert', async () => {
    const permissions = [
      { alert: 'write' },
      { alert: 'read' },
      { dynamic_monitoring_summary: 'read' },
    ];
    const token = await app.token([{ scopes: [{ agent_uuid: A }], permissions }]);
    const rule = {
      name: `mine ${A}`,
      source: 'presence',
      scope: { agents: [A] },
      condition: 'silent_for > 60',
    };
    await call('alert_rule_create', { rule }, token);
    await pass(app, 20 * SECOND, [A]);
    await goes('open', async () => (await openOf(A, rule.name)).length === 1);
    const [key] = token.split(':');
    await call('token_edit', { target_token: key, limit: [] });
    await goes('expired', async () => (await openOf(A, rule.name)).length === 0);
    assert.ok((await kindsOf(A, rule.name)).includes('expired'));
    await call('alert_rule_delete', { name: rule.name });
  });

  test('refused reports open one alert, which ends an hour after the last', async () => {
    const token = await app.token([]);
    const data = { uuid: A, time: app.clock.now(), cpu_usage: 1 };
    for (let n = 0; n < 3; n++)
      assert.is((await failure(app.call('agent_report_dynamic_summary', [token, data]))).code, 102);
    await goes('refused', async () => (await openOf(A, 'Reports refused')).length === 1, [A]);
    assert.equal(await kindsOf(A, 'Reports refused'), ['opened']);
    const [{ value }] = await openOf(A, 'Reports refused');
    await app.restart();
    await pass(app, 30 * SECOND, [A]);
    const [after] = await openOf(A, 'Reports refused');
    assert.is(after.value, value, 'a restart counted an event again');
  });

  test.run();
}

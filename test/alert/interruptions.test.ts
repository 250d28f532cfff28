// proof only: 90
/** What interruptions do to alerts, from the first report to the receiver: restarts, pauses, jumps of the clock, a database that is away, owners and machines that go. */
import { randomUUID } from 'node:crypto';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { kernelOf } from '../shared-servers.ts';
import { PLUGINS, report } from './kit.ts';
import { type Received, startReceiver } from './scenario-kit.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Real time after each step, ms: threads of the database take some. */
const ROUND_MS = 25;

const BUSY = {
  source: 'machine',
  condition: 'cpu_usage > 90',
  clear: 'cpu_usage < 80',
  for_s: 30,
  clear_for_s: 30,
};

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`alerts: interruptions (${dialect})`);
  let app: TestApp;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  /** Machines that report, with the CPU of each in percent. */
  const on = new Map<string, number>();
  let A: string;
  const call = (method: string, params: object = {}, token = app.superToken) =>
    app.call(method, { token, ...params });
  const addRule = (rule: object, token?: string) =>
    call('alert_rule_create', { rule: { ...BUSY, scope: { agents: [A] }, ...rule } }, token);

  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 5 * SECOND) {
      await Promise.all([...on].map(([uuid, cpu]) => sends(uuid, cpu)));
      await app.clock.advance(5 * SECOND);
      await new Promise((resolve) => setTimeout(resolve, ROUND_MS));
    }
  }
  const sends = (uuid: string, cpu: number) =>
    report(app, uuid, { cpu_usage: cpu * 10 }).catch((error: { code?: number }) =>
      assert.is(error.code, 103),
    );
  /** Time goes on until machine A was told of so often. */
  async function hears(count: number): Promise<void> {
    for (let n = 0; n < 200 && heard().length < count; n++) await pass(5 * SECOND);
  }
  /** What was told of machine A: `rule type`. */
  const heard = (): string[] => received().map(({ rule, type }) => `${rule} ${type}`);
  const received = () =>
    receiver.received.flatMap(({ body, at }: Received) =>
      body.alerts.flatMap(({ rule, state, subject, since }) =>
        subject.id === A ? [{ rule, type: state === 'open' ? 'opened' : state, at, since }] : [],
      ),
    );
  const types = () =>
    receiver.received.flatMap(({ type, body }) =>
      body.alerts.some(({ subject }) => subject.id === A) ? type : [],
    );
  const kindsOf = async (rule: string) =>
    (await call('alert_history', { agents: [A], rule })).map(({ kind }: any) => kind).toReversed();

  test.before(async () => {
    app = await bootForTest(
      [...PLUGINS, 'server-info'],
      { token: { on_delete: 'suspend' } },
      { dialect, clock: true },
    );
    receiver = await startReceiver(() => app.clock.now());
    const channel = { name: 'ops', kind: 'webhook', config: { url: receiver.url('ops') } };
    await call('channel_create', { channel });
    const steps = [{ after_s: 0, channels: ['ops'] }];
    const policy = { name: 'default', group_by: 'subject', interval_s: 10, steps };
    await call('alert_policy_set', { policy });
    for (const { name } of await call('alert_rule_list'))
      if (name !== 'Machine offline') await call('alert_rule_set_enable', { name, enable: false });
  });
  test.before.each(async () => {
    on.clear();
    A = randomUUID();
    on.set(A, 10);
    await pass(5 * SECOND);
    // It has been here for ten minutes, and the pause is over.
    await app.clock.sleep(11 * MINUTE);
    await pass(130 * SECOND);
    receiver.received.length = 0;
  });
  test.after(async () => {
    await app.stop();
    await receiver.stop();
  });

  test('12: an alert of a machine that is silent for a day expires, and its end is told', async () => {
    await addRule({ name: 'busy 12' });
    on.set(A, 95);
    await pass(60 * SECOND);
    on.delete(A);
    await hears(2);
    assert.equal(heard(), ['busy 12 opened', 'Machine offline opened']);
    await app.clock.sleep(25 * HOUR);
    await hears(4);
    assert.equal(await kindsOf('busy 12'), ['opened', 'expired']);
    // What is critical is told again meanwhile.
    const busy = heard().filter((text) => text.startsWith('busy'));
    assert.equal(busy, ['busy 12 opened', 'busy 12 closed']);
    assert.equal(await kindsOf('Machine offline'), ['opened', 'reminded']);
  });

  test('17: a machine that comes and goes is told three times, then that it flaps', async () => {
    for (let n = 1; n <= 3; n++) {
      on.delete(A);
      await hears(2 * n - 1);
      on.set(A, 10);
      await hears(2 * n);
    }
    const pairs = [1, 2, 3].flatMap(() => ['alert.opened', 'alert.closed']);
    assert.equal(types(), pairs);
    for (let n = 4; n <= 6; n++) {
      on.delete(A);
      await pass(160 * SECOND);
      on.set(A, 10);
      await pass(60 * SECOND);
    }
    assert.equal(types(), [...pairs, 'alert.flapping']);
  });

  test('18 and 19: after a restart only a machine that does not return is told', async () => {
    const B = randomUUID();
    on.set(B, 10);
    await app.clock.sleep(11 * MINUTE);
    await pass(130 * SECOND);
    const last = app.clock.now();
    await app.clock.sleep(5 * MINUTE);
    await app.restart();
    const begun = app.clock.now();
    on.clear();
    await pass(90 * SECOND);
    assert.equal(types(), []);
    on.set(B, 10);
    await hears(1);
    const told = received();
    assert.equal(heard(), ['Machine offline opened']);
    assert.ok((told[0]?.at ?? 0) - begun >= 120 * SECOND, `${(told[0]?.at ?? 0) - begun}`);
    assert.ok(Math.abs((told[0]?.since ?? 0) - last) <= 10 * SECOND);
    assert.is(types().length, 1);
  });

  test('20: a server that stood still for ten minutes tells nothing', async () => {
    await app.clock.sleep(10 * MINUTE);
    on.clear();
    await pass(60 * SECOND);
    on.set(A, 10);
    await pass(130 * SECOND);
    assert.equal(types(), []);
  });

  test('21: a clock that is set an hour on, and back, tells nothing', async () => {
    const { clock } = kernelOf(app) as unknown as { clock: { now: () => number } };
    const { now } = clock;
    try {
      clock.now = () => now.call(clock) + HOUR;
      await pass(4 * MINUTE);
      clock.now = now;
      await pass(4 * MINUTE);
    } finally {
      clock.now = now;
    }
    assert.equal(types(), []);
  });

  test('22: while the database is away nobody counts as silent; what is true opens when it is back', async () => {
    await addRule({ name: 'busy 22' });
    const tables = ['alert', 'agent_presence', 'dynamic_monitoring_summary'];
    for (const table of tables) await app.sql(`alter table ${table} rename to ${table}_away`);
    on.set(A, 95);
    await pass(3 * MINUTE);
    assert.equal(types(), []);
    for (const table of tables) await app.sql(`alter table ${table}_away rename to ${table}`);
    await pass(3 * MINUTE);
    assert.equal(heard(), ['busy 22 opened']);
  });

  test('53: the rules of a deleted owner stop, which operators see, and tell no more', async () => {
    const permissions = [
      { alert: 'write' },
      { alert: 'read' },
      { dynamic_monitoring_summary: 'read' },
    ];
    const token = await app.token([{ scopes: [{ agent_uuid: A }], permissions }]);
    await addRule({ name: 'busy 53' }, token);
    on.set(A, 95);
    await pass(60 * SECOND);
    assert.equal(await kindsOf('busy 53'), ['opened']);
    receiver.received.length = 0;
    await call('token_delete', { target_token: token.split(':')[0] });
    await pass(60 * SECOND);
    const { problem } = await call('alert_rule_get', { name: 'busy 53' });
    assert.ok(/the token that owns it was deleted/.test(problem), `${problem}`);
    assert.match(JSON.stringify(await call('svc-server_config_warnings')), /busy 53/);
    assert.equal(await kindsOf('busy 53'), ['opened', 'expired']);
    assert.equal(types(), []);
  });

  test('54: a rule that is edited while it is open is judged anew, and told only if it closes', async () => {
    await addRule({ name: 'busy 54' });
    on.set(A, 95);
    await pass(60 * SECOND);
    assert.equal(heard(), ['busy 54 opened']);
    await call('alert_rule_update', { name: 'busy 54', change: { condition: 'cpu_usage > 92' } });
    await pass(90 * SECOND);
    assert.is(heard().length, 1);
    const change = { condition: 'cpu_usage > 98', clear: 'cpu_usage < 97' };
    await call('alert_rule_update', { name: 'busy 54', change });
    await pass(90 * SECOND);
    assert.equal(heard(), ['busy 54 opened', 'busy 54 closed']);
  });

  test('55: another name of a rule is no other alert', async () => {
    await addRule({ name: 'busy 55' });
    on.set(A, 95);
    await pass(60 * SECOND);
    await call('alert_rule_update', { name: 'busy 55', change: { name: 'hot 55' } });
    await pass(90 * SECOND);
    assert.equal(heard(), ['busy 55 opened']);
    assert.equal(await kindsOf('hot 55'), ['opened']);
  });

  test('76: the alert of a machine that is deleted expires, and its end is told to those who heard of it', async () => {
    on.delete(A);
    await hears(1);
    assert.equal(heard(), ['Machine offline opened']);
    await call('agent-uuid_delete', { agent_uuid: A });
    await hears(2);
    const [{ n }] = await app.sql(
      `select count(*) as n from alert_event where subject_id = '${A}' and kind = 'expired'`,
    );
    assert.is(Number(n), 1);
    assert.equal(heard(), ['Machine offline opened', 'Machine offline closed']);
  });

  test.run();
}

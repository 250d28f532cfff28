// Monitors in alerts by the numbers of the scenarios: what is away or down before them hides them.

import { randomUUID } from 'node:crypto';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { report } from '../alert/kit.ts';
import {
  channelFor,
  goes,
  MINUTE,
  pass,
  SECOND,
  told,
  typesOf,
  World,
} from '../alert/monitors-kit.ts';
import { suite } from '../runner/suite.ts';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitor: scenarios with alerts (${dialect})`);
  let app: TestApp;
  let world: World;
  const call = (method: string, params: object) =>
    app.call(method, { token: app.superToken, ...params });
  const openOf = async (subject: string): Promise<any[]> =>
    (await call('alert_list', {})).alerts.filter((one: any) => one.subject.id === subject);

  /** Has a machine report for as long as its absence needs, reached at this address. */
  async function machineAt(host: string): Promise<string> {
    const agent = randomUUID();
    await report(app, agent);
    await call('kv_create', { namespace: agent });
    await call('kv_set_value', { namespace: agent, key: 'metadata_address', value: host });
    await app.clock.sleep(11 * MINUTE);
    // The server takes the jump for a pause of its own, after which nobody counts as gone for a while.
    await pass(app, 300 * SECOND, [agent]);
    return agent;
  }

  test.before(async () => {
    world = new World();
    app = await bootForTest(world.plugins, {}, { dialect, clock: true });
    await channelFor(app);
  });
  test.before.each(() => world.list.clear());
  test.after(() => app.stop());

  test('37, 38: a machine that is away hides the checks of its address, and what is down afterwards is told', async () => {
    world.set('ping', { kind: 'ping', host: 'web-1.example' });
    world.set('other', { kind: 'ping', host: 'web-2.example' });
    const agent = await machineAt('WEB-1.example');
    // The machine falls silent, and its check has failed before that is known.
    await pass(app, 8 * SECOND);
    const since = app.clock.now();
    world.down('ping', since);
    world.down('other', since);
    await goes(app, 'offline', async () => (await typesOf(app, agent.slice(0, 8))).length > 0);
    assert.equal(await typesOf(app, 'ping'), []);
    assert.equal(await typesOf(app, 'other'), ['opened']);
    const [hidden] = await openOf('ping');
    assert.equal(hidden.hidden_by.kind, 'subject');
    assert.equal(
      (await openOf(agent)).map(({ below }) => below),
      [1],
    );
    const heard = async () => (await typesOf(app, 'ping')).length > 0;
    await goes(app, 'the check is told', heard, [agent]);
    const [message] = await told(app, 'ping');
    assert.equal([message?.type, message?.alerts[0]?.since], ['alert.opened', since]);
  });

  test('37: an address that a machine shares with one that reports hides nothing', async () => {
    world.set('shared', { kind: 'tcp', host: 'nat.example' });
    const away = await machineAt('nat.example');
    const here = await machineAt('nat.example');
    await goes(app, 'offline', async () => (await openOf(away)).length > 0, [here]);
    world.down('shared', app.clock.now());
    await goes(app, 'told', async () => (await typesOf(app, 'shared')).length > 0, [here]);
  });

  test('40: a monitor waits for the verdict about a slower parent, and is hidden below it', async () => {
    const now = app.clock.now();
    const router = world.set('router', { checked_at: now - 40 * SECOND });
    world.down('slow-child', now, { parent: router.id });
    await goes(app, 'opens', async () => (await openOf('slow-child')).length > 0);
    await pass(app, 20 * SECOND);
    world.set('router', { suspect: true, checked_at: app.clock.now() });
    await pass(app, 20 * SECOND);
    assert.equal(await typesOf(app, 'slow-child'), []);
    world.down('router', now, { suspect: false });
    await goes(app, 'told', async () => (await typesOf(app, 'router')).length > 0);
    await pass(app, 130 * SECOND);
    assert.equal(await typesOf(app, 'slow-child'), []);
  });

  test('40: a parent that is well since then delays nothing, and one without a result not for ever', async () => {
    const now = app.clock.now();
    const silent = world.set('silent', { checked_at: now - MINUTE, settle_ms: 60 * SECOND });
    const well = world.set('well', { checked_at: now });
    world.down('late-child', now, { parent: silent.id });
    world.down('quick-child', now, { parent: well.id });
    await goes(app, 'quick', async () => (await typesOf(app, 'quick-child')).length > 0);
    assert.equal(await typesOf(app, 'late-child'), []);
    await goes(app, 'late', async () => (await typesOf(app, 'late-child')).length > 0);
    const [message] = await told(app, 'late-child');
    assert.ok((message?.sent_at ?? 0) - now >= 60 * SECOND);
  });

  test('36: forty monitors that are down at once are one message', async () => {
    const policy = { steps: [{ after_s: 0, channels: ['A'] }], wait_s: 4, interval_s: 0 };
    await call('alert_policy_set', { policy: { name: 'default', ...policy, group_by: 'rule' } });
    const now = app.clock.now();
    for (let n = 0; n < 40; n++) world.down(`many-${n}`, now);
    const messages = async () =>
      (await app.sql('select body from notify_outbox order by id'))
        .map(({ body }) => JSON.parse(body))
        .filter((one) => one.alerts.some(({ subject }: any) => subject.id.startsWith('many-')));
    await goes(app, 'told', async () => (await messages()).length > 0);
    await pass(app, 40 * SECOND);
    const all = await messages();
    assert.equal(
      all.map(({ alerts, more }) => alerts.length + more),
      [40],
    );
  });

  test.run();
}

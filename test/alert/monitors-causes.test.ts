// Alerts of monitors that hang on something else: the machine at their address (scenarios 37, 38), a monitor above them (40).

import { randomUUID } from 'node:crypto';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { placeOfHost } from '../../plugins/alert/src/addresses.ts';
import { suite } from '../runner/suite.ts';
import { report } from './kit.ts';
import { channelFor, goes, MINUTE, pass, SECOND, typesOf, World } from './monitors-kit.ts';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`alert: causes of monitors (${dialect})`);
  let app: TestApp;
  let world: World;
  let count = 0;
  let name: string;
  const openOf = async (subject: string): Promise<any[]> =>
    (await app.call('alert_list', { token: app.superToken })).alerts.filter(
      (one: any) => one.subject.id === subject,
    );
  const opens = (subject: string) =>
    goes(app, `${subject} opens`, async () => (await openOf(subject)).length > 0);
  const hears = (n: number, subject: string, on: readonly string[] = []) =>
    goes(app, `${n} messages`, async () => (await typesOf(app, subject)).length >= n, on);
  /** A machine that has reported for long enough, from this address. */
  const machineAt = async (address: string): Promise<string> => {
    const agent = randomUUID();
    await report(app, agent);
    await app.clock.sleep(11 * MINUTE);
    // The address from which it reports is stored within seconds.
    await pass(app, 12 * SECOND, [agent]);
    await app.sql(
      `update agent_presence set address = '${address}' where uuid_id = (select max(id) from monitoring_uuid)`,
    );
    await pass(app, 40 * SECOND, [agent]);
    return agent;
  };

  test.before(async () => {
    world = new World();
    app = await bootForTest(world.plugins, {}, { dialect, clock: true });
    await channelFor(app);
    await pass(app, 60 * SECOND);
  });
  test.before.each(() => {
    world.list.clear();
    name = `shop-${++count}`;
  });
  test.after(() => app.stop());

  test('37, 38: a monitor of a machine that is offline hangs on it, and is told when it stays down', async () => {
    const agent = await machineAt('192.0.2.7');
    world.set(name, { host: '192.0.2.7' });
    await pass(app, 30 * SECOND, [agent]);
    await pass(app, 100 * SECOND);
    world.down(name, app.clock.now());
    await opens(name);
    await goes(app, 'offline', async () => (await typesOf(app, agent.slice(0, 8))).length > 0);
    await pass(app, 20 * SECOND);
    assert.equal(await typesOf(app, name), []);
    assert.equal((await openOf(name))[0].hidden_by, { kind: 'subject', name: agent.slice(0, 8) });
    assert.is((await openOf(agent))[0].below, 1);
    await hears(1, name, [agent]);
    await goes(app, 'over', async () => (await openOf(agent)).length === 0, [agent]);
    world.up(name, app.clock.now());
    await hears(2, name, [agent]);
    assert.equal(await typesOf(app, name), ['opened', 'closed']);
  });

  test('37: one that fails before its machine is known to be away waits until it is', async () => {
    const agent = await machineAt('192.0.2.8');
    world.set(name, { host: '192.0.2.8' });
    await pass(app, 30 * SECOND, [agent]);
    // The last report is a few seconds old.
    await pass(app, 8 * SECOND);
    world.down(name, app.clock.now());
    await opens(name);
    await goes(app, 'offline', async () => (await typesOf(app, agent.slice(0, 8))).length > 0);
    await pass(app, 20 * SECOND);
    assert.equal(await typesOf(app, name), []);
    world.up(name, app.clock.now());
    await goes(app, 'over', async () => (await openOf(name)).length === 0);
    await pass(app, 10 * SECOND);
    assert.equal(await typesOf(app, name), []);
  });

  test('an address that another machine has as well, and one of another machine, hide nothing', async () => {
    const gone = await machineAt('192.0.2.9');
    const here = await machineAt('192.0.2.9');
    world.set(name, { host: '192.0.2.9' });
    world.set(`${name}-other`, { host: '192.0.2.10' });
    await goes(app, 'offline', async () => (await openOf(gone)).length > 0, [here]);
    world.down(name, app.clock.now());
    world.down(`${name}-other`, app.clock.now());
    await hears(1, name, [here]);
    await hears(1, `${name}-other`, [here]);
  });

  const slow = { interval_s: 30, retries: 1 };
  test('40: a child that is judged before its slower parent waits for it, and hangs on it', async () => {
    const now = app.clock.now();
    const parent = world.set(name, { ...slow, good_at: now - 10 * SECOND });
    const child = `${name}-child`;
    world.down(child, now, { parent: parent.id });
    await opens(child);
    await pass(app, 24 * SECOND);
    assert.equal(await typesOf(app, child), []);
    world.down(name, app.clock.now());
    await hears(1, name);
    await pass(app, 20 * SECOND);
    assert.equal(await typesOf(app, child), []);
    assert.equal((await openOf(child))[0].hidden_by, { kind: 'subject', name });
    world.up(name, app.clock.now());
    world.up(child, app.clock.now());
    await hears(2, name);
    assert.equal(await typesOf(app, child), []);
  });

  test('a child whose parent was checked since is told at once, and nobody waits for ever', async () => {
    const now = app.clock.now();
    const [well, silent] = [`${name}-well`, `${name}-silent`];
    const good_at = now + SECOND;
    const fine = world.set(name, { ...slow, good_at });
    world.down(well, now, { parent: fine.id });
    const dead = world.set(`${name}-2`, { ...slow, good_at: now - MINUTE });
    world.down(silent, now, { parent: dead.id });
    await hears(1, well);
    assert.ok(app.clock.now() - now <= 30 * SECOND, `${app.clock.now() - now}`);
    assert.equal(await typesOf(app, silent), []);
    await hears(1, silent);
    const waited = app.clock.now() - now;
    assert.ok(waited >= 60 * SECOND && waited <= 80 * SECOND, `${waited}`);
  });

  test.run();
}

const test = suite('alert: addresses of machines');
for (const [says, host, expected] of [
  ['an address is its own place', '192.0.2.7', '192.0.2.7'],
  ['of two spellings one is used', '[2001:DB8:0::7]', '[2001:db8::7]'],
  ['a mapped address is one of the old kind', '::ffff:192.0.2.7', '192.0.2.7'],
  ['a name has none', 'web-1.example.net', undefined],
  ['loopback has none', '127.0.0.1', undefined],
  ['loopback of the new kind has none', '::1', undefined],
  ['nothing has none', '', undefined],
] as const)
  test(says, () => assert.is(placeOfHost(host), expected));
test.run();

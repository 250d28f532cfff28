// Two servers with one database: monitors are judged by the one whose turn it is.

import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { type SharedServers, sharedServers } from '../shared-servers.ts';
import { channelFor, pass, SECOND, typesOf, World } from './monitors-kit.ts';

const test = suite('alert: monitors on two servers (postgres)');
const world = new World();
let servers: SharedServers;
/** Both clocks go on. */
const passAll = async (ms: number) => {
  for (let passed = 0; passed < ms; passed += 2 * SECOND)
    await Promise.all(servers.apps.map((app) => pass(app, 2 * SECOND)));
};
const goesAll = async (what: string, holds: () => Promise<boolean>) => {
  for (let round = 0; round < 60; round++) {
    if (await holds()) return;
    await passAll(2 * SECOND);
  }
  throw new Error(`never: ${what}`);
};

test.before(async () => {
  servers = await sharedServers(2, world.plugins, {}, { clock: true });
  await channelFor(servers.apps[0]!);
  await passAll(60 * SECOND);
});
test.after(() => servers.stop());

test('a monitor is told once, hidden on both, and goes on where the other server has ended', async () => {
  const token = servers.superToken;
  const [first] = servers.apps as [SharedServers['apps'][number]];
  const openOn = async (app = first): Promise<any[]> =>
    (await app.call('alert_list', { token })).alerts;
  const parent = world.down('shop', first.clock.now());
  world.down('cart', first.clock.now(), { parent: parent.id });
  await goesAll('open', async () => (await openOn()).length === 2);
  await goesAll('told', async () => (await typesOf(first, 'shop')).length > 0);
  await passAll(40 * SECOND);
  assert.equal(await typesOf(first, 'shop'), ['opened']);
  assert.equal(await typesOf(first, 'cart'), []);
  for (const app of servers.apps) {
    const hidden = (await openOn(app)).find(({ subject }) => subject.id === 'cart');
    assert.equal(hidden.hidden_by, { kind: 'subject', name: 'shop' });
  }
  // Whichever of them had the turn.
  const last = servers.apps.pop();
  await last?.stop();
  world.up('shop', first.clock.now());
  world.up('cart', first.clock.now());
  await goesAll('over', async () => (await openOn()).length === 0);
  await goesAll('told', async () => (await typesOf(first, 'shop')).length > 1);
  assert.equal(await typesOf(first, 'shop'), ['opened', 'closed']);
  assert.equal(await typesOf(first, 'cart'), []);
});

test.run();

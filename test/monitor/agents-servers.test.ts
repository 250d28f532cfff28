// Agents of several servers on one database: registered at one of them, changed and reported at another.
import { randomUUID } from 'node:crypto';
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { sharedServers } from '../shared-servers.ts';
import { bad, machine, place, tokenOf, WITH_AGENTS } from './agents-kit.ts';
import { call, create, get, pause, SECOND } from './kit.ts';

const test = suite('monitors: agents of several servers');

test('an agent hears of what another server changed, and may report to any of them', async () => {
  const servers = await sharedServers(
    2,
    [...WITH_AGENTS, 'bus', 'bus-postgres'],
    {},
    { clock: true },
  );
  try {
    const [first, second] = servers.apps as [TestApp, TestApp];
    const uuid = await machine(first, randomUUID());
    const one = await place(first, uuid);
    const { id } = await create(second, {
      ...{ name: 'far', kind: 'tcp', spec: { host: '127.0.0.1', port: 9 }, interval_s: 10 },
      ...{ timeout_s: 2, retries: 0, places: { server: false, agents: [uuid] } },
    });
    assert.ok(await one.hears(() => one.checks.has(id)), 'made at the other one');
    await call(second, 'monitor_update', { name: 'far', change: { interval_s: 20 } });
    assert.ok(await one.hears(() => one.checks.get(id)?.interval_s === 20));
    const token = await tokenOf(second, uuid);
    const report = (app: TestApp, result: object) =>
      call(app, 'monitor_report', { uuid, results: [{ monitor: id, ...result }] }, token);
    const at = Math.min(first.clock.now(), second.clock.now());
    assert.equal(await report(second, bad(at)), { taken: 1, refused: 0 });
    assert.equal(await report(first, bad(at)), { taken: 1, refused: 0 });
    const isDown = async () => (await get(first, 'far')).verdict.state === 'down';
    for (let round = 0; round < 20 && !(await isDown()); round++) {
      for (const app of servers.apps) await app.clock.advance(SECOND);
      await pause(50);
    }
    assert.ok(await isDown());
    const { results } = await call(first, 'monitor_results', { name: 'far', from: 0, to: at + 1 });
    assert.is(results.length, 1);
    await call(second, 'monitor_delete', { name: 'far' });
    assert.ok(await one.hears(() => !one.checks.has(id)));
    one.leave();
  } finally {
    await servers.stop();
  }
});

test.run();

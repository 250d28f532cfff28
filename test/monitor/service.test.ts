// What other plugins hear of monitors (plugins/monitor/src/service.ts).
import type { App } from '@svc/kernel';
import { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { Monitors } from '../../plugins/monitor/src/api.ts';
import { StateStore } from '../../plugins/monitor/src/store/states.ts';
import { suite } from '../runner/suite.ts';
import { boot, create, PLUGINS, SECOND } from './kit.ts';

const UUIDS = [1, 2, 3].map((n) => `0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f41${n}`);

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitors: what others hear (${dialect})`);
  let app: TestApp;
  test.before(async () => {
    app = await boot(dialect, {}, [...PLUGINS, 'agent-uuid']);
  });
  test.after(() => app.stop());

  test('the agents of a monitor are those that check it, not all among which they are chosen', async () => {
    const kernel = app.kernel as App;
    const registry = kernel.service(AgentRegistry)!;
    const ids = [];
    for (const uuid of UUIDS) ids.push((await registry.register(uuid)).id);
    const [first = 0, second = 0, third = 0] = ids;
    const monitor = { kind: 'http', spec: { url: 'http://127.0.0.1:1/' } };
    const places = { server: false, agents: UUIDS, pick: 2 };
    const own = await create(app, { ...monitor, name: 'of agents', places });
    const both = await create(app, {
      ...monitor,
      name: 'of both',
      places: { ...places, server: true },
    });
    const { db, clock } = kernel.kernelOf('monitor')!;
    const states = new StateStore(db, clock);
    let at = app.clock.now();
    const says = (monitor_id: number, place_id: number) => {
      at += SECOND;
      const counts = { since: at, last_at: at, fails: 0, goods: 1, ms: 1, code: 200, detail: '' };
      return states.change([
        { from: undefined, to: { monitor_id, place_id, state: 0, ...counts } },
      ]);
    };
    const agents = async (name: string) =>
      (await kernel.service(Monitors)!.now()).find((one) => one.name === name)?.agents.toSorted();
    assert.equal(await agents('of agents'), [], 'nobody checked it yet');
    for (const place of [0, first]) await says(both.id, place);
    for (const place of [third, first]) await says(own.id, place);
    assert.equal(await agents('of agents'), [UUIDS[0], UUIDS[2]]);
    assert.equal(await agents('of both'), []);
    await says(own.id, second);
    assert.equal(await agents('of agents'), [UUIDS[0], UUIDS[1]], 'one takes the place of another');
  });

  test.run();
}

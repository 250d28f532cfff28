// What other plugins hear of monitors (plugins/monitor/src/service.ts).
import type { App } from '@svc/kernel';
import { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { Monitors } from '../../plugins/monitor/src/api.ts';
import { suite } from '../runner/suite.ts';
import { boot, create, get, PLUGINS } from './kit.ts';

const UUIDS = [1, 2, 3].map((n) => `0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f41${n}`);

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitors: what others hear (${dialect})`);
  let app: TestApp;
  test.before(async () => {
    app = await boot(dialect, {}, [...PLUGINS, 'agent-uuid']);
  });
  test.after(() => app.stop());

  test('the agents of a monitor are those that are its places, not all among which they are chosen', async () => {
    const kernel = app.kernel as App;
    for (const uuid of UUIDS) await kernel.service(AgentRegistry)!.register(uuid);
    const monitor = { kind: 'http', spec: { url: 'http://127.0.0.1:1/' } };
    const places = { server: false, agents: UUIDS, pick: 2 };
    await create(app, { ...monitor, name: 'of agents', places });
    await create(app, { ...monitor, name: 'of both', places: { ...places, server: true } });
    const agents = async (name: string) =>
      (await kernel.service(Monitors)!.now()).find((one) => one.name === name)?.agents.toSorted();
    const own = await get(app, 'of agents');
    const shown = own.states.map(({ place }: { place: string }) => place).toSorted();
    assert.is(shown.length, 2);
    assert.equal(await agents('of agents'), shown);
    assert.equal(await agents('of both'), [], 'the server checks it as well');
  });

  test.run();
}

// Steps of the clock and pauses of the server turn nothing down, and checks go on (docs/protocol/monitor.md §4).
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { bad, bootWithAgents, good, machine, place } from './agents-kit.ts';
import {
  boot,
  call,
  create,
  http,
  MINUTE,
  passes,
  pause,
  SECOND,
  says,
  type Target,
  target,
} from './kit.ts';

const HOUR = 60 * MINUTE;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitors: clock (${dialect})`);
  let app: TestApp;
  let web: Target;
  let steady: () => number;
  let ahead = 0;
  test.before.each(async () => {
    app = await boot(dialect);
    web = await target();
    ahead = 0;
    steady = app.clock.now.bind(app.clock);
    (app.clock as { now: () => number }).now = () => steady() + ahead;
  });
  test.after.each(async () => {
    await app.stop();
    await web.stop();
  });

  /** Lets time pass by the clock that never jumps, with a call of the job each 20 seconds. @returns the states that were seen */
  async function seen(most_ms: number, ping_url: string): Promise<Set<string>> {
    const states = new Set<string>();
    for (let passed = 0; passed < most_ms; passed += SECOND) {
      await pause(8);
      if (passed % (20 * SECOND) === 0) await app.fetch(ping_url);
      if (passed % (4 * SECOND) === 0)
        for (const { state } of (await call(app, 'monitor_list')).monitors) states.add(state);
      await app.clock.advance(SECOND);
    }
    return states;
  }

  const step = (ms: number) => {
    ahead += ms;
  };
  const accidents: readonly [string, () => Promise<void> | void][] = [
    ['a clock that is set two hours ahead', () => step(2 * HOUR)],
    ['a clock that is set two hours back', () => step(-2 * HOUR)],
    ['a pause of ten minutes', () => app.clock.sleep(10 * MINUTE)],
  ];
  for (const [name, happens] of accidents) {
    test(`${name} turns nothing down, and checks go on`, async () => {
      await create(app, http('shop', web.url, { retries: 0 }));
      const spec = { period_s: 30, grace_s: 10 };
      const { ping_url } = await create(app, { name: 'job', kind: 'heartbeat', spec });
      await app.fetch(ping_url);
      for (const one of ['shop', 'job']) assert.ok(await says(app, one, 'up'));
      // The quiet time after the start is over.
      assert.equal([...(await seen(2.5 * MINUTE, ping_url))], ['up']);
      await happens();
      const before = web.got.length;
      const states = await seen(3.5 * MINUTE, ping_url);
      assert.not(states.has('down'), [...states].join());
      const checks = web.got.length - before;
      assert.ok(checks >= 19, `${checks} checks of 21`);
      for (const one of ['shop', 'job'])
        assert.equal(await call(app, 'monitor_outages', { name: one, from: 0 }), []);
      web.reply = 500;
      const isDown = async () => (await seen(SECOND, ping_url)).has('down');
      assert.ok(await passes(app, MINUTE, isDown));
    });
  }

  test('what was seen while the clock was ahead by hours is not the newest once it is set right', async () => {
    await app.stop();
    app = await bootWithAgents(dialect);
    steady = app.clock.now.bind(app.clock);
    (app.clock as { now: () => number }).now = () => steady() + ahead;
    step(2 * HOUR);
    const uuid = await machine(app);
    const agent = await place(app, uuid);
    const places = { server: false, agents: [uuid] };
    const spec = { period_s: 60, grace_s: 10 };
    const fails = await create(app, http('fails', web.url, { retries: 0, places }));
    const silent = await create(app, http('silent', web.url, { places }));
    const { ping_url } = await create(app, { name: 'job', kind: 'heartbeat', spec });
    const long = { ...spec, period_s: 3_600, run_grace_s: 60 };
    const runs = await create(app, { name: 'runs', kind: 'heartbeat', spec: long });
    await create(app, { name: 'never', kind: 'heartbeat', spec });
    for (const url of [ping_url, runs.ping_url]) await app.fetch(url);
    for (const { id } of [fails, silent]) await agent.say(id, [good(app.clock.now())]);
    for (const one of ['fails', 'silent']) assert.ok(await says(app, one, 'up'));
    for (const url of [ping_url, `${runs.ping_url}/start`]) await app.fetch(url);

    step(-2 * HOUR);
    const states = async () => {
      await agent.say(fails.id, [bad(app.clock.now())]);
      const { monitors } = await call(app, 'monitor_list');
      return Object.fromEntries(monitors.map(({ name, state }: any) => [name, state]));
    };
    const wanted = { fails: 'down', job: 'down', never: 'down', runs: 'down', silent: 'unknown' };
    for (let passed = 0; passed < 5 * MINUTE; passed += 10 * SECOND) {
      await passes(app, 10 * SECOND);
      if (JSON.stringify(await states()) === JSON.stringify(wanted)) break;
    }
    assert.equal(await states(), wanted);
    agent.leave();
  });

  test.run();
}

// Steps of the clock and pauses of the server turn nothing down, and checks go on (docs/protocol/monitor.md §4).
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
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

  test.run();
}

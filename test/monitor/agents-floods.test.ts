// An agent that reports more than checks can have measured (plugins/monitor/src/agents/density.ts), beside honest ones.
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { bad, bootWithAgents, good, machine, type Place, place } from './agents-kit.ts';
import { call, create, get, MINUTE, passes, SECOND } from './kit.ts';

const HOUR = 60 * MINUTE;
const tcp = (name: string, agents: readonly string[], over: object = {}) => ({
  ...{ name, kind: 'tcp', spec: { host: '127.0.0.1', port: 9 }, interval_s: 10, timeout_s: 2 },
  ...{ retries: 2, retry_s: 5, places: { server: false, agents }, ...over },
});

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitors: floods of agents (${dialect})`);
  let app: TestApp;
  let serial = 0;
  let name: string;
  let one: Place;
  let id: number;
  const placed = async (over: object = {}): Promise<number> => {
    const made = await create(app, tcp(name, [one.uuid], over));
    await one.hears(() => one.checks.has(made.id));
    return made.id;
  };
  const taken = async (times: readonly number[], monitor = id): Promise<number> => {
    let count = 0;
    for (let at = 0; at < times.length; at += 500)
      count += (
        await one.say(
          monitor,
          times.slice(at, at + 500).map((time) => bad(time)),
        )
      ).taken;
    return count;
  };
  const times = (from: number, step: number, count: number) =>
    Array.from({ length: count }, (_, n) => from + n * step);
  test.before(async () => {
    app = await bootWithAgents(dialect);
    one = await place(app, await machine(app));
  });
  test.after(async () => {
    one.leave();
    await app.stop();
  });
  test.before.each(() => {
    name = `m${serial++}`;
  });
  test.after.each(() => call(app, 'monitor_delete', { name }));

  test('results that come closer together than checks can are refused, whatever report they come in', async () => {
    id = await placed();
    const from = app.clock.now() - MINUTE;
    assert.is(await taken(times(from, 1, 500)), 20);
    assert.is(await taken(times(from + 500, 1, 500)), 0);
    assert.is(await taken(times(from, 1, 20)), 20, 'they are there already');
    assert.is(await taken(times(from, 0, 20)), 20, 'one of them, again and again');
    const far = from - 3 * HOUR;
    const flood = await taken(times(far, 100, 3_000).toReversed());
    assert.ok(flood <= 240, `${flood} of five minutes`);
    const honest = await taken(times(far - HOUR, 10_000, 300));
    assert.is(honest, 300, 'others are taken as before');
    assert.ok((await get(app, name)).states[0].state !== 'unknown');
  });

  test('retries, checks that people ask for, a clock that is set, and an hour that comes late are taken', async () => {
    id = await placed();
    const now = app.clock.now();
    const retries = times(now - HOUR, 5_000, 700);
    const asked = [7, 9, 11, 13, 1_001, 1_003].map((s) => now - HOUR + s * SECOND);
    // A clock that was set back by a minute measures that minute twice.
    const twice = times(now - HOUR + 10 * MINUTE + 2_300, 5_000, 12);
    const all = [...retries, ...asked, ...twice];
    const mixed = all.map((_, n) => all[(n * 7) % all.length] as number);
    assert.is(await taken(mixed), all.length);
    assert.is(await taken(mixed), all.length, 'sent again');
  });

  test('a monitor that is checked once an hour may be checked as often as people ask', async () => {
    id = await placed({ interval_s: 3_600, retry_s: 3_600 });
    const now = app.clock.now();
    assert.is(await taken(times(now - 10 * MINUTE, 15_000, 40)), 40);
  });

  test('an hour that is packed takes no more than it can hold', async () => {
    id = await placed({ interval_s: 60, retry_s: 20 });
    await passes(app, MINUTE);
    const hour = Math.floor(app.clock.now() / HOUR) - 2;
    assert.is(await taken(times(hour * HOUR, 10_000, 360)), 360);
    const packed = async () =>
      (await app.sql(`select n from monitor_chunk where monitor_id = ${id}`))[0]?.n;
    assert.ok(await passes(app, 5 * MINUTE, async () => (await packed()) === 360));
    assert.is(await taken(times(hour * HOUR + 5_000, 10_000, 360)), 0);
    assert.is((await one.say(id, [good(app.clock.now())])).taken, 1);
  });

  test.run();
}

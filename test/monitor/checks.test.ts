// Checks of this server, and what they say (plugins/monitor/src/engine).

import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import {
  boot,
  call,
  create,
  failure,
  get,
  http,
  MINUTE,
  passes,
  SECOND,
  says,
  stateOf,
  type Target,
  target,
} from './kit.ts';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitors: checks of a server (${dialect})`);
  let app: TestApp;
  let web: Target;
  let serial = 0;
  let name: string;
  test.before(async () => {
    app = await boot(dialect);
    web = await target();
  });
  test.after(async () => {
    await app.stop();
    await web.stop();
  });
  test.before.each(() => {
    name = `m${serial++}`;
    web.reply = 200;
    web.body = 'ok';
  });
  test.after.each(() => call(app, 'monitor_delete', { name }).catch(() => undefined));
  const outages = (): Promise<any[]> => call(app, 'monitor_outages', { name });
  const results = async (): Promise<any[]> =>
    (await call(app, 'monitor_results', { name, from: 0 })).results;

  test('a new monitor is checked within seconds and is up', async () => {
    const made = await create(app, http(name, web.url));
    assert.is(made.verdict.state, 'unknown');
    assert.ok(await says(app, name, 'up', 20 * SECOND));
    const { states, problem } = await get(app, name);
    assert.is(problem, null);
    assert.equal([states.length, states[0].place, states[0].state], [1, 'server', 'up']);
  });

  test('one failure among good checks opens nothing, and shows in the strip', async () => {
    await create(app, http(name, web.url, { retries: 2 }));
    await says(app, name, 'up');
    web.reply = 500;
    const failed = async () => (await get(app, name)).states[0].state === 'suspect';
    assert.ok(await passes(app, MINUTE, failed));
    web.reply = 200;
    await passes(app, 25 * SECOND);
    const { monitors } = await call(app, 'monitor_list');
    const row = monitors.find((one: any) => one.name === name);
    assert.match(row.recent, /^u+du+$/);
    assert.equal([row.state, row.target], ['up', web.url]);
    assert.equal(await outages(), []);
  });

  test('failures beyond the retries are down since the first one, and the outage ends with the first good check', async () => {
    await create(app, http(name, web.url));
    await says(app, name, 'up');
    web.reply = 500;
    assert.ok(await says(app, name, 'down'));
    // Results are stored within a second of what they say.
    const failures = async () => (await results()).filter(({ ok }) => !ok);
    assert.ok(await passes(app, 5 * SECOND, async () => (await failures()).length === 3));
    const failed = await failures();
    const { verdict } = await get(app, name);
    assert.is(verdict.since, failed.at(-1)!.at);
    assert.match(verdict.detail, /^status 500$/);
    const [open] = await outages();
    assert.equal(open, {
      from: verdict.since,
      to: null,
      cause: verdict.detail,
      places: ['server'],
    });
    web.reply = 200;
    assert.ok(await says(app, name, 'up'));
    const [ended] = await outages();
    const good = async () => (await results()).filter(({ ok, at }) => ok && at > open.from).at(-1);
    assert.ok(await passes(app, 5 * SECOND, async () => (await good()) !== undefined));
    assert.is(ended.to, (await good())!.at);
  });

  test('a monitor that is upside down is down when it gets an answer', async () => {
    await create(app, http(name, web.url, { upside_down: true, retries: 0 }));
    assert.ok(await says(app, name, 'down'));
    assert.match((await get(app, name)).verdict.detail, /should not be/);
  });

  test('a member of the answer that is missing is a failure with that reason', async () => {
    web.body = '{"a":1}';
    await create(app, http(name, web.url, { condition: 'json.ok == true', retries: 0 }));
    assert.ok(await says(app, name, 'down'));
    assert.match((await get(app, name)).verdict.detail, /the answer has no member `ok`/);
  });

  test('a target that hangs fails when its time is over, and one that is away fails at once', async () => {
    web.reply = 'hang';
    await create(app, http(name, web.url, { timeout_s: 1, retries: 0 }));
    assert.ok(await says(app, name, 'down', 30 * SECOND));
    assert.match((await get(app, name)).verdict.detail, /timed out after 1 s/);
    web.reply = 200;
    assert.ok(await says(app, name, 'up'));
  });

  test('what is switched off is paused, and is checked again when it is on', async () => {
    await create(app, http(name, web.url));
    await says(app, name, 'up');
    await call(app, 'monitor_set_enable', { name, enable: false });
    assert.ok(await says(app, name, 'paused', 10 * SECOND));
    const before = web.got.length;
    await passes(app, 30 * SECOND);
    assert.is(web.got.length, before);
    await call(app, 'monitor_set_enable', { name, enable: true });
    assert.ok(await says(app, name, 'up'));
  });

  test('a call has it checked now', async () => {
    await create(app, http(name, web.url, { interval_s: 3600 }));
    await says(app, name, 'up');
    const before = web.got.length;
    await call(app, 'monitor_check_now', { name });
    assert.ok(await passes(app, 5 * SECOND, () => web.got.length === before + 1));
    const early = await failure(call(app, 'monitor_check_now', { name }));
    assert.is(early.code, 108);
    assert.match(early.message, /it was checked \d s ago; the next at \d{4}-/);
    await passes(app, 10 * SECOND);
    assert.is(web.got.length, before + 1);
    await call(app, 'monitor_check_now', { name });
    assert.ok(await passes(app, 5 * SECOND, () => web.got.length === before + 2));
  });

  test('a token has thirty checks a minute made', async () => {
    const limit = [{ scopes: [{ monitor: 'many-*' }], permissions: [{ monitor: 'write' }] }];
    const token = await app.token(limit);
    const monitor = { kind: 'tcp', spec: { host: '127.0.0.1', port: web.port }, interval_s: 3600 };
    const names = Array.from({ length: 31 }, (_one, at) => `many-${at}`);
    for (const one of names) await create(app, { name: one, ...monitor });
    const codes: number[] = [];
    for (const one of names)
      codes.push(
        await call(app, 'monitor_check_now', { name: one }, token).then(
          () => 0,
          ({ code }) => code,
        ),
      );
    assert.equal(codes, [...Array(30).fill(0), 108]);
    for (const one of names) await call(app, 'monitor_delete', { name: one });
  });

  test('a group is down with its worst member, and a group of all when all are', async () => {
    const other = await target();
    const group = async (of: string) => await stateOf(app, of);
    await create(app, http('g1', web.url, { retries: 0 }));
    await create(app, http('g2', other.url, { retries: 0 }));
    const members = ['g1', 'g2'];
    const made = await create(app, { name: 'worst', kind: 'group', spec: { members } });
    assert.equal(made.spec, { rule: 'worst', members });
    await create(app, { name: 'all', kind: 'group', spec: { members, rule: 'all' } });
    assert.ok(await says(app, 'all', 'up'));
    web.reply = 500;
    assert.ok(await says(app, 'worst', 'down'));
    assert.is(await group('all'), 'degraded');
    assert.is((await get(app, 'worst')).verdict.detail, '1 of 2 is down');
    other.reply = 500;
    assert.ok(await says(app, 'all', 'down'));
    for (const one of ['worst', 'all', 'g1', 'g2'])
      await call(app, 'monitor_delete', { name: one });
    await other.stop();
  });

  test('a restart keeps what was said: nothing turns unknown, and no second outage begins', async () => {
    await create(app, http(name, web.url));
    await says(app, name, 'up');
    web.reply = 500;
    await says(app, name, 'down');
    const before = await get(app, name);
    await app.restart();
    await app.clock.advance(0);
    const seen = new Set<string>();
    await passes(app, 30 * SECOND, async () => !seen.add(await stateOf(app, name)));
    assert.equal([...seen], ['down']);
    assert.is((await get(app, name)).verdict.since, before.verdict.since);
    assert.is((await outages()).length, 1);
  });

  test.run();
}

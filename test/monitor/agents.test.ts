// Agents as places of monitors: who is chosen, what it is sent, what it may say (plugins/monitor/src/agents).
import { randomUUID } from 'node:crypto';
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { bad, bootWithAgents, good, machine, type Place, place } from './agents-kit.ts';
import { call, create, failure, get, http, MINUTE, passes, SECOND, says, target } from './kit.ts';

const at = (agents: readonly string[], over: object = {}) => ({ server: false, agents, ...over });
const tcp = (name: string, places: object, over: object = {}) => ({
  ...{ name, kind: 'tcp', spec: { host: '127.0.0.1', port: 9 }, interval_s: 10, timeout_s: 2 },
  ...{ retries: 0, retry_s: 5, places, ...over },
});

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitors: agents as places (${dialect})`);
  let app: TestApp;
  let serial = 0;
  let name: string;
  const opened: Place[] = [];
  test.before(async () => {
    app = await bootWithAgents(dialect);
    // Silence says nothing for two minutes after a start.
    await passes(app, 130 * SECOND);
  });
  test.after(() => app.stop());
  test.before.each(() => {
    name = `m${serial++}`;
  });
  test.after.each(async () => {
    for (const one of opened.splice(0)) one.leave();
    await call(app, 'monitor_delete', { name }).catch(() => undefined);
  });
  const agent = async (uuid?: string, kinds?: string[]): Promise<Place> => {
    const made = await place(app, await machine(app, uuid), kinds);
    opened.push(made);
    return made;
  };
  const state = async () => (await get(app, name)).verdict;
  const waits = (holds: () => Promise<boolean>) => passes(app, 30 * SECOND, holds);

  test('an agent gets its checks with their secrets, and what changes of them', async () => {
    const one = await agent();
    const other = await agent();
    const { id } = await create(app, {
      ...{ name, kind: 'http', spec: { url: 'http://127.0.0.1:9/' }, secret: { bearer: 'hush' } },
      ...{ interval_s: 20, places: at([one.uuid]) },
    });
    assert.ok(await one.hears(() => one.checks.has(id)));
    const { spec, condition, host, interval_s } = one.checks.get(id);
    assert.equal(spec.auth, { type: 'bearer', token: 'hush' });
    assert.equal([condition, host], ['status >= 200 && status < 400', '127.0.0.1']);
    assert.is(interval_s, 20);
    await call(app, 'monitor_update', { name, change: { interval_s: 30 } });
    assert.ok(await one.hears(() => one.checks.get(id).interval_s === 30));
    await call(app, 'monitor_check_now', { name });
    assert.ok(await one.hears(() => one.items.some(({ now }) => now.includes(id))));
    await call(app, 'monitor_set_enable', { name, enable: false });
    assert.ok(await one.hears(() => !one.checks.has(id)));
    await call(app, 'monitor_set_enable', { name, enable: true });
    assert.ok(await one.hears(() => one.checks.has(id)));
    await call(app, 'monitor_delete', { name });
    assert.ok(await one.hears(() => !one.checks.has(id)));
    assert.is(other.checks.size, 0);
    assert.equal([other.items.length, other.items[0].whole], [1, true]);
  });

  test('what it says is taken once, and not of other monitors, from the future, or older than six hours', async () => {
    const [one, other] = [await agent(), await agent()];
    const { id } = await create(app, tcp(name, at([one.uuid])));
    await one.hears(() => one.checks.has(id));
    const now = app.clock.now();
    const batch = [good(now - 20_000), good(now - 10_000), good(now)];
    assert.equal(await one.say(id, batch), { taken: 3, refused: 0 });
    assert.equal(await one.say(id, batch), { taken: 3, refused: 0 });
    assert.equal(await other.say(id, [bad(now)]), { taken: 0, refused: 1 });
    const strange = [bad(now + MINUTE), bad(now - 7 * 60 * MINUTE)];
    assert.equal(await one.say(id, strange), { taken: 0, refused: 2 });
    assert.equal(await one.say(id + 1, [bad(now)]), { taken: 0, refused: 1 });
    assert.equal(await one.say(id, [bad(now - 3 * 60 * MINUTE)]), { taken: 1, refused: 0 });
    const { results } = await call(app, 'monitor_results', { name, from: 0, to: now + 1 });
    assert.equal(
      results.map(({ at: time, ok, place: where }: any) => [time, ok, where]),
      [
        [now, true, one.uuid],
        [now - 10_000, true, one.uuid],
        [now - 20_000, true, one.uuid],
        [now - 3 * 60 * MINUTE, false, one.uuid],
      ],
    );
    assert.ok(await says(app, name, 'up'));
  });

  test('what is no result is refused alone, and a strange certificate takes no result with it', async () => {
    const one = await agent();
    const { id } = await create(app, tcp(name, at([one.uuid])));
    await one.hears(() => one.checks.has(id));
    const now = app.clock.now();
    const link = { subject: 'CN=a', issuer: 'CN=b', fingerprint: 'AA:BB', not_before: 0 };
    const certificate = (not_after: number, over: object = {}) => ({
      ...{ valid: true, reason: null, protocol: 'TLSv1.3', names: ['a'], missing: [] },
      ...{ chain: [{ ...link, not_after }], ...over },
    });
    const shown = async () => (await get(app, name)).certificates.length;
    const sent = [
      good(now - 20_000, { certificate: certificate(5e12) }),
      good(now - 15_000, { certificate: certificate(now, { names: ['x'.repeat(2_000)] }) }),
      good(now - 10_000, { certificate: 'none' }),
      bad(now - 9_000, { detail: 'x'.repeat(301) }),
      bad(now - 8_000, { code: 1_000 }),
      bad(now - 7_000, { more: 1 }),
      { at: 'soon' },
      { nothing: [[[{}]]] },
    ];
    assert.equal(await one.say(id, sent), { taken: 3, refused: 5 });
    assert.is(await shown(), 0);
    const fine = good(now - 5_000, { certificate: certificate(now + 1) });
    assert.equal(await one.say(id, [fine]), { taken: 1, refused: 0 });
    assert.is(await shown(), 1);
    assert.ok(await says(app, name, 'up'));
  });

  test('it is down when its agent says so after the retries, since the first failure, and unknown when it is silent', async () => {
    const one = await agent();
    const { id } = await create(app, tcp(name, at([one.uuid]), { retries: 2 }));
    await one.hears(() => one.checks.has(id));
    const first = app.clock.now() - 9_000;
    await one.say(id, [good(first - 1_000), bad(first)]);
    await one.say(id, [bad(first + 4_000)]);
    assert.is((await get(app, name)).states[0].state, 'suspect');
    await one.say(id, [bad(first + 8_000, { doubtful: true })]);
    assert.is((await get(app, name)).states[0].state, 'suspect');
    await one.say(id, [bad(first + 9_000)]);
    assert.ok(await says(app, name, 'down'));
    const { verdict, states } = await get(app, name);
    assert.equal([verdict.since, verdict.detail], [first, 'the connection was refused']);
    assert.equal([states[0].place, states[0].problem], [one.uuid, null]);
    const [outage] = await call(app, 'monitor_outages', { name });
    assert.equal(outage.places, [one.uuid]);
    await one.say(id, [good(app.clock.now())]);
    assert.ok(await says(app, name, 'up'));
    assert.ok(await says(app, name, 'unknown'), 'after three intervals');
  });

  test('a server and two agents check it: fewer that say down than are needed are degraded, enough are down', async () => {
    const [one, other] = [await agent(), await agent()];
    const web = await target();
    const places = { server: true, agents: [one.uuid, other.uuid] };
    const { id } = await create(app, http(name, web.url, { places, down_when: 2, retries: 0 }));
    await one.hears(() => one.checks.has(id));
    await other.hears(() => other.checks.has(id));
    await one.say(id, [good(app.clock.now())]);
    await other.say(id, [good(app.clock.now())]);
    assert.ok(await waits(async () => (await state()).up === 3));
    await one.say(id, [bad(app.clock.now())]);
    assert.ok(await says(app, name, 'degraded'));
    assert.equal(await call(app, 'monitor_outages', { name }), []);
    await other.say(id, [bad(app.clock.now())]);
    assert.ok(await says(app, name, 'down'));
    assert.is((await call(app, 'monitor_outages', { name })).length, 1);
    await web.stop();
  });

  test('with two agents gone the third decides, unless more are needed', async () => {
    const all = [await agent(), await agent(), await agent()];
    const [one] = all as [Place];
    const { id } = await create(app, tcp(name, at(all.map(({ uuid }) => uuid))));
    for (const each of all) {
      await each.hears(() => each.checks.has(id));
      await each.say(id, [good(app.clock.now())]);
    }
    assert.ok(await waits(async () => (await state()).up === 3));
    await one.say(id, [bad(app.clock.now())]);
    assert.ok(await says(app, name, 'degraded'));
    assert.equal(await call(app, 'monitor_outages', { name }), []);
    const lasts = async (word: string) => {
      await one.say(id, [bad(app.clock.now())]);
      return (await state()).state === word;
    };
    assert.ok(await passes(app, 2 * MINUTE, () => lasts('down')));
    const { up, down, unknown } = await state();
    assert.equal({ up, down, unknown }, { up: 0, down: 1, unknown: 2 });
    await call(app, 'monitor_update', { name, change: { down_when: 2 } });
    assert.ok(await passes(app, MINUTE, () => lasts('unknown')));
  });

  test('of the agents that hold a tag so many are picked, and one that is gone for five minutes is replaced', async () => {
    const all = [await agent(), await agent(), await agent()];
    for (const { uuid } of all) {
      await app.call('kv_create', [app.superToken, uuid]);
      await app.call('kv_set_value', [app.superToken, uuid, 'metadata_tags', [name]]);
    }
    const { id } = await create(app, tcp(name, { server: false, tags: [name], pick: 2 }));
    const having = () => all.filter(({ checks }) => checks.has(id));
    assert.ok(await all[0]!.hears(() => having().length === 2));
    const [first, second] = having() as [Place, Place];
    const third = all.find((one) => !having().includes(one))!;
    await call(app, 'monitor_update', { name, change: { note: 'the same ones' } });
    await second.hears(() => second.checks.get(id).version === 2);
    assert.equal(
      having(),
      [first, second].filter((one) => having().includes(one)),
    );
    await first.say(id, [good(app.clock.now())]);
    first.leave();
    await passes(app, 4 * MINUTE);
    assert.not(third.checks.has(id));
    assert.ok(await passes(app, 3 * MINUTE, async () => third.checks.has(id)));
    assert.ok(second.checks.has(id));
    const places = (await get(app, name)).states.map(({ place: where }: any) => where);
    assert.equal(places.sort(), [second.uuid, third.uuid].sort());
    assert.equal(await first.say(id, [bad(app.clock.now())]), { taken: 0, refused: 1 });
    const again = await agent(first.uuid);
    assert.ok(await again.hears(() => again.checks.has(id)), 'it is back');
  });

  test('a monitor with secrets goes to no agent that only holds a tag, and says so; too few places for down_when, too', async () => {
    const one = await agent();
    await app.call('kv_create', [app.superToken, one.uuid]);
    await app.call('kv_set_value', [app.superToken, one.uuid, 'metadata_tags', [name]]);
    const secret = { bearer: 'hush' };
    const places = { server: false, tags: [name] };
    const spec = { url: 'http://127.0.0.1:9/' };
    const { id } = await create(app, { name, kind: 'http', spec, secret, places });
    const problem = async () => (await get(app, name)).problem;
    assert.ok(await passes(app, MINUTE, async () => /has secrets/.test((await problem()) ?? '')));
    assert.not(one.checks.has(id));
    await call(app, 'monitor_update', { name, change: { secret: null } });
    assert.ok(await one.hears(() => one.checks.has(id)));
    assert.ok(await passes(app, MINUTE, async () => (await problem()) === null));
    const more = { places: { server: true, tags: [name], pick: 2 }, down_when: 3 };
    await call(app, 'monitor_update', { name, change: more });
    assert.ok(await passes(app, MINUTE, async () => (await problem()) !== null));
    assert.is(await problem(), '3 places have to say down, and 2 can check it');
  });

  test('the writer needs the right to such tasks at each agent; where it ends, the place is unknown and says so', async () => {
    const [one, other] = [await agent(), await agent()];
    const limits = (create: string) => [
      { scopes: [{ monitor: '*' }], permissions: [{ monitor: 'write' }, { monitor: 'read' }] },
      { scopes: [{ agent_uuid: one.uuid }], permissions: [{ task: { create } }] },
    ];
    const token = await app.token(limits('tcp_ping'));
    const refused = await failure(create(app, tcp(name, at([one.uuid, other.uuid])), token));
    assert.is(refused.code, 102);
    assert.match(refused.message, `task create permission (tcp_ping) for the agent ${other.uuid}`);
    const { id } = await create(app, tcp(name, at([one.uuid])), token);
    await one.hears(() => one.checks.has(id));
    await one.say(id, [good(app.clock.now())]);
    assert.ok(await says(app, name, 'up'));
    await call(app, 'token_edit', {
      ...{ target_token: token.split(':')[0], limit: limits('ping') },
    });
    assert.ok(await passes(app, 2 * MINUTE, async () => !one.checks.has(id)));
    assert.equal(await one.say(id, [good(app.clock.now())]), { taken: 0, refused: 1 });
    assert.ok(await says(app, name, 'unknown'));
    const { states, problem } = await get(app, name);
    assert.is(states[0].state, 'unknown');
    assert.match(states[0].problem, 'may not create tasks of the kind tcp_ping there any more');
    assert.match(problem, one.uuid);
  });

  test('an agent is sent only what its configuration allows, and the place says what it does not', async () => {
    const one = await agent(undefined, ['ping']);
    await create(app, tcp(name, at([one.uuid])));
    assert.ok(await one.hears(() => one.items.length > 0));
    const placed = () => get(app, name).then(({ states }) => states[0]);
    assert.ok(await passes(app, MINUTE, async () => (await placed()) !== undefined));
    assert.is((await placed()).problem, 'its configuration does not allow tcp_ping');
    assert.is(one.checks.size, 0);
  });

  test('an agent may register before its first report, and is a place from then on', async () => {
    const uuid = randomUUID();
    const early = await place(app, uuid);
    opened.push(early);
    assert.ok(await early.hears(() => early.items.length === 1));
    await machine(app, uuid);
    const { id } = await create(app, tcp(name, at([uuid])));
    assert.ok(await early.hears(() => early.checks.has(id)));
    assert.is((await get(app, name)).states[0].problem, null);
  });

  // biome-ignore format: one case per line
  const refusals: readonly (readonly [what: string, over: object, code: number, text: string])[] = [
    ['an agent that is none', { places: at(['0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f000']) }, 108, 'there is no agent'],
    ['a domain at an agent', { kind: 'domain', spec: { name: 'example.com' }, interval_s: 43_200, places: { server: false, tags: ['x'] } }, 108, 'by the server only'],
    ['more places than there are', { places: { server: false, tags: ['x'], pick: 2 }, down_when: 3 }, 108, 'at most 2'],
  ];
  for (const [what, over, code, text] of refusals)
    test(`${what} is refused`, async () => {
      const error = await failure(create(app, { ...tcp(name, {}), ...over }));
      assert.is(error.code, code);
      assert.match(error.message, text);
    });

  test('a token without the right of this agent may neither register nor report', async () => {
    const one = await agent();
    const token = await app.token([{ scopes: ['global'], permissions: [{ task: 'listen' }] }]);
    const socket = await app.connect();
    for (const [method, params] of [
      ['monitor_register', {}],
      ['monitor_report', { results: [] }],
    ] as const) {
      const error = await failure(socket.call(method, { token, uuid: one.uuid, ...params }));
      assert.equal([method, error.code], [method, 102]);
    }
    const any = [
      { scopes: ['global'], permissions: [{ task: 'listen' }, { task: { write: '*' } }] },
    ];
    const whole = await app.token(any);
    await socket.call('monitor_register', { token: whole, uuid: one.uuid });
    socket.close();
  });

  test.run();
}

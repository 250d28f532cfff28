// Monitors, states of places and verdicts with their outages (plugins/monitor/src/store).

import * as assert from 'uvu/assert';
import type { StateChange } from '../../plugins/monitor/src/store/states.ts';
import type { VerdictChange } from '../../plugins/monitor/src/store/verdicts.ts';
import {
  DEGRADED,
  DOWN,
  PAUSED,
  type State,
  UNKNOWN,
  UP,
} from '../../plugins/monitor/src/types.ts';
import { failure } from '../kernel/database-kit.ts';
import { suite } from '../runner/suite.ts';
import { DAY, HOUR, MINUTE, newMonitor, result, Stores, T0 } from './store-kit.ts';

const said = (monitor_id: number, over: Partial<State> = {}): StateChange['to'] => ({
  ...{ monitor_id, place_id: 0, state: UP, since: T0, last_at: T0, fails: 0, goods: 1 },
  ...{ ms: 25, code: 200, detail: '', ...over },
});

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitor: stored rows (${dialect})`);
  let on: Stores;
  test.before(async () => {
    on = await Stores.open(dialect);
  });
  test.after(() => on.app.stop());
  test.before.each(() => {
    on.now = T0;
  });

  const outagesOf = (id: number) =>
    on.uptime.outages({ ids: [id], from: 0, to: T0 + DAY, limit: 10 });

  test('a monitor is found by id, name, key and import, with its lists and objects', async () => {
    const given = newMonitor({
      ...{ name: 'all of it', tags: ['a', 'b'], places: { server: true, tags: ['x'], pick: 2 } },
      ...{ upside_down: true, severity: 'warning', enable: false, imported_from: 'kuma:7' },
      ...{ spec: { url: 'http://x', headers: { a: 'é' } }, group: 'g', public_name: 'P' },
    });
    const seal = (id: number) => ({ password: `sealed for ${id}` });
    const made = await on.monitors.create(given, { key_hash: 'abc', seal });
    const expected = {
      ...given,
      ...{ id: made.id, secret: { password: `sealed for ${made.id}` } },
      ...{ version: 1, created_at: T0, updated_at: T0 },
    };
    assert.equal(made, expected);
    const { monitors } = on;
    for (const found of [
      await monitors.byId(made.id),
      await monitors.byName('all of it'),
      await monitors.byKeyHash('abc'),
      await monitors.byImported('kuma:7'),
      (await monitors.byIds([made.id, 999_999]))[0],
      (await monitors.after(made.id - 1))[0],
    ])
      assert.equal(found, expected);
    const { spec: _, secret: __, ...listed } = expected;
    assert.equal(
      (await monitors.list()).find(({ id }) => id === made.id),
      { ...listed, has_secret: true },
    );
    assert.is(await monitors.byName('nobody'), undefined);
  });

  test('of two changes of one version the second finds the first one there', async () => {
    const made = await on.monitors.create(newMonitor({ name: 'twice' }), { key_hash: 'k1' });
    on.now = T0 + 5;
    const changed = await on.monitors.change({ ...made, note: 'first' });
    assert.equal([changed!.version, changed!.note, changed!.updated_at], [2, 'first', T0 + 5]);
    assert.is(await on.monitors.change({ ...made, note: 'second' }), undefined);
    assert.is((await on.monitors.byKeyHash('k1'))!.note, 'first');
    await on.monitors.change(changed!, { key_hash: 'k2' });
    assert.is(await on.monitors.byKeyHash('k1'), undefined);
  });

  test('a name, and what was imported, is there once', async () => {
    const first = await on.monitors.create(newMonitor({ name: 'once', imported_from: 'x:1' }));
    for (const again of [{ name: 'once' }, { name: 'other', imported_from: 'x:1' }]) {
      const error = await failure(on.monitors.create(newMonitor(again)));
      assert.is(error.code, 108);
    }
    const other = await on.monitors.create(newMonitor({ name: 'another' }));
    assert.is((await failure(on.monitors.change({ ...other, name: 'once' }))).code, 108);
    assert.ok(await on.monitors.change({ ...first, note: 'its own name is free for it' }));
  });

  test('with a monitor goes what hung on it, and its children have no parent', async () => {
    const id = await on.monitor();
    const child = await on.monitor({ parent: id });
    const kept = await on.checked(T0, T0 + 10 * MINUTE);
    await on.verdict(id, DOWN, T0);
    await on.states.change([{ from: undefined, to: said(id) }]);
    await on.check(id, T0, T0 + HOUR, 1_000);
    on.now = T0 + HOUR + 11 * MINUTE;
    await on.pack();
    await on.check(id, T0 + HOUR, T0 + 2 * HOUR, 1_000);
    assert.is(await on.monitors.remove(id), true);
    assert.is(await on.monitors.remove(id), false);
    assert.is((await on.monitors.byId(child))!.parent, null);
    while (await on.monitors.sweep());
    for (const table of ['state', 'verdict', 'change', 'result', 'chunk', 'hour', 'day', 'outage'])
      assert.is(await on.count(`monitor_${table}`, `where monitor_id = ${id}`), 0, table);
    assert.is(await on.count('monitor_chunk', `where monitor_id = ${kept}`), 1);
  });

  test('nothing is stored for a monitor that has gone', async () => {
    const gone = 999_999;
    assert.is(await on.results.add([result(gone, T0)]), 0);
    assert.equal(await on.states.change([{ from: undefined, to: said(gone) }]), [
      { made: false, state: undefined },
    ]);
    assert.is(await on.verdict(gone, UP, T0), undefined);
  });

  test('a state is changed from the row that was judged, and a lost change answers the current one', async () => {
    const id = await on.monitor();
    const detail = 'a\0b \ud800 é 😀';
    const [made] = await on.states.change([{ from: undefined, to: said(id, { ms: 2.5, detail }) }]);
    assert.is(made!.made, true);
    assert.equal([made!.state!.version, made!.state!.changed_at, made!.state!.ms], [1, T0, 2.5]);
    assert.is(made!.state!.detail, 'ab \ufffd é 😀');
    on.now = T0 + 10;
    const down = said(id, { state: DOWN, since: T0 + 5, fails: 3, goods: 0 });
    const [changed] = await on.states.change([{ from: made!.state, to: down }]);
    assert.equal([changed!.state!.version, changed!.state!.state], [2, DOWN]);
    const lost = await on.states.change([
      { from: made!.state, to: said(id) },
      { from: undefined, to: said(id) },
      { from: undefined, to: said(id, { place_id: 7 }) },
    ]);
    assert.equal(
      lost.map((one) => one.made),
      [false, false, true],
    );
    assert.equal(lost[0]!.state, changed!.state);
    assert.equal(lost[1]!.state, changed!.state);
    await on.states.progress([
      { ...changed!.state!, last_at: T0 + 20, fails: 4 },
      { ...lost[2]!.state!, version: 9, last_at: T0 + 20 },
    ]);
    const rows = await on.states.ofMonitors([id]);
    assert.equal(
      rows.map(({ last_at, fails, version }) => [last_at, fails, version]),
      [
        [T0 + 20, 4, 2],
        [T0, 0, 1],
      ],
    );
    await on.states.forget(id, [7]);
    assert.is((await on.states.ofMonitors([id])).length, 1);
  });

  test('rows that changed since a time are read page by page', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 4; n++) ids.push(await on.monitor());
    on.now = T0 + 1_000_000;
    const places = Array.from({ length: 300 }, (_, place_id) => place_id);
    const changes = ids.flatMap((id) =>
      places.map((place_id) => ({ from: undefined, to: said(id, { place_id }) })),
    );
    assert.ok((await on.states.change(changes)).every(({ made }) => made));
    const first = await on.states.changedSince(on.now);
    assert.is(first.length, 1_000);
    const second = await on.states.changedSince(on.now, first.at(-1));
    assert.is(second.length, 200);
    assert.is(
      new Set([...first, ...second].map((row) => `${row.monitor_id} ${row.place_id}`)).size,
      1_200,
    );
    assert.equal(await on.states.changedSince(on.now + 1), []);
  });

  test('an outage lasts from the first failure until the verdict is another one', async () => {
    const id = await on.monitor();
    await on.verdict(id, UP, T0);
    on.now = T0 + 10 * MINUTE;
    const down = { down: 2, up: 0, detail: 'status 500' };
    const verdict = await on.verdict(id, DOWN, T0 + 9 * MINUTE, down);
    assert.equal(
      [verdict.since, verdict.version, verdict.detail],
      [T0 + 9 * MINUTE, 2, 'status 500'],
    );
    const [open] = await outagesOf(id);
    assert.equal([open!.from_at, open!.to_at, open!.cause], [T0 + 9 * MINUTE, null, 'status 500']);
    assert.equal([open!.places, open!.public], [[0], true]);
    // More is known of it, and it is the same outage.
    await on.verdict(id, DOWN, T0 + 9 * MINUTE, { ...down, down: 3, detail: 'refused' });
    await on.verdict(id, UNKNOWN, T0 + 20 * MINUTE);
    const outages = await outagesOf(id);
    assert.equal(outages, [{ ...open!, to_at: T0 + 20 * MINUTE }]);
    const changes = await on.app.sql(
      `select at, state from monitor_change where monitor_id = ${id} order by at`,
    );
    assert.equal(
      changes.map(({ at, state }) => [Number(at) - T0, state]),
      [
        [0, UP],
        [9 * MINUTE, DOWN],
        [20 * MINUTE, UNKNOWN],
      ],
    );
  });

  test('a verdict that holds from earlier on replaces what was said of that time, but no outage before', async () => {
    const id = await on.monitor();
    for (const [state, minutes] of [
      [UP, 0],
      [DOWN, 10],
      [UP, 20],
      [DEGRADED, 25],
      [DOWN, 15],
    ] as const)
      await on.verdict(id, state, T0 + minutes * MINUTE);
    const outages = await outagesOf(id);
    assert.equal(
      outages.map(({ from_at, to_at }) => [from_at - T0, to_at && to_at - T0]),
      [
        [20 * MINUTE, null],
        [10 * MINUTE, 20 * MINUTE],
      ],
    );
    await on.verdict(id, PAUSED, T0 + 30 * MINUTE);
    const changes = await on.app.sql(
      `select at, state from monitor_change where monitor_id = ${id} order by at`,
    );
    assert.equal(
      changes.map(({ at, state }) => [(Number(at) - T0) / MINUTE, state]),
      [
        [0, UP],
        [10, DOWN],
        [20, DOWN],
        [30, PAUSED],
      ],
    );
  });

  test('of many changes those that were judged from old rows are not made, and open nothing', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 250; n++) ids.push(await on.monitor());
    const change = (monitor_id: number, from: VerdictChange['from']): VerdictChange => ({
      from,
      to: {
        ...{ monitor_id, state: DOWN, since: T0, up: 0, down: 1, unknown: 0 },
        ...{ detail: '', next_at: T0 + monitor_id },
      },
      places: [],
      public: false,
    });
    const made = await on.verdicts.change(ids.map((id) => change(id, undefined)));
    assert.ok(made.every((one) => one.made && one.verdict!.version === 1));
    const lost = await on.verdicts.change(ids.slice(0, 2).map((id) => change(id, undefined)));
    assert.equal(
      lost,
      made.slice(0, 2).map(({ verdict }) => ({ made: false, verdict })),
    );
    const all = { ids, from: 0, to: T0 + 1, limit: 1_000 };
    assert.is((await on.uptime.outages(all)).length, 250);
    assert.equal(await on.uptime.outages({ ...all, isPublic: true }), []);
    const page = await on.uptime.outages({ ...all, limit: 100 });
    const rest = await on.uptime.outages({ ...all, before: page.at(-1)! });
    assert.is(rest.length, 150);
    on.now = T0 + ids[9]!;
    const due = (await on.verdicts.due()).filter(({ monitor_id }) => ids.includes(monitor_id));
    assert.equal(
      due.map(({ monitor_id }) => monitor_id),
      ids.slice(0, 10),
    );
  });

  test('two servers that judge the same monitor open one outage', async () => {
    const id = await on.monitor();
    const from = await on.verdict(id, UP, T0);
    const change: VerdictChange = {
      from,
      to: { ...from, state: DOWN, since: T0 + 5, next_at: null },
      places: [1, 2],
      public: false,
    };
    const made = await Promise.all(Array.from({ length: 8 }, () => on.verdicts.change([change])));
    assert.is(made.filter(([one]) => one!.made).length, 1);
    assert.equal(
      (await outagesOf(id)).map(({ places }) => places),
      [[1, 2]],
    );
  });

  test('of each heartbeat the last 50 pings stay', async () => {
    const id = await on.monitor({ kind: 'heartbeat' });
    const ping = {
      ...{ monitor_id: id, kind: 'success', exit_status: null, rid: null, method: 'POST' },
      ...{ address: '127.0.0.1', agent: 'curl', ms: null },
    };
    const ids: number[] = [];
    for (let n = 0; n < 60; n++)
      ids.push(await on.pings.add({ ...ping, at: T0 + n }, Buffer.from(`body ${n}`)));
    const list = await on.pings.list(id);
    assert.equal(
      list.map(({ at }) => at - T0),
      Array.from({ length: 50 }, (_, n) => 59 - n),
    );
    assert.is(await on.count('monitor_ping', `where monitor_id = ${id}`), 50);
    assert.is(Buffer.from((await on.pings.body(id, ids[59]!))!).toString(), 'body 59');
    assert.is(await on.pings.body(id, ids[0]!), undefined);
  });

  test.run();
}

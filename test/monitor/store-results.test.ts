// Results are packed by the hour, whatever comes late and whenever a server is killed (plugins/monitor/src/store).

import { deflateRawSync } from 'node:zlib';
import type { Database } from '@svc/plugin-sdk';
import * as assert from 'uvu/assert';
import { DetailStore } from '../../plugins/monitor/src/store/details.ts';
import { ResultStore } from '../../plugins/monitor/src/store/results.ts';
import { DOWN, type Result, UP } from '../../plugins/monitor/src/types.ts';
import { failure } from '../kernel/database-kit.ts';
import { loop } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { HOUR, MINUTE, result, SECOND, Stores, T0 } from './store-kit.ts';

const H0 = T0 / HOUR;
/** More statements than packing one hour has. */
const STATEMENTS = loop(12, 16);

/** A database of which the transactions fail at the statement of this number, as of a server that is killed. */
function killedAt(db: Database, statement: number): Database {
  let left = statement;
  const counting = (trx: any) =>
    new Proxy(trx, {
      get: (of, name) => {
        if (name === 'raw' && --left < 0) throw new Error('killed');
        return Reflect.get(of, name);
      },
    });
  return new Proxy(db, {
    get(of, name) {
      if (name === 'transaction')
        return (work: any) => db.transaction((trx) => work(counting(trx)));
      const value = Reflect.get(of, name);
      return typeof value === 'function' && name !== 'query' ? value.bind(of) : value;
    },
  });
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitor: results (${dialect})`);
  let on: Stores;
  test.before(async () => {
    on = await Stores.open(dialect);
  });
  test.after(() => on.app.stop());
  test.before.each(async () => {
    on.now = T0;
    on.log.lines.length = 0;
    await on.app.sql('delete from monitor');
    while (await on.monitors.sweep());
  });

  const hoursOf = async (id: number) =>
    (
      await on.app.sql(
        `select hour, place_id, up_s, down_s, unknown_s, n, ms_p50, ms_max from monitor_hour
          where monitor_id = ${id} order by hour, place_id`,
      )
    ).map(({ hour, ...row }) => ({ ...row, hour: hour - H0 }));

  test('results are read newest first, page by page, whether they are packed or not', async () => {
    const id = await on.checked(T0, T0 + 3 * HOUR, { interval_s: 60 });
    await on.check(id, T0 + 7 * SECOND, T0 + 3 * HOUR, 10 * MINUTE, {
      ...{ place_id: 5, ok: false, ms: null, code: null, detail: 'refused' },
    });
    const before = await on.all(id, 7);
    assert.is(before.length, 180 + 18);
    assert.equal(
      before.map(({ at }) => at),
      before.map(({ at }) => at).toSorted((a, b) => b - a),
    );
    on.now = T0 + 2 * HOUR + 10 * MINUTE;
    await on.pack();
    assert.is(await on.count('monitor_result'), 60 + 6);
    assert.is(await on.count('monitor_chunk'), 4);
    for (const limit of [1, 7, 66, 1_000])
      assert.equal(await on.all(id, limit), before, `${limit}`);
    const ask = { monitor_id: id, from: T0 + 30 * MINUTE, to: T0 + 90 * MINUTE, limit: 1_000 };
    const inside = before.filter(({ at }) => at >= ask.from && at < ask.to);
    assert.equal((await on.results.page(ask)).results, inside);
    const ofPlace = await on.results.page({ ...ask, place_id: 5 });
    assert.equal(ofPlace, { results: inside.filter((one) => one.place_id === 5), next: null });
    assert.is(ofPlace.results[0]!.detail, 'refused');
  });

  test('a page over many hours with few results ends early and says where to go on', async () => {
    const id = await on.monitor({ kind: 'heartbeat' });
    const all: Result[] = [];
    for (let n = 0; n < 300; n++) all.push(result(id, T0 + n * HOUR));
    await on.results.add(all);
    on.now = T0 + 301 * HOUR;
    await on.pack();
    const ask = { monitor_id: id, from: 0, to: on.now, limit: 1_000 };
    const page = await on.results.page(ask);
    assert.ok(page.next && page.results.length >= 200 && page.results.length < 300);
    assert.equal(
      (await on.all(id, 1_000)).map(({ at }) => at),
      all.map(({ at }) => at).reverse(),
    );
  });

  test('an hour is packed ten minutes after its end', async () => {
    const id = await on.checked(T0, T0 + HOUR);
    on.now = T0 + HOUR + 10 * MINUTE - 1;
    await on.pack();
    assert.is(await on.count('monitor_result'), 180);
    on.now++;
    await on.pack();
    assert.is(await on.count('monitor_result'), 0);
    const [verdict, place] = await hoursOf(id);
    assert.equal(verdict, {
      ...{ hour: 0, place_id: -1, up_s: 3_600, down_s: 0, unknown_s: 0 },
      ...{ n: 180, ms_p50: 25, ms_max: 25 },
    });
    assert.equal(place, { ...verdict, place_id: 0 });
    const [day] = await on.app.sql('select day, up_s, n from monitor_day');
    assert.equal({ ...day }, { day: H0 / 24, up_s: 3_600, n: 180 });
  });

  test('a result that comes late, or twice, goes into its hour, which is counted again', async () => {
    const id = await on.checked(T0, T0 + 30 * MINUTE);
    on.now = T0 + 2 * HOUR + 10 * MINUTE;
    await on.check(id, T0 + HOUR, T0 + 2 * HOUR, 20 * SECOND);
    await on.pack();
    assert.equal(
      (await hoursOf(id)).map(({ up_s }) => up_s),
      [1_830, 1_830, 3_600, 3_600],
    );
    await on.check(id, T0 + 20 * MINUTE, T0 + HOUR, 20 * SECOND, { ms: 90 });
    await on.pack();
    const rows = await hoursOf(id);
    assert.equal(
      rows.map(({ up_s, n }) => [up_s, n]),
      [
        [3_600, 180],
        [3_600, 180],
        [3_600, 180],
        [3_600, 180],
      ],
    );
    assert.equal([rows[0]!.ms_p50, rows[0]!.ms_max], [25, 90]);
    assert.is(await on.count('monitor_result'), 0);
    const all = await on.all(id);
    assert.is(all.length, 360);
    assert.is(all.filter(({ ms }) => ms === 90).length, 90);
    const [day] = await on.app.sql('select up_s, n from monitor_day');
    assert.equal({ ...day }, { up_s: 7_200, n: 360 });
  });

  test('what comes late at the end of an hour covers the beginning of the next one', async () => {
    const id = await on.monitor({ interval_s: 600 });
    await on.verdict(id, UP, T0);
    await on.check(id, T0 + 90 * MINUTE, T0 + 2 * HOUR, 10 * MINUTE);
    on.now = T0 + 2 * HOUR + 10 * MINUTE;
    await on.pack();
    assert.equal(
      (await hoursOf(id)).map(({ up_s }) => up_s),
      [0, 1_800, 1_800],
    );
    await on.check(id, T0 + 50 * MINUTE, T0 + HOUR, 10 * MINUTE);
    await on.pack();
    const [first, , second] = await hoursOf(id);
    assert.equal([first!.up_s, second!.up_s], [600, 1_800 + 900]);
  });

  test('a server may be killed at any statement: nothing is lost, and nothing is there twice', async () => {
    let killed = 0;
    for (let statement = 0; statement < STATEMENTS; statement++) {
      await on.app.sql('delete from monitor');
      while (await on.monitors.sweep());
      on.now = T0;
      const id = await on.checked(T0, T0 + 50 * MINUTE, { interval_s: 60 });
      on.now = T0 + HOUR + 10 * MINUTE;
      await on.pack();
      await on.check(id, T0 + 50 * MINUTE, T0 + HOUR, 60 * SECOND, { detail: 'late' });
      const expected = await on.all(id);
      assert.is(expected.length, 60);
      const packer = on.packer({ db: killedAt(on.db, statement) });
      await packer.round(async () => {}).catch(() => killed++);
      assert.equal(await on.all(id), expected, `killed at ${statement}`);
      await on.pack();
      assert.equal(await on.all(id), expected, `after ${statement}`);
      assert.is(await on.count('monitor_result'), 0);
      assert.equal(
        (await hoursOf(id)).map(({ up_s, n }) => [up_s, n]),
        [
          [3_600, 60],
          [3_600, 60],
        ],
      );
    }
    assert.ok(killed >= 5, `${killed} kills`);
  });

  test('results that come while an hour is packed are kept for the next round', async () => {
    const id = await on.checked(T0, T0 + 50 * MINUTE, { interval_s: 60 });
    on.now = T0 + HOUR + 10 * MINUTE;
    let isFirst = true;
    const packer = on.packer({
      async coverEnd() {
        if (isFirst) await on.check(id, T0 + 30, T0 + HOUR, 60 * SECOND, { place_id: 2 });
        isFirst = false;
        return (at) => at + 150 * SECOND;
      },
    });
    await packer.round(async () => {});
    await on.pack();
    assert.is(await on.count('monitor_result'), 0);
    assert.is((await on.all(id)).length, 50 + 60);
    assert.equal(on.log.lines, []);
  });

  test('two servers that pack at the same time lose nothing', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 5; n++) ids.push(await on.checked(T0, T0 + 2 * HOUR, { interval_s: 60 }));
    on.now = T0 + 2 * HOUR + 10 * MINUTE;
    const packers = [on.packer(), on.packer(), on.packer()];
    await Promise.all(packers.map((packer) => packer.round(async () => {})));
    await on.pack();
    for (const id of ids) {
      assert.is((await on.all(id)).length, 120);
      assert.equal(
        (await hoursOf(id)).map(({ n }) => n),
        [60, 60, 60, 60],
      );
    }
  });

  test('a chunk that cannot be read is told, and holds up nothing', async () => {
    const id = await on.checked(T0, T0 + 50 * MINUTE, { interval_s: 60 });
    on.now = T0 + HOUR + 10 * MINUTE;
    await on.pack();
    const body = Buffer.concat([Buffer.of(1), deflateRawSync(Buffer.alloc(2 ** 22))]);
    await on.db.query('monitor_chunk').where({ monitor_id: id }).update({ body });
    await on.check(id, T0 + 50 * MINUTE, T0 + HOUR, 60 * SECOND);
    await on.pack();
    assert.ok(on.log.lines.some(({ message }) => message === 'packed results cannot be read'));
    assert.is((await on.all(id)).length, 10);
  });

  test('hours without results are counted, too: they are unknown, and of a heartbeat what its last ping says', async () => {
    const silent = await on.monitor();
    await on.verdict(silent, UP, T0);
    const daily = await on.monitor({ kind: 'heartbeat' });
    await on.verdict(daily, UP, T0);
    await on.results.add([result(daily, T0)]);
    const group = await on.monitor({ kind: 'group' });
    await on.verdict(group, UP, T0);
    await on.verdict(group, DOWN, T0 + 90 * MINUTE);
    on.now = T0 + 3 * HOUR + 10 * MINUTE;
    await on.pack();
    const verdicts = async (id: number) =>
      (await hoursOf(id))
        .filter(({ place_id }) => place_id === -1)
        .map(({ up_s, down_s, unknown_s }) => [up_s, down_s, unknown_s]);
    const unknown = [0, 0, 3_600];
    const up = [3_600, 0, 0];
    assert.equal(await verdicts(silent), [unknown, unknown, unknown]);
    assert.equal(await verdicts(daily), [up, up, up]);
    assert.equal(await verdicts(group), [up, [1_800, 1_800, 0], [0, 3_600, 0]]);
  });

  test('what was imported is counted though it is older than the monitor', async () => {
    on.now = T0 + 5 * HOUR;
    const id = await on.monitor({ interval_s: 60 });
    await on.verdict(id, UP, T0);
    await on.check(id, T0, T0 + HOUR, 60 * SECOND);
    await on.pack();
    const rows = await hoursOf(id);
    assert.equal(
      rows.map(({ hour, up_s, n }) => [hour, up_s, n]),
      [
        [0, 3_600, 60],
        [0, 3_600, 60],
      ],
    );
    const told = await on.uptime.of([id], { from: T0, to: on.now });
    assert.equal([told.get(id)!.up_s, told.get(id)!.uptime], [3_600, 100]);
  });

  test('a verdict that turns out to have begun in hours that were counted has them counted again', async () => {
    const id = await on.checked(T0, T0 + 3 * HOUR, { interval_s: 600 });
    on.now = T0 + 3 * HOUR + 10 * MINUTE;
    await on.pack();
    await on.verdict(id, DOWN, T0 + 90 * MINUTE);
    on.now += 20 * MINUTE;
    await on.pack();
    const rows = (await hoursOf(id)).filter(({ place_id }) => place_id === -1);
    assert.equal(
      rows.map(({ up_s, down_s }) => [up_s, down_s]),
      [
        [3_600, 0],
        [1_800, 1_800],
        [0, 3_600],
      ],
    );
  });

  test('a list shows the last thirty outcomes, from rows and from the last packed hour', async () => {
    const busy = await on.checked(T0, T0 + 90 * MINUTE, { interval_s: 60 });
    const slow = await on.checked(T0, T0 + 90 * MINUTE, { interval_s: 600 });
    const none = await on.monitor();
    const expected = (await on.all(busy)).slice(0, 30).map(({ at }) => at);
    const check = async () => {
      const found = await on.outcomes.of([busy, slow, none]);
      assert.equal(
        found.get(busy)!.map(({ at }) => at),
        expected,
      );
      assert.equal(
        found.get(slow)!.map(({ at }) => (at - T0) / MINUTE),
        [80, 70, 60, 50, 40, 30, 20, 10, 0],
      );
      assert.equal(found.get(slow)![0], { at: T0 + 80 * MINUTE, place_id: 0, ok: true, ms: 25 });
      assert.equal(found.get(none), []);
    };
    await check();
    on.now = T0 + 70 * MINUTE;
    await on.pack();
    await check();
    await check();
  });

  test('each text of a failure is there once, within a bound, and goes when nothing uses it', async () => {
    await on.app.sql('delete from monitor_detail');
    const id = await on.monitor();
    const details = new DetailStore(on.db, on.clock, 30);
    const results = new ResultStore(on.db, on.clock, details);
    const failed = (n: number, detail: string) =>
      result(id, T0 + n, { ok: false, ms: null, code: null, detail });
    await results.add([failed(1, 'a'), failed(2, 'b'), failed(3, 'a'), failed(4, 'x'.repeat(400))]);
    on.now += 2 * MINUTE;
    await results.add([failed(5, 'd'), failed(6, 'b')]);
    const page = await results.page({ monitor_id: id, from: 0, to: T0 + HOUR, limit: 10 });
    const texts = page.results.map(({ detail }) => detail);
    assert.equal(texts, ['b', null, 'x'.repeat(300), 'a', 'b', 'a']);
    on.now = T0 + 50 * 24 * HOUR;
    await results.add([failed(7, 'b')]);
    while (await details.clean(on.now - 30 * 24 * HOUR));
    const left = await on.app.sql('select text from monitor_detail');
    assert.equal(
      left.map(({ text }) => text),
      ['b'],
    );
  });

  test('a failure of the database is told as one', async () => {
    const broken = killedAt(on.db, 0);
    await on.checked(T0, T0 + HOUR);
    on.now = T0 + 2 * HOUR;
    const error = await failure(on.packer({ db: broken }).round(async () => {}));
    assert.is(error.code, 103);
  });

  test.run();
}

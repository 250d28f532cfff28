// Uptime is time: of hours, days of any zone and spans that end now (plugins/monitor/src/store).

import fc from 'fast-check';
import * as assert from 'uvu/assert';
import {
  type Change,
  coverOf,
  placeSeconds,
  secondsOf,
  sumOf,
  timesOf,
  untilMissed,
} from '../../plugins/monitor/src/store/hours.ts';
import { historyTables } from '../../plugins/monitor/src/store/retention.ts';
import { uptimeOf } from '../../plugins/monitor/src/store/uptime.ts';
import { dayBeginnings } from '../../plugins/monitor/src/store/zone-days.ts';
import { DEGRADED, DOWN, PAUSED, UNKNOWN, UP } from '../../plugins/monitor/src/types.ts';
import { suite } from '../runner/suite.ts';
import { DAY, HOUR, MINUTE, SECOND, Stores, T0 } from './store-kit.ts';

const rules = suite('monitor: uptime');

const NONE = { up_s: 0, degraded_s: 0, down_s: 0, unknown_s: 0, paused_s: 0 };
const at = (...states: [second: number, state: Change['state']][]): Change[] =>
  states.map(([second, state]) => ({ at: second * SECOND, state }));
const seconds = (...spans: [number, number][]): [number, number][] =>
  spans.map(([from, to]) => [from * SECOND, to * SECOND]);
const MINUTE_LONG = { from: 0, to: 60_000 };

const table: [string, Change[], [number, number][], Partial<typeof NONE>][] = [
  ['nothing is known', [], [], { unknown_s: 60 }],
  ['up and covered', at([0, UP]), seconds([-5, 99]), { up_s: 60 }],
  ['up since before', at([-500, UP]), seconds([-5, 99]), { up_s: 60 }],
  ['up, covered in part', at([0, UP]), seconds([0, 10], [20, 50]), { up_s: 40, unknown_s: 20 }],
  ['first heard of in the middle', at([30, UP]), seconds([0, 60]), { up_s: 30, unknown_s: 30 }],
  [
    'down in the middle',
    at([0, UP], [10, DOWN], [25, UP]),
    seconds([0, 60]),
    { up_s: 45, down_s: 15 },
  ],
  [
    'each of all',
    at([0, UP], [10, DEGRADED], [20, DOWN], [30, UNKNOWN], [40, PAUSED]),
    seconds([0, 60]),
    { up_s: 10, degraded_s: 10, down_s: 10, unknown_s: 10, paused_s: 20 },
  ],
  ['paused needs no results', at([0, PAUSED], [30, UP]), [], { paused_s: 30, unknown_s: 30 }],
  [
    'changes outside do not count',
    at([-9, DOWN], [-5, UP], [70, DOWN]),
    seconds([0, 60]),
    { up_s: 60 },
  ],
];
for (const [name, changes, cover, expected] of table)
  rules(`an hour counts its seconds: ${name}`, () => {
    assert.equal(secondsOf(changes, cover, MINUTE_LONG), { ...NONE, ...expected });
  });

rules('a result says something for 2.5 intervals, unless its place is cut off', () => {
  const some = [0, 20, 40, 130, 150].map((second) => ({
    at: second * SECOND,
    ok: second !== 150 || null,
  }));
  assert.equal(coverOf(some, untilMissed(20)), seconds([0, 90], [130, 180]));
  assert.is(coverOf([], 'always').length, 1);
});

rules('seconds of any changes and cover add up, and those before and after a cut do, too', () => {
  const change = fc.record({
    at: fc.nat(60_000),
    state: fc.constantFrom(UP, DOWN, UNKNOWN, DEGRADED, PAUSED),
  });
  const changes = fc.array(change, { maxLength: 9 }).map((all) => all.sort((a, b) => a.at - b.at));
  const results = fc
    .array(
      fc.record({
        at: fc.integer({ min: -9_000, max: 60_000 }),
        ok: fc.constantFrom(true, false, null),
      }),
    )
    .map((all) => all.sort((a, b) => a.at - b.at));
  fc.assert(
    fc.property(changes, results, fc.nat(60_000), (verdicts, some, cut) => {
      const cover = coverOf(some, untilMissed(3));
      const all = secondsOf(verdicts, cover, MINUTE_LONG);
      const parts = [
        secondsOf(verdicts, cover, { from: 0, to: cut }),
        secondsOf(verdicts, cover, { from: cut, to: 60_000 }),
      ];
      for (const name of Object.keys(NONE) as (keyof typeof NONE)[])
        assert.ok(Math.abs(all[name] - parts[0]![name] - parts[1]![name]) < 1e-6);
      for (const counted of [
        all,
        placeSeconds(some, untilMissed(3), { verdicts, ...MINUTE_LONG }),
      ]) {
        const values = Object.values(counted);
        assert.ok(Math.abs(values.reduce((sum, value) => sum + value) - 60) < 1e-6);
        assert.ok(values.every((value) => value > -1e-9));
      }
    }),
  );
});

rules('a place counts by its own results, and is paused with the verdict', () => {
  const some = [
    { at: 0, ok: true },
    { at: 10_000, ok: false },
    { at: 20_000, ok: null },
  ];
  const counted = placeSeconds(some, untilMissed(4), {
    verdicts: at([0, UP], [50, PAUSED]),
    ...MINUTE_LONG,
  });
  assert.equal(counted, { up_s: 10, degraded_s: 0, down_s: 10, unknown_s: 30, paused_s: 10 });
});

rules('times are those of the nearest rank', () => {
  const hundred = Array.from({ length: 100 }, (_, n) => 100 - n);
  assert.equal(timesOf(hundred), { ms_min: 1, ms_p50: 50, ms_p95: 95, ms_max: 100 });
  assert.equal(timesOf([7]), { ms_min: 7, ms_p50: 7, ms_p95: 7, ms_max: 7 });
  assert.equal(timesOf([]), { ms_min: null, ms_p50: null, ms_p95: null, ms_max: null });
});

rules('a day weighs the times of its hours by their checks', () => {
  const hour = (n: number, ms: number) => ({
    ...NONE,
    up_s: 3_600,
    n,
    ms_min: ms,
    ms_p50: ms,
    ms_p95: ms,
    ms_max: ms,
  });
  const silent = { ...NONE, n: 0, ...timesOf([]) };
  const hours = [hour(100, 10), silent, hour(4, 500), hour(100, 20)];
  assert.equal(sumOf(hours), {
    ...{ ...NONE, up_s: 3 * 3_600, n: 204 },
    ...{ ms_min: 10, ms_p50: 20, ms_p95: 20, ms_max: 500 },
  });
  assert.equal(sumOf([]), silent);
});

for (const [good, down, expected] of [
  [100, 0, 100],
  [99_996, 4, 99.99],
  [99_999_999, 1, 99.99],
  [99.99, 0.01, 99.99],
  [9_999, 1, 99.99],
  [1, 2, 33.33],
  [0, 1, 0],
] as const)
  rules(`${good} good seconds and ${down} bad ones are ${expected} %`, () => {
    const half = { ...NONE, up_s: good / 2, degraded_s: good / 2 };
    const told = uptimeOf([half, { ...NONE, down_s: down }], (good + down) * SECOND);
    assert.is(told.uptime, expected);
  });

rules('below half of the time known no uptime is told', () => {
  const part = { ...NONE, up_s: 49, unknown_s: 20, paused_s: 31 };
  assert.equal(
    [uptimeOf([part], 100_000).uptime, uptimeOf([part], 100_000).coverage],
    [null, 0.49],
  );
  assert.is(uptimeOf([{ ...part, up_s: 50, unknown_s: 19 }], 100_000).uptime, 100);
  assert.is(uptimeOf([], 0).uptime, null);
});

for (const [zone, from, hours] of [
  ['UTC', '2026-03-28T12:00Z', [24, 24, 24]],
  ['Europe/Berlin', '2026-03-28T12:00+01:00', [24, 23, 24]],
  ['Europe/Berlin', '2026-10-24T12:00+02:00', [24, 25, 24]],
  ['Asia/Kolkata', '2026-03-28T12:00+05:30', [24, 24, 24]],
  ['Asia/Kathmandu', '2026-03-28T00:00+05:45', [24, 24, 24]],
  ['Australia/Lord_Howe', '2026-10-03T12:00+10:30', [24, 23.5, 24]],
  ['Africa/Cairo', '2026-04-23T12:00+02:00', [24, 23, 24]],
] as const)
  rules(`days begin where the dates of ${zone} do, from ${from} on`, () => {
    const time = Date.parse(from);
    const days = dayBeginnings(zone, time, time + 2.5 * DAY);
    assert.ok(days[0]! <= time && days[1]! > time && days.at(-1)! >= time + 2.5 * DAY);
    const lengths = days.slice(1).map((day, n) => (day - days[n]!) / HOUR);
    assert.equal(lengths.slice(0, 3), hours);
  });

rules('a zone that nobody knows is refused', () => {
  assert.throws(() => dayBeginnings('Mars/Olympus', T0, T0 + DAY), /time zone/);
});

rules.run();

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitor: uptime (${dialect})`);
  let on: Stores;
  test.before(async () => {
    on = await Stores.open(dialect);
  });
  test.after(() => on.app.stop());
  test.before.each(async () => {
    on.now = T0;
    await on.app.sql('delete from monitor');
    while (await on.monitors.sweep());
  });

  const of = async (id: number, from: number) =>
    (await on.uptime.of([id], { from, to: on.now })).get(id)!;
  const rounded = (value: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(value).map(([name, one]) => [
        name,
        typeof one === 'number' ? Math.round(one * 1e4) / 1e4 : one,
      ]),
    );

  test('what is told does not depend on what is counted already', async () => {
    const id = await on.checked(T0, T0 + 2 * HOUR + 8 * MINUTE, { interval_s: 60 });
    await on.verdict(id, DOWN, T0 + 50 * MINUTE);
    await on.verdict(id, UP, T0 + 70 * MINUTE);
    on.now = T0 + 2 * HOUR + 8 * MINUTE;
    const live = await of(id, T0);
    assert.equal(rounded({ ...live }), {
      ...{ up_s: 6_480, degraded_s: 0, down_s: 1_200, unknown_s: 0, paused_s: 0 },
      ...{ uptime: 84.37, coverage: 1 },
    });
    on.now = T0 + HOUR + 10 * MINUTE;
    await on.pack();
    on.now = T0 + 2 * HOUR + 8 * MINUTE;
    assert.equal(await of(id, T0), live);
    on.now += 2 * MINUTE;
    await on.check(id, T0 + 2 * HOUR + 8 * MINUTE, on.now, 60 * SECOND);
    await on.pack();
    const packed = await of(id, T0);
    assert.equal([packed.down_s, packed.up_s, packed.unknown_s], [1_200, 6_600, 0]);
  });

  test('a gap in the results is unknown, before and after it is counted', async () => {
    const id = await on.checked(T0, T0 + 20 * MINUTE, { interval_s: 60 });
    await on.check(id, T0 + 40 * MINUTE, T0 + HOUR, 60 * SECOND);
    await on.check(id, T0 + 5 * MINUTE, T0 + 6 * MINUTE, 60 * SECOND, { place_id: 3 });
    on.now = T0 + HOUR;
    const gap = 20 * 60 - 90;
    const live = await of(id, T0);
    assert.equal([live.up_s, live.unknown_s, live.uptime], [3_600 - gap, gap, 100]);
    on.now = T0 + HOUR + 10 * MINUTE;
    await on.pack();
    on.now = T0 + HOUR;
    assert.equal(await of(id, T0), live);
  });

  test('a span over days takes whole days, the hours of its edges, and a share of an hour that it cuts', async () => {
    const id = await on.monitor({ kind: 'group' });
    await on.verdict(id, UP, T0);
    // Down for the last ten minutes of an hour.
    await on.verdict(id, DOWN, T0 + 12 * HOUR + 50 * MINUTE);
    await on.verdict(id, UP, T0 + 13 * HOUR);
    for (let day = 1; day <= 3; day++) {
      on.now = T0 + day * DAY + 10 * MINUTE;
      await on.pack();
    }
    const all = await of(id, T0);
    assert.equal([all.down_s, all.up_s], [600, 3 * 86_400]);
    assert.is(all.uptime, 99.76);
    const cut = await of(id, T0 + 12 * HOUR + 30 * MINUTE);
    assert.equal([cut.down_s, cut.up_s + cut.down_s], [300, (on.now - T0 - 12.5 * HOUR) / SECOND]);
    assert.is((await of(id, T0 + 13 * HOUR)).uptime, 100);
    assert.is((await of(id, T0 + DAY)).down_s, 0);
  });

  test('days of a zone are made of hours, and together they are the whole', async () => {
    const id = await on.monitor({ kind: 'group' });
    await on.verdict(id, UP, T0);
    await on.verdict(id, DOWN, T0 + 18 * HOUR + 20 * MINUTE);
    await on.verdict(id, UP, T0 + 18 * HOUR + 40 * MINUTE);
    on.now = T0 + 2 * DAY + 10 * MINUTE;
    await on.pack();
    for (const [zone, expected] of [
      ['UTC', [1_200]],
      ['Europe/Berlin', [1_200]],
      // Its days begin in the middle of an hour, which is shared.
      ['Asia/Kolkata', [600, 600]],
    ] as const) {
      const days = dayBeginnings(zone, T0, on.now);
      const spans = days.slice(1).map((to, n) => ({ from: days[n]!, to }));
      const found = (await on.uptime.inSpans([id], spans)).get(id)!;
      const down = found.map(({ down_s }) => Math.round(down_s));
      assert.equal(
        down.filter((value) => value > 0),
        expected,
        zone,
      );
      const up = found.reduce((sum, { up_s }) => sum + up_s, 0);
      assert.is(Math.round(up), (on.now - T0) / SECOND - 1_200, zone);
    }
  });

  test('a monitor that was made a moment ago has an uptime over ninety days, one that is paused has none', async () => {
    on.now = T0 + 30 * MINUTE;
    const id = await on.monitor({ interval_s: 60 });
    await on.verdict(id, UP, on.now);
    await on.check(id, on.now, on.now + 10 * MINUTE, 60 * SECOND);
    const paused = await on.monitor();
    await on.verdict(paused, PAUSED, on.now);
    on.now += 10 * MINUTE;
    const told = await of(id, T0 - 90 * DAY);
    assert.equal([told.uptime, told.coverage, told.up_s], [100, 1, 600]);
    const none = await of(paused, T0 - 90 * DAY);
    assert.equal([none.uptime, none.coverage, none.paused_s], [null, 0, 600]);
    assert.equal([...(await on.uptime.of([999_999], { from: T0, to: on.now }))], []);
  });

  test('a heartbeat is known until its next ping is due', async () => {
    const id = await on.monitor({ kind: 'heartbeat', interval_s: 86_400 });
    await on.verdict(id, UP, T0);
    await on.check(id, T0, T0 + 1, 1);
    const [made] = await on.states.change([
      {
        from: undefined,
        to: {
          ...{ monitor_id: id, place_id: 0, state: UP, since: T0, last_at: T0, fails: 0 },
          ...{ goods: 1, ms: null, code: null, detail: '' },
        },
      },
    ]);
    assert.ok(made!.made);
    on.now = T0 + 5 * HOUR + 11 * MINUTE;
    await on.pack();
    on.now += 20 * MINUTE;
    // One that is new has no hours that are counted.
    const fresh = await on.monitor();
    const told = (await on.uptime.of([fresh, id], { from: T0, to: on.now })).get(id)!;
    assert.equal([told.up_s, told.coverage], [(on.now - T0) / SECOND, 1]);
  });

  test('outages of a span are counted', async () => {
    const id = await on.monitor();
    const quiet = await on.monitor();
    for (const [state, hours] of [
      [UP, 0],
      [DOWN, 1],
      [UP, 2],
      [DOWN, 5],
      [UP, 6],
      [DOWN, 9],
    ] as const)
      await on.verdict(id, state, T0 + hours * HOUR);
    const counts = await on.uptime.outageCounts([id, quiet], {
      from: T0 + 1.5 * HOUR,
      to: T0 + 5.5 * HOUR,
    });
    assert.equal([...counts], [[id, 2]]);
    assert.is((await on.uptime.outageCounts([id], { from: T0, to: T0 + DAY })).get(id), 3);
  });

  test('a chart is made of results, hours or days, by its length', async () => {
    const id = await on.monitor({ interval_s: 60 });
    await on.verdict(id, UP, T0);
    for (let hour = 0; hour < 26; hour++)
      await on.check(id, T0 + hour * HOUR, T0 + (hour + 1) * HOUR, 60 * SECOND, { ms: 10 + hour });
    await on.check(id, T0, T0 + HOUR, 10 * MINUTE, { place_id: 4, ms: 500 });
    on.now = T0 + 26 * HOUR + 10 * MINUTE;
    await on.pack();
    const times = (ms: number) => ({ ms_min: ms, ms_p50: ms, ms_p95: ms, ms_max: ms });
    const near = await on.latency.of({ monitor_id: id, from: T0 + 20 * HOUR, to: T0 + 26 * HOUR });
    assert.equal([near.step, near.points.length], [2 * MINUTE, 180]);
    assert.equal(near.points[0], { at: T0 + 20 * HOUR, n: 2, ...times(30) });
    const hours = await on.latency.of({ monitor_id: id, from: T0, to: T0 + 7 * DAY });
    assert.equal([hours.step, hours.points.length], [HOUR, 26]);
    assert.equal(hours.points[0], { ...times(10), at: T0, n: 66, ms_p95: 500, ms_max: 500 });
    const days = await on.latency.of({ monitor_id: id, from: T0, to: T0 + 90 * DAY });
    assert.equal([days.step, days.points.map(({ n }) => n)], [DAY, [1_446, 120]]);
    assert.equal([days.points[0]!.ms_p50, days.points[0]!.ms_max], [21, 500]);
    const place = await on.latency.of({ monitor_id: id, place_id: 4, from: T0, to: T0 + 90 * DAY });
    assert.equal([place.step, place.points], [DAY, [{ at: T0, n: 6, ...times(500) }]]);
    const at = { monitor_id: id, place_id: 0, from: T0, to: T0 + 90 * DAY };
    assert.equal(
      (await on.latency.of(at)).points.map(({ n }) => n),
      [1_440, 120],
    );
  });

  test('old results, hours, outages and changes go; what holds, and days, stay', async () => {
    const id = await on.monitor({ kind: 'group' });
    const other = await on.checked(T0, T0 + HOUR, { interval_s: 600 });
    for (const [state, days] of [
      [UP, 0],
      [DOWN, 1],
      [UP, 2],
      [DOWN, 30],
    ] as const)
      await on.verdict(id, state, T0 + days * DAY);
    on.now = T0 + 2 * HOUR;
    await on.pack();
    on.now = T0 + 40 * DAY;
    await on.pack();
    await on.check(id, on.now, on.now + HOUR, 10 * MINUTE);
    const kept = { keep_results_days: 5, keep_hours_days: 20 };
    const tables = historyTables(on.db, () => kept);
    const removed: Record<string, number> = {};
    for (const { table, limit_ms, removeUpTo } of tables)
      removed[table] = await removeUpTo!(on.now - limit_ms!()!, () => {});
    assert.equal(removed, {
      monitor_result: 0,
      monitor_chunk: 1,
      monitor_hour: 3,
      monitor_change: 2,
      monitor_outage: 1,
    });
    const changes = await on.app.sql('select monitor_id, at from monitor_change order by at');
    assert.equal(
      changes.map((row) => [Number(row.monitor_id), (Number(row.at) - T0) / DAY]),
      [
        [other, 0],
        [id, 2],
        [id, 30],
      ],
    );
    assert.is(await on.count('monitor_result'), 6);
    // The one that goes on.
    assert.is(await on.count('monitor_outage'), 1);
    assert.ok((await on.count('monitor_day')) > 0);
    const proceed = async () => {};
    const slice = { from: undefined, before: on.now + DAY, lag_ms: 0, except: [], proceed };
    assert.is(await tables[0]!.remove(slice), 6);
    assert.is(await tables[0]!.remove(slice), 0);
    assert.is(await tables[3]!.remove(slice), 1);
  });

  test('of one monitor the newest ten thousand outages are kept, and the one that goes on', async () => {
    const [often, seldom] = [
      await on.monitor({ kind: 'group' }),
      await on.monitor({ kind: 'group' }),
    ];
    const outages = (id: number, from: number, to: number, end = 'i + 1') =>
      on.app.sql(`insert into monitor_outage
      (monitor_id, from_at, to_at, cause, places, public) with recursive n (i) as (select ${from} union all
      select i + 1 from n where i < ${to}) select ${id}, ${T0} + i * 10, ${T0} + i * 10 + ${end} - i, '', '[]', 1 from n`);
    await outages(often, 1, 12_500);
    await outages(often, 0, 0, 'null');
    await outages(seldom, 0, 9);
    on.now = T0 + DAY;
    const table = historyTables(on.db, () => ({ keep_results_days: 5, keep_hours_days: 20 })).at(
      -1,
    )!;
    assert.is(await table.removeUpTo!(on.now - table.limit_ms!()!, () => {}), 2_501);
    const rows =
      await on.app.sql(`select monitor_id, count(*) as n, min(from_at) as first, count(to_at) as ended
      from monitor_outage where monitor_id in (${often}, ${seldom}) group by monitor_id order by monitor_id`);
    const numbers = rows.map((row) => ['n', 'first', 'ended'].map((name) => Number(row[name])));
    assert.equal(numbers, [
      [10_000, T0, 9_999],
      [10, T0, 10],
    ]);
    assert.is(await table.removeUpTo!(on.now - table.limit_ms!()!, () => {}), 0);
  });

  test.run();
}

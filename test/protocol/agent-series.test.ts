// `agent_query_series`: buckets over stored reports and rollups (plugins/series/README.md).

import { randomUUID } from 'node:crypto';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { FIELDS } from '../../plugins/series/src/fields.ts';
import { type Columns, columns, pack, unpack } from '../../plugins/series/src/pack.ts';
import { until } from '../bus-kit.ts';
import { suite } from '../runner/suite.ts';
import { dynamicReport, failure, summaryReport, UNKNOWN } from './agent-kit.ts';

const PLUGINS = ['token', 'agent-uuid', 'agent', 'series', 'server-info'];
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** In the order of answers. */
const SUMMARIES = FIELDS.filter(({ part }) => !part).map(({ name }) => name);

interface Series {
  readonly uuid: string;
  readonly field: string;
  readonly name?: string;
  readonly min: (number | null)[];
  readonly avg: (number | null)[];
  readonly max: (number | null)[];
  readonly last: (number | null)[];
}
interface Answer {
  readonly from: number;
  readonly step_ms: number;
  readonly source: string;
  readonly series: Series[];
}

const packed = suite('series: packed buckets');

packed('what is packed comes out again; an average within a 30,000th of the range', () => {
  const number = fc.oneof(
    fc.integer({ min: -1000, max: 1000 }),
    fc.nat(2 ** 31).map((n) => n * 2 ** 19),
  );
  const cell = fc.record({
    count: fc.nat(100),
    min: number,
    width: fc.oneof(fc.constant(0), fc.nat(1e9)),
    place: fc.double({ min: 0, max: 1, noNaN: true }),
    last: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
  });
  fc.assert(
    fc.property(fc.array(cell, { maxLength: 60 }), (cells) => {
      const given: Columns = columns(60);
      cells.forEach(({ count, min, width, place, last }, at) => {
        if (count === 0) return;
        const values = {
          count,
          min,
          max: min + width,
          avg: min + width * place,
          last: last === null ? Number.NaN : min + Math.round(width * last),
        };
        for (const [name, value] of Object.entries(values)) {
          (given[name as keyof typeof values] as Float64Array)[at] = value;
        }
      });
      const back = columns(60);
      back.count.fill(1);
      unpack(pack(given), back);
      for (let at = 0; at < 60; at++) {
        for (const name of ['count', 'min', 'max', 'last'] as const) {
          assert.ok(Object.is(back[name][at], given[name][at]), `${name} ${at}`);
        }
        const width = (given.max[at] as number) - (given.min[at] as number);
        const off = Math.abs((back.avg[at] as number) - (given.avg[at] as number));
        assert.ok(off <= width / 30_000 + 1e-3, `avg ${at}`);
      }
    }),
  );
});

packed.run();

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`agent: series (${dialect})`);
  let app: TestApp;
  /** A full hour some hours ago. */
  let hour: number;
  /** Agents of one test. */
  let A: string;
  let B: string;

  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect, clock: true });
    // The first two minutes of an hour wait for what is still being committed.
    await app.clock.advance(3 * MINUTE);
    hour = Math.floor(app.clock.now() / HOUR) * HOUR - 3 * HOUR;
  });
  test.before.each(() => {
    A = randomUUID();
    B = randomUUID();
  });
  test.after(() => app.stop());

  const summary = (time: number, over = {}) =>
    app.call('agent_report_dynamic_summary', [
      app.superToken,
      summaryReport({ uuid: A, time, ...over }),
    ]);
  const full = (time: number, over = {}) =>
    app.call('agent_report_dynamic', [app.superToken, dynamicReport({ uuid: A, time, ...over })]);
  const query = (over: object, token = app.superToken): Promise<Answer> =>
    app.call('agent_query_series', { token, agents: [A], fields: ['cpu_usage'], ...over });
  const idOf = async (): Promise<number> =>
    (await app.sql('select max(id) as id from monitoring_uuid'))[0].id;
  const rolledTo = async (): Promise<number> => {
    const rows = await app.sql(
      `select value from series_state where name in ('summary', 'dynamic')`,
    );
    return Math.min(...rows.map(({ value }) => Number(value ?? 0)));
  };
  /** What is stored becomes the arrival of the last hour, and that hour is rolled up, maybe again. */
  const roll = async () => {
    const now = Math.floor(app.clock.now() / HOUR) * HOUR;
    for (const table of ['dynamic_monitoring', 'dynamic_monitoring_summary']) {
      await app.sql(`update ${table} set storage_time = ${now - 1} where storage_time >= ${now}`);
    }
    await app.sql(`update series_state set value = '${now - HOUR}' where name <> 'turn'`);
    await until('rolled up', async () => {
      await app.clock.advance(MINUTE);
      return (await rolledTo()) >= now;
    });
  };

  test('buckets hold least, average, greatest and last value of stored reports, gaps are null', async () => {
    for (const [second, cpu_usage] of [
      [0, 100],
      [10, 300],
      [20, 200],
      [70, 500],
    ] as const) {
      await summary(hour + second * 1000, { cpu_usage });
    }
    await summary(hour + 25_000, { uuid: B, cpu_usage: 999 });
    const answer = await query({
      from: hour,
      to: hour + 120_000,
      points: 4,
      fields: ['cpu_usage', 'gpu_usage'],
    });
    assert.equal([answer.from, answer.step_ms, answer.source], [hour, 30_000, 'raw']);
    const gaps = [null, null, null, null];
    assert.equal(answer.series, [
      {
        uuid: A,
        field: 'cpu_usage',
        min: [10, null, 50, null],
        avg: [20, null, 50, null],
        max: [30, null, 50, null],
        last: [20, null, 50, null],
      },
      { uuid: A, field: 'gpu_usage', min: gaps, avg: gaps, max: gaps, last: gaps },
    ]);
  });

  test('rollups answer the same as the reports that they were made of, also when these are gone', async () => {
    for (let n = 0; n < 40; n++) {
      await summary(hour + n * 100_000, {
        cpu_usage: (n * 37) % 1000,
        total_received: 2 ** 40 + n,
        gpu_usage: n % 3 ? n : null,
      });
    }
    await full(hour + 1000);
    await full(hour + 2000, {
      cpu: { per_core: [{ id: 1, cpu_usage: 50.5, frequency_mhz: 1000 }], total_cpu_usage: 50 },
    });
    const fields = [
      'cpu_usage',
      'total_received',
      'gpu_usage',
      'core.cpu_usage',
      'disk.available_space',
      'interface.receive_speed',
      'gpu.utilization_gpu',
      'gpu.temperature',
    ];
    const range = { from: hour, to: hour + HOUR, points: 60, fields };
    const raw = await query({ ...range, source: 'raw' });
    assert.is(raw.series.length, fields.length);
    await roll();
    for (const kind of ['dynamic', 'dynamic_summary'])
      await app.call(`agent_delete_${kind}`, [app.superToken, [{ timestamp_from: 0 }]]);
    const rolled = await query({ ...range, source: 'minute' });
    assert.equal([rolled.source, rolled.step_ms], ['minute', MINUTE]);
    assert.equal(rolled.series.map(round), raw.series.map(round));
    const wide = await query({ ...range, points: 4 });
    assert.equal([wide.source, wide.step_ms], ['quarter_hour', 15 * MINUTE]);
    const [cpu] = wide.series as [Series];
    const whole = raw.series[0] as Series;
    for (let at = 0; at < 4; at++) {
      const of = (list: (number | null)[]) =>
        list.slice(at * 15, at * 15 + 15).filter((value) => value !== null);
      assert.is(cpu.max[at], Math.max(...of(whole.max)));
      assert.is(cpu.min[at], Math.min(...of(whole.min)));
      assert.is(cpu.last[at], of(whole.last).at(-1));
    }
    // Nothing is left to read anew: rolled up again, it stays.
    assert.equal((await query({ ...range })).series.map(round), raw.series.map(round));
  });

  test('late and imported reports join what is rolled up already; the newest hours are those of reports', async () => {
    await summary(hour, { cpu_usage: 100 });
    await roll();
    await summary(hour + 1000, { cpu_usage: 300 });
    await summary(hour - 3 * DAY, { cpu_usage: 700 });
    await roll();
    const now = Math.floor(app.clock.now() / MINUTE) * MINUTE;
    await summary(now, { cpu_usage: 800 });
    const { series } = await query({ from: hour - 3 * DAY, to: now + MINUTE, source: 'minute' });
    assert.equal(
      series[0]?.max.filter((value) => value !== null),
      [70, 30, 80],
    );
    assert.is(
      series[0]?.min.find((value) => value !== null && value < 20),
      10,
    );
  });

  test('a second start goes on where the first one stopped, and old rollups go', async () => {
    await summary(hour, { cpu_usage: 100 });
    await roll();
    const before = await rolledTo();
    const id = await idOf();
    await app.restart();
    assert.is(await rolledTo(), before);
    const count = async (minutes: number) =>
      Number(
        (
          await app.sql(
            `select count(*) as n from series_rollup where step = ${minutes} and uuid_id = ${id}`,
          )
        )[0].n,
      );
    assert.ok((await count(1)) > 0 && (await count(15)) > 0);
    await app.sql(`update series_rollup set span = span - ${72 * DAY}`);
    await until('minutes are gone', async () => {
      await app.clock.advance(MINUTE);
      return (await count(1)) === 0;
    });
    assert.ok((await count(15)) > 0);
    const from = hour - 72 * DAY;
    const { series, source } = await query({ from, to: from + HOUR, points: 60 });
    assert.equal([source, series[0]?.max[0]], ['quarter_hour', 10]);
    const tables = await app.call('svc-server_database_storage', [app.superToken]);
    assert.ok(JSON.stringify(tables).includes('series_rollup'));
  });

  test('more than 200,000 reports are answered from rollups, or refused with the nearest allowed range', async () => {
    await summary(hour);
    const uuid_id = await idOf();
    const numbers =
      dialect === 'sqlite'
        ? 'with recursive g(n) as (select 0 union all select n + 1 from g where n < 200000) select n from g'
        : 'select n from generate_series(0, 200000) n';
    const id = dialect === 'sqlite' ? '' : 'id, ';
    await app.sql(`insert into dynamic_monitoring_summary (${id}uuid_id, timestamp, storage_time, cpu_usage)
      select ${id && 'n, '}${uuid_id}, ${hour} + n * 10, ${hour - HOUR}, 100 from (${numbers}) x`);
    const range = { from: hour, to: hour + HOUR };
    await app.sql(`update series_state set value = '${hour - HOUR}' where name <> 'turn'`);
    const refused = await failure(query({ ...range, source: 'raw' }));
    assert.is(refused.code, 108);
    assert.match(refused.message, /source 'minute' with at most 60 points/);
    assert.match(
      (await failure(query(range))).message,
      new RegExp(`nearest allowed range ends with to = ${hour + HOUR / 2}`),
    );
    await roll();
    const { source, step_ms, series } = await query(range);
    assert.equal([source, step_ms, series[0]?.max[0]], ['minute', MINUTE, 17.2]);
  });

  /** How many series have a rollup of this hour, of summaries and of full reports. */
  const rolled = async (): Promise<number[]> => {
    const of = async (field: string) => {
      const answer = await query({
        from: hour,
        to: hour + HOUR,
        source: 'minute',
        fields: [field],
      });
      return answer.series.filter(({ max }) => max.some((value) => value !== null)).length;
    };
    return [await of('cpu_usage'), await of('disk.total_space')];
  };
  const remove = (kind: string, condition: unknown[]) =>
    app.call(`agent_delete_${kind}`, { token: app.superToken, conditions: condition });

  test('a delete of all reports of an agent takes their rollups along; one with a time leaves them', async () => {
    for (const uuid of [A, B]) {
      await summary(hour, { uuid });
      await full(hour, { uuid });
    }
    await roll();
    assert.equal(await rolled(), [1, 1]);
    await remove('dynamic_summary', [{ uuid: A }, { timestamp_to: hour + HOUR }]);
    await remove('dynamic', [{ uuid: A }, 'last']);
    assert.equal(await rolled(), [1, 1]);
    await remove('dynamic_summary', [{ uuid: A }]);
    assert.equal(await rolled(), [0, 1]);
    await remove('dynamic', [{ uuid: A }]);
    assert.equal(await rolled(), [0, 0]);
    A = B;
    assert.equal(await rolled(), [1, 1]);
    await remove('dynamic', []);
    assert.equal(await rolled(), [1, 0]);
  });

  test('rollups of a deleted agent go when no report of it is left', async () => {
    for (const uuid of [A, B]) {
      await summary(hour, { uuid });
      await app.call('agent-uuid_delete', [app.superToken, uuid]);
    }
    await roll();
    const first = await idOf();
    const count = async () => {
      const rows = await app.sql(
        `select distinct uuid_id from series_rollup where uuid_id in (${first - 1}, ${first})`,
      );
      return rows.length;
    };
    assert.is(await count(), 2);
    await remove('dynamic_summary', [{ uuid: A }, { timestamp_to: hour + HOUR }]);
    await app.restart();
    await until('deleted', async () => {
      await app.clock.advance(MINUTE);
      return (await count()) === 1;
    });
    assert.is((await rolled())[0], 0);
    A = B;
    assert.is((await rolled())[0], 1);
  });

  /** Rows of rollups of all fields of summaries, each of one report that says 100. */
  const rollups = async (id: number, from: number, rows: number): Promise<void> => {
    const block = columns(384);
    for (const column of [block.min, block.max, block.avg, block.last]) column.fill(100);
    block.count[0] = 1;
    const hex = pack(block).toString('hex');
    const data = dialect === 'sqlite' ? `x'${hex}'` : `'\\x${hex}'`;
    const names = SUMMARIES.map((name) => `select '${name}' as name`).join(' union all ');
    await app.sql(`with recursive g(n) as (select 0 union all select n + 1 from g where n < ${rows - 1})
      insert into series_rollup (uuid_id, step, series, span, data)
      select ${id}, 15, f.name, cast(${from} as bigint) + cast(g.n as bigint) * ${4 * DAY}, ${data} from g cross join (${names}) f`);
  };

  test('years of rollups and long answers are read in pieces and answered whole', async () => {
    await summary(hour);
    const id = await idOf();
    const from = Math.floor(app.clock.now() / (4 * DAY)) * 4 * DAY - 400 * DAY;
    await rollups(id, from, 100);
    const year = { fields: ['total_space', 'cpu_usage'], from, to: from + 400 * DAY };
    const { step_ms, series } = await query({ ...year, points: 100 });
    assert.is(step_ms, 4 * DAY);
    assert.equal(
      series.map(({ avg }) => avg),
      [new Array(100).fill(10), new Array(100).fill(100)],
    );
    const begin = hour - DAY;
    const numbers =
      'with recursive g(n) as (select 0 union all select n + 1 from g where n < 1499)';
    const key = dialect === 'sqlite' ? ['', ''] : ['id, ', 'n + 1000000, '];
    await app.sql(`${numbers} insert into dynamic_monitoring_summary (${key[0]}uuid_id, timestamp, storage_time, ${SUMMARIES.join()})
      select ${key[1]}${id}, ${begin} + n * 1000, ${begin}, ${SUMMARIES.map((_, at) => `n + ${at}`).join()} from g`);
    const raw = { fields: SUMMARIES, from: begin, to: begin + 1_500_000, source: 'raw' };
    const answer = await query(raw);
    assert.is(answer.step_ms, 1000);
    for (const [at, { field, min, last }] of answer.series.entries()) {
      const unit = /^(?:cpu|load)_/.test(field) ? 10 : 1;
      const expected = Array.from({ length: 1500 }, (_, n) => (n + at) / unit);
      assert.equal([min, last], [expected, expected], field);
    }
  });

  // The same count of rows on either database.
  if (dialect === 'sqlite') {
    test('an answer of more than 25 million buckets of rollups is refused', async () => {
      await summary(hour);
      await rollups(await idOf(), 0, 2_900);
      const all = { fields: SUMMARIES, from: 0, to: 11_600 * DAY, points: 100 };
      const refused = await failure(query(all));
      assert.is(refused.code, 108);
      assert.match(refused.message, /more than 25000000 rollups by the quarter-hour/);
      assert.is((await query({ ...all, fields: ['cpu_usage'] })).series[0]?.max[0], 10);
    });
  }

  test('rights are those of the queries: every agent, summaries as a whole, parts field by field', async () => {
    await full(hour);
    await full(hour, { uuid: B });
    const scopes = [{ agent_uuid: A }];
    const summaries = await app.token([
      { scopes, permissions: [{ dynamic_monitoring_summary: 'read' }] },
    ]);
    const network = await app.token([
      { scopes, permissions: [{ dynamic_monitoring: { read: 'network' } }] },
    ]);
    const range = { from: hour, to: hour + HOUR };
    await query(range, summaries);
    await query({ ...range, fields: ['interface.receive_speed'] }, network);
    for (const [over, token] of [
      [{ agents: [A, B] }, summaries],
      [{ fields: ['interface.receive_speed'] }, summaries],
      [{ fields: ['cpu_usage'] }, network],
      [{ fields: ['interface.receive_speed', 'disk.read_speed'] }, network],
    ] as const) {
      assert.is((await failure(query({ ...range, ...over }, token))).code, 102);
    }
    const { code, message } = await failure(query({ ...range, agents: [UNKNOWN] }));
    assert.equal([code, message], [106, `UUID not found: ${UNKNOWN}`]);
    assert.is((await failure(query({ from: hour, to: hour }))).code, 108);
    assert.is((await failure(query({ ...range, points: 1501 }))).code, -32602);
  });

  test.run();
}

/** Averages are kept to a 30,000th of their bucket's range. */
const round = ({ avg, ...rest }: Series) => ({
  ...rest,
  avg: avg.map((value) => (value === null ? null : Number(value.toPrecision(3)))),
});

// Retention over time partitions on Postgres (monitoring-data.md §8, kv.md §6).

// proof only: 18
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseHandle } from '@svc/plugin-sdk/sql';
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as fc from 'fast-check';
import * as assert from 'uvu/assert';
import { DAY_MS, FAR_MS, floorTo, missing, widthFor } from '../plugins/agent/src/partitions.ts';
import { emptyPlace, openAt, type Place } from './kernel/database-kit.ts';
import {
  bootOn,
  day,
  homeOf,
  makeDays,
  nameOf,
  noon,
  partsOf,
  ROUND_MS,
  report,
  summaries,
} from './postgres-volume-kit.ts';
import { A, B } from './protocol/agent-kit.ts';
import { eventually } from './protocol/token-kit.ts';
import { suite } from './runner/suite.ts';

const ranges = suite('ranges of time partitions');

for (const [name, kept_ms, days] of [
  ['for ever', undefined, 30],
  ['six hours', 6 * 3_600_000, 1],
  ['60 days', 60 * DAY_MS, 1],
  ['61 days', 61 * DAY_MS, 7],
  ['two years', 730 * DAY_MS, 30],
] as const) {
  ranges(`rows kept ${name} lie in partitions of ${days} days`, () => {
    assert.is(widthFor(kept_ms), days * DAY_MS);
  });
}

ranges(
  'what is missing is made without gap or overlap for a week, few even after a long pause',
  async () => {
    const width = fc.constantFrom(1, 7, 30).map((days) => days * DAY_MS);
    const time = fc.integer({ min: 1_600_000_000_000, max: FAR_MS - 40 * DAY_MS });
    const covered = time.map((at) => floorTo(at, DAY_MS));
    await fc.assert(
      fc.property(covered, time, width, (to, now, wide) => {
        const there = [
          { from: -Infinity, to },
          { from: FAR_MS, to: Infinity },
        ];
        const made = missing(there, now, wide);
        let end = to;
        for (const range of made) {
          assert.is(range.from, end);
          assert.ok(range.to > range.from);
          end = range.to;
        }
        assert.ok(end >= now + 7 * DAY_MS);
        assert.ok(made.length <= 11, `${made.length} partitions`);
        assert.equal(missing([...there, ...made], now, wide), []);
      }),
    );
  },
);
ranges.run();

const test = suite('volume on postgres: retention');
let place: Place;
let db: DatabaseHandle;
let apps: TestApp[];
const asItWas = noon();
test.after(asItWas);

test.before.each(async () => {
  place = await emptyPlace('postgres');
  db = await openAt(place.url);
  apps = [];
});
test.after.each(async () => {
  for (const app of apps) await app.stop();
  await db.close();
  await place.remove();
});

const boot = async (config: Record<string, any> = {}, more: string[] = []): Promise<TestApp> => {
  const app = await bootOn(place.url, config, more);
  apps.push(app);
  return app;
};

test('whole partitions behind the limit are dropped, the rest row by row; last values follow', async () => {
  const app = await boot({ agent: { database_limit_dynamic_monitoring_summary: 3 * DAY_MS } });
  await makeDays(db, 6);
  for (const days of [-30, -6, -5, -4, -3, -1]) await report(app, A, day(days));
  await report(app, B, day(-5) + 1);
  assert.equal(await homeOf(app, day(-5)), [nameOf(-5)]);
  await app.clock.advance(ROUND_MS);
  const now = app.clock.now();
  const stay = [day(-3), day(-1)].filter((time) => time > now - 3 * DAY_MS);
  await eventually(async () => assert.equal(await summaries(app), stay));
  await eventually(async () => {
    const names = (await partsOf(app, 'dynamic_monitoring_summary')).map(({ name }) => name);
    for (const days of [-6, -5, -4])
      assert.not(names.includes(`dynamic_monitoring_summary_${nameOf(days)}`));
    assert.ok(names.includes(`dynamic_monitoring_summary_${nameOf(-2)}`), names.join());
  });
  const newest = await app.call('agent_dynamic_summary_multi_last_query', [
    app.superToken,
    [A, B],
    [],
  ]);
  assert.equal(
    newest.map(({ uuid }: any) => uuid),
    [A],
  );
  await report(app, B, day(-5) + 2);
  assert.equal(await homeOf(app, day(-5) + 2), ['past']);
});

const limited = async () => {
  const app = await boot({ kv: { retention_interval_ms: ROUND_MS } }, ['kv']);
  await makeDays(db, 6);
  await app.call('kv_create', [app.superToken, A]);
  await app.call('kv_set_value', [
    app.superToken,
    A,
    'database_limit_dynamic_monitoring_summary',
    DAY_MS,
  ]);
  for (const days of [-5, -4, -3, 0]) await report(app, A, day(days));
  return app;
};

test('a partition is dropped only when the limit of every agent in it has passed', async () => {
  const app = await limited();
  await report(app, B, day(-4) + 1);
  await app.clock.advance(ROUND_MS);
  await eventually(async () => assert.equal(await summaries(app), [day(-4) + 1, day(0)]));
  const names = (await partsOf(app, 'dynamic_monitoring_summary')).map(({ name }) => name);
  const has = (days: number) => names.includes(`dynamic_monitoring_summary_${nameOf(days)}`);
  assert.equal([-5, -4, -3].map(has), [false, true, false]);
});

test('a row that is being stored while its partition is to be dropped is not lost', async () => {
  const app = await limited();
  await db.transaction(async (trx) => {
    await trx('dynamic_monitoring_summary').insert({
      id: 1,
      uuid_id: 4711,
      timestamp: day(-4) + 7,
    });
    await app.clock.advance(ROUND_MS);
    await eventually(async () => {
      const found = await db.all(`select 1 from pg_locks where not granted and database = (
        select oid from pg_database where datname = current_database())`);
      assert.ok(found.length > 0, 'no statement waits for the table');
    });
  });
  await app.clock.advance(ROUND_MS);
  await eventually(async () => assert.equal(await summaries(app), [day(-4) + 7, day(0)]));
});

test('a partition that is read for long stays, and its old rows are deleted all the same', async () => {
  const app = await limited();
  await db.transaction(async (trx) => {
    await trx.raw('select count(*) from dynamic_monitoring_summary');
    await app.clock.advance(ROUND_MS);
    const end = Date.now() + 30_000;
    while ((await summaries(app)).length > 1) assert.ok(Date.now() < end, 'rows are not deleted');
  });
  assert.equal(await summaries(app), [day(0)]);
  assert.ok(app.console.some((line) => line.includes('a partition could not be dropped')));
});

/** Reports arrive when they are made, unless `late` says that they were kept back until now. */
const arrived = (app: TestApp, late: readonly number[] = []) =>
  app.sql(`update dynamic_monitoring_summary set storage_time = timestamp
    where timestamp not in (${[0, ...late].join()})`);
const DEFAULT_ROUND_MS = 5 * 60_000;

test('by default whole days go after a fortnight, and rows that lie elsewhere a day later', async () => {
  const app = await boot();
  await makeDays(db, 20);
  const late = day(-18) + 7;
  for (const days of [-18, -17, -16, -15, -14, -13]) await report(app, A, day(days));
  await report(app, B, late);
  await arrived(app, [late]);
  await app.clock.advance(DEFAULT_ROUND_MS);
  await eventually(async () => assert.equal(await summaries(app), [late, day(-14), day(-13)]));
  const names = (await partsOf(app, 'dynamic_monitoring_summary')).map(({ name }) => name);
  const has = (days: number) => names.includes(`dynamic_monitoring_summary_${nameOf(days)}`);
  assert.equal([-18, -17, -16, -15, -14, -13].map(has), [true, false, false, false, true, true]);
});

test('a budget drops the oldest days of a long history', async () => {
  const app = await boot();
  await makeDays(db, 12);
  await report(app, A, day(0));
  const [{ id }] = await app.sql('select uuid_id as id from dynamic_monitoring_summary');
  for (let days = 12; days > 0; days--) {
    const from = day(-days);
    await app.sql(`insert into dynamic_monitoring_summary (id, uuid_id, timestamp, storage_time)
      select ${days} * 100000 + n, ${id}, ${from} + n, ${from} + n from generate_series(1, 2000) n`);
  }
  const tables = ['static_monitoring', 'dynamic_monitoring', 'dynamic_monitoring_summary'];
  const used = () => (app.kernel as any).db.space.used(tables, 0);
  const budget = Math.round((await used()) * 0.8);
  const file = join(app.dir, 'config.toml');
  await writeFile(file, `${await readFile(file, 'utf8')}\n[retention]\nbudget = "${budget} B"\n`);
  await app.reload();
  await app.clock.advance(DEFAULT_ROUND_MS);
  await eventually(async () => assert.ok((await used()) <= budget));
  const names = (await partsOf(app, 'dynamic_monitoring_summary')).map(({ name }) => name);
  const kept = [-12, -11, -10, -5, -4, -1].map((days) =>
    names.includes(`dynamic_monitoring_summary_${nameOf(days)}`),
  );
  assert.equal(kept, [false, false, false, true, true, true]);
  const [{ n }] = await app.sql(
    `select count(*) as n from dynamic_monitoring_summary where timestamp >= ${day(-5)}`,
  );
  assert.is(Number(n), 10_001, 'the younger half is untouched');
});

test('other servers hear that the last row of a silent agent is gone, and keep those of others', async () => {
  const first = await boot();
  await report(first, A, day(-1));
  await report(first, B, day(-20));
  await arrived(first);
  const servers = [await boot(), await boot()] as const;
  const last = async (app: TestApp) => {
    const params = [app.superToken || first.superToken, [A, B], []];
    const rows = await app.call('agent_dynamic_summary_multi_last_query', params);
    return rows.map(({ uuid }: any) => uuid).sort();
  };
  for (const app of servers) assert.equal(await last(app), [A, B].sort());
  await servers[0].clock.advance(DEFAULT_ROUND_MS);
  // The jump has cost the bus its connection: it is made again while time goes on.
  for (const app of servers) {
    await eventually(async () => {
      await servers[0].clock.advance(50);
      assert.equal(await last(app), [A]);
    });
  }
});

test.run();

// Tables for volume on Postgres: monitoring data partitioned by time (monitoring-data.md §7, §8).

// proof only: 10
import type { DatabaseHandle } from '@svc/plugin-sdk/sql';
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { DAY_MS, FAR_MS } from '../plugins/agent/src/partitions.ts';
import { emptyPlace, openAt, type Place } from './kernel/database-kit.ts';
import {
  bootOn,
  day,
  homeOf,
  makeDays,
  nameOf,
  noon,
  oldSchema,
  opened,
  partsOf,
  ROUND_MS,
  report,
  summaries,
  TABLES,
} from './postgres-volume-kit.ts';
import { A, B, dynamicReport, staticReport, summaryReport } from './protocol/agent-kit.ts';
import { eventually } from './protocol/token-kit.ts';
import { suite } from './runner/suite.ts';

const HOUR_MS = 3_600_000;
const INT64_MAX = 2n ** 63n - 1n;
const JSON_COLUMNS = ['cpu', 'ram', 'load', 'system', 'disk', 'network', 'gpu'].map(
  (name) => `${name}_data`,
);
const test = suite('volume on postgres');
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

const oldTimes = [-(2n ** 63n), -1, 0, 1_781_000_001, 1_781_000_001_000, day(-400), day(0), day(1)];
const aheadTimes = [day(2), day(9), FAR_MS - 1, FAR_MS, INT64_MAX];

/** Rows of every age in tables of before. */
async function fillOld(): Promise<void> {
  let id = 1;
  for (const timestamp of [...oldTimes, ...aheadTimes]) {
    for (const agent of [1, 2]) {
      const head = { id: id++, uuid_id: agent, timestamp: String(timestamp), storage_time: id };
      await db
        .query('dynamic_monitoring_summary')
        .insert({ ...head, cpu_usage: id, used_swap: 2 ** 40 });
      const parts = Object.fromEntries(
        JSON_COLUMNS.map((name) => [name, JSON.stringify({ name, id })]),
      );
      await db.query('dynamic_monitoring').insert({ ...head, ...parts });
    }
  }
}

const digest = (table: string) =>
  db.first<{ rows: number; content: string }>(
    `select count(*) as rows, md5(string_agg(cast(t as text), '|' order by id)) as content from ${table} t`,
  );

test('an old schema is converted with its rows, whatever their times', async () => {
  await oldSchema(db);
  await fillOld();
  const before = await Promise.all(TABLES.map(digest));
  const app = await boot();
  assert.equal(await Promise.all(TABLES.map(digest)), before);
  assert.is(before[0]?.rows, 2 * (oldTimes.length + aheadTimes.length));
  for (const time of oldTimes) assert.equal(await homeOf(app, BigInt(time)), ['past', 'past']);
  for (const time of [day(2), day(9), FAR_MS - 1]) {
    assert.equal(await homeOf(app, time), ['default', 'default']);
  }
  for (const time of [FAR_MS, INT64_MAX]) assert.equal(await homeOf(app, time), ['far', 'far']);
  await report(app, A, day(0) + 1);
  const since = await summaries(app, [{ timestamp_from: day(0) }]);
  assert.is(since.length, 2 * 7 + 1);
});

test('the converted tables keep the names of their indexes, and the agent leads every key', async () => {
  await oldSchema(db);
  await boot();
  for (const table of ['static_monitoring', ...TABLES]) {
    const indexes = await db.all<{ name: string; text: string }>(
      'select cast(indexname as text) as name, indexdef as text from pg_indexes where tablename = ?',
      [table],
    );
    const names = indexes.map(({ name }) => name);
    for (const column of ['timestamp', 'storage_time'])
      assert.ok(names.includes(`idx-${table}-${column}`));
    const key = indexes.find(({ name }) => name.endsWith('_pkey'));
    assert.match(key?.text ?? '', /\(uuid_id, /);
  }
  const compressed = await db.all(
    `select distinct cast(a.attcompression as text) as c from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relname like 'dynamic_monitoring_p%' and c.relkind = 'r' and a.attname = any(?)`,
    [`{${JSON_COLUMNS.join(',')}}`],
  );
  const [parent] = await db.all(
    `select cast(attcompression as text) as c from pg_attribute
    where attrelid = cast('dynamic_monitoring' as regclass) and attname = 'cpu_data'`,
  );
  assert.equal(compressed, [parent]);
});

test('three servers may convert an old schema at once', async () => {
  await oldSchema(db);
  await fillOld();
  const before = await Promise.all(TABLES.map(digest));
  const started = await Promise.allSettled([boot(), boot(), boot()]);
  assert.equal(
    started.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled'],
  );
  assert.equal(await Promise.all(TABLES.map(digest)), before);
});

const odd: [string, number | bigint, string][] = [
  ['zero', 0, 'past'],
  ['seconds for milliseconds', 1_781_000_001, 'past'],
  ['a year ago', day(-365), 'past'],
  ['now', Date.now(), 'past'],
  ['twenty days ahead', day(20), 'default'],
  ['years ahead', FAR_MS - 1, 'default'],
  ['microseconds for milliseconds', 1_781_000_001_000_000, 'far'],
  ['the greatest', INT64_MAX, 'far'],
];

test('a report of any time is stored and found, alone and in one batch with others', async () => {
  const app = await boot();
  for (const round of [0, 1]) {
    const answers = await Promise.all(
      odd.map(([, time]) =>
        app.fetch('/', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: `{"jsonrpc":"2.0","id":1,"method":"agent_report_dynamic_summary","params":["${app.superToken}",{"uuid":"${round ? A : B}","time":${time}}]}`,
        }),
      ),
    );
    for (const answer of answers)
      assert.equal(((await answer.json()) as any).result, { status: 'buffered' });
  }
  for (const [name, time, home] of odd) assert.equal(await homeOf(app, time), [home, home], name);
  const found = await summaries(app, [{ uuid: A }]);
  assert.equal(
    found,
    odd.map(([, time]) => Number(time)),
  );
  const { deleted } = await app.call('agent_delete_dynamic_summary', [
    app.superToken,
    [{ uuid: B }],
  ]);
  assert.is(deleted, odd.length);
});

test('partitions are made for the coming days, and rows that came before them move in', async () => {
  const app = await boot();
  await report(app, A, day(5) + HOUR_MS);
  assert.equal(await homeOf(app, day(5) + HOUR_MS), ['default']);
  await app.clock.advance(ROUND_MS);
  await eventually(async () => {
    const [home = ''] = await homeOf(app, day(5) + HOUR_MS);
    assert.match(home, /^p\d{8}$/);
  });
  const next = `FOR VALUES FROM ('${day(2)}')`;
  for (const table of TABLES) {
    await eventually(async () => {
      const bounds = (await partsOf(app, table)).map(({ bound }) => bound);
      assert.ok(
        bounds.some((bound) => bound.startsWith(next)),
        bounds.join(),
      );
    });
  }
  assert.equal(await summaries(app), [day(5) + HOUR_MS]);
});

test('short limits make day partitions', async () => {
  const app = await boot({ agent: { database_limit_dynamic_monitoring_summary: DAY_MS } });
  await app.clock.advance(ROUND_MS);
  await eventually(async () => {
    const names = (await partsOf(app, 'dynamic_monitoring_summary')).map(({ name }) => name);
    for (const days of [2, 3, 4, 5, 6]) {
      assert.ok(names.includes(`dynamic_monitoring_summary_${nameOf(days)}`), names.join());
    }
  });
});

test('several servers make the same partitions at once, without an error', async () => {
  const forEver = { retention: { keep_days: 0 } };
  const servers = [await boot(forEver), await boot(forEver), await boot(forEver)];
  await Promise.all(servers.map((app) => app.clock.advance(ROUND_MS)));
  // They reach seven days ahead, and begin anew every 30 days.
  const months = new Set(
    [Date.now(), Date.now() + 7 * DAY_MS].map((at) => Math.floor(at / (30 * DAY_MS))),
  );
  for (const table of TABLES) {
    const parts = async () => (await partsOf(servers[0]!, table)).length;
    await eventually(async () => assert.is(await parts(), 3 + months.size));
  }
  for (const app of servers) {
    assert.equal(
      app.console.filter((line) => /ERROR|WARN.*partition/.test(line)),
      [],
    );
  }
});

test('database_storage counts a partitioned table as one, with all that belongs to it', async () => {
  const app = await boot({}, ['server-info']);
  await makeDays(db, 3);
  const sizes = async () =>
    (await app.call('svc-server_database_storage', [app.superToken])).tables;
  const empty = await sizes();
  for (const times of [0, 1, 2, 3].map((days) => day(-days))) {
    await Promise.all(Array.from({ length: 100 }, (_, at) => report(app, A, times + at)));
  }
  const tables = await sizes();
  assert.equal(
    Object.keys(tables).filter((name) => name.includes('monitoring')),
    ['dynamic_monitoring', 'dynamic_monitoring_summary', 'monitoring_uuid', 'static_monitoring'],
  );
  // The database tidies its tables up when it likes: between two looks a size may change.
  await eventually(async () => {
    const found = await db.first<{ bytes: number }>(
      `select cast(sum(pg_total_relation_size(oid)) as bigint) as bytes from pg_class
      where relname like 'dynamic\\_monitoring\\_summary%' and relkind = 'r'`,
    );
    assert.is((await sizes())['dynamic_monitoring_summary'], found?.bytes);
  });
  assert.ok(tables['dynamic_monitoring_summary'] >= empty['dynamic_monitoring_summary'] + 4 * 8192);
});

test('a query by agent and range opens only the partitions of its range', async () => {
  await boot();
  await makeDays(db, 6);
  for (const [conditions, expected] of [
    [[{ timestamp_from_to: [day(-2), day(-1) - 1] }], [nameOf(-2)]],
    [[{ timestamp_from_to: [day(-2), day(-1)] }], [nameOf(-2), nameOf(-1)]],
    [[{ timestamp_from_to: [day(-1), day(-1) + HOUR_MS] }, { limit: 5 }], [nameOf(-1)]],
    [[{ timestamp_to: day(-6) - 1 }], ['past']],
  ] as const) {
    assert.equal(await opened(db, [...conditions], 1), [...expected]);
    assert.equal(await opened(db, [...conditions]), [...expected]);
  }
});

test('a database that refuses partitions keeps plain tables, says so once, and everything works', async () => {
  await db.query.raw(`create function no_partitions() returns event_trigger language plpgsql as $$ begin
    if current_query() ~* 'partition by' then
      raise exception 'not here' using errcode = 'feature_not_supported'; end if; end $$`);
  await db.query.raw(
    'create event trigger no_partitions on ddl_command_start execute function no_partitions()',
  );
  const app = await boot({ agent: { database_limit_dynamic_monitoring_summary: DAY_MS } });
  for (const table of TABLES) assert.equal(await partsOf(app, table), []);
  const said = app.console.filter((line) => /not partitioned/.test(line));
  assert.is(said.length, TABLES.length, said.join('\n'));
  for (const days of [-9, -3, 0]) await report(app, A, day(days) + 1);
  await app.clock.advance(2 * ROUND_MS);
  await eventually(async () => assert.equal(await summaries(app), [day(0) + 1]));
  await db.query.raw('drop event trigger no_partitions');
});

for (const max_connections of [1, 2, 10]) {
  test(`a pool of ${max_connections} serves reports, queries and deletes at once`, async () => {
    const app = await boot({ database: { max_connections } });
    const call = (method: string, ...params: unknown[]) =>
      app.call(method, [app.superToken, ...params]);
    const work = Array.from({ length: 40 }, (_, at) => [
      call('agent_report_static', staticReport({ time: at, data_hash: [at] })),
      call('agent_report_dynamic', dynamicReport({ time: at })),
      call('agent_report_dynamic_summary', summaryReport({ time: at })),
      call('agent_query_dynamic_summary', { fields: [], condition: [{ limit: 20 }] }),
      call('agent_delete_dynamic', [{ timestamp_to: -1 }]),
    ]);
    const results = await Promise.allSettled(work.flat());
    assert.equal(
      results.filter(({ status }) => status === 'rejected'),
      [],
    );
    for (const table of ['static_monitoring', ...TABLES])
      assert.is((await digest(table))?.rows, 40);
  });
}

test.run();

/** `rows` of `@svc/client`: every row between two times, although one answer holds a part. */
import { createClient } from '@svc/client';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { failureOf } from './kit.ts';

const A = '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411';
const START = 1_781_000_000_000;

const test = suite('client: rows');
let app: TestApp;
test.before(async () => {
  app = await bootForTest(
    ['token', 'server-info', 'agent-uuid', 'agent', 'task', 'kv', 'crontab', 'js-worker'],
    { max_response_body_size: 100_000 },
  );
});
test.after(() => app.stop());

const make = () => createClient(app.url, { token: app.superToken });

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const row of rows) list.push(row);
  return list;
}

test('reports in ascending order, more than one answer may hold, with equal times at the borders', async () => {
  const client = make();
  const params = [app.superToken, { uuid: A, time: START }];
  await app.call('agent_report_dynamic_summary', params);
  const [{ uuid_id }] = await app.sql('select uuid_id from dynamic_monitoring_summary');
  // Four rows for each instant.
  await app.sql(
    `with recursive n(i) as (select 0 union all select i + 1 from n where i < 11999)
     insert into dynamic_monitoring_summary (uuid_id, timestamp, process_count)
     select ${uuid_id}, ${START} + i / 4, i from n`,
  );
  const query = { fields: ['process_count' as const], condition: [{ uuid: A }] };
  const range = { from: START, to: START + 2_990 };
  const counts: unknown[] = [];
  for await (const row of client.rows('agent_query_dynamic_summary', { query }, range))
    counts.push((row as { process_count: unknown }).process_count);
  const shown = counts.filter((count) => count !== null);
  assert.equal(
    shown,
    Array.from({ length: 2_991 * 4 }, (_, at) => at),
  );
  client.close();
});

test('an answer that is too big is halved where the range has no ends, too', async () => {
  const client = make();
  const query = { fields: ['process_count' as const], condition: [{ uuid: A }] };
  for (const range of [{}, { to: Infinity }]) {
    const rows = await all(client.rows('agent_query_dynamic_summary', { query }, range));
    assert.equal(
      rows.flatMap(({ process_count }) => process_count ?? []),
      Array.from({ length: 12_000 }, (_, at) => at),
    );
  }
  client.close();
});

test('results in descending order, a thousand an answer', async () => {
  await app.sql(
    `with recursive n(i) as (select 0 union all select i + 1 from n where i < 2499)
     insert into crontab_result (cron_id, cron_name, run_time, success, message)
     select 1, 'nightly', ${START} + i / 2, 1, '' || i from n`,
  );
  const client = make();
  const query = { condition: [{ cron_name: 'nightly' }] };
  const range = { from: START, to: START + 2_000, column: 'run_time' as const };
  const rows = await all(client.rows('crontab-result_query', { query }, range));
  const texts = rows.map((row) => Number((row as { message: string }).message));
  assert.equal(
    texts,
    Array.from({ length: 2_500 }, (_, at) => 2_499 - at),
  );
  client.close();
});

test('an empty range is no row, and parameters without conditions are refused', async () => {
  const client = make();
  const task_data_query = { condition: [] };
  const none = client.rows('task_query', { task_data_query }, { from: 5, to: 4 });
  assert.equal(await all(none), []);
  assert.equal(await all(client.rows('task_query', { task_data_query }, { from: 0 })), []);
  const wrong = client.rows('task_query', {} as any, { from: 0 });
  assert.match((await failureOf(wrong.next())).message, /no list named condition/);
  client.close();
});

test('a signal ends it between pages', async () => {
  const client = make();
  const control = new AbortController();
  const query = { fields: ['process_count' as const], condition: [{ uuid: A }] };
  const range = { from: 0, signal: control.signal };
  const rows = client.rows('agent_query_dynamic_summary', { query }, range);
  await rows.next();
  control.abort(new Error('enough'));
  const rest = await failureOf(
    (async () => {
      for await (const _row of rows);
    })(),
  );
  assert.is(rest.message, 'enough');
  client.close();
});

test.run();

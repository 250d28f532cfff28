// crontab.md §6: conditions, order and limits of the records of runs.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { addRecords, type Crontab, crontab, PLUGINS } from './crontab-kit.ts';

/** Ids count from 1: `[cron_id, cron_name, relative_id, run_time, success]`. */
const RECORDS = [
  [41, 'edge latency', 911, 1_000, true],
  [41, 'edge latency', 912, 2_000, true],
  [41, 'edge latency', null, 2_000, false],
  [42, 'nightly', 7, 3_000, true],
  [42, 'nightly', null, 500, false],
  [43, 'edge latency', 913, 2_500, true],
] as const;

/** Conditions, and the ids of the records that match, in order. */
const queries: readonly (readonly [conditions: readonly unknown[], ids: readonly number[]])[] = [
  [[], [4, 6, 3, 2, 1, 5]],
  [[{ id: 3 }], [3]],
  [[{ id: 99 }], []],
  [[{ id: -1 }], []],
  [[{ id: 3 }, { id: 2 }], []],
  [[{ id: 3 }, { id: 3 }], [3]],
  [[{ cron_id: 41 }], [3, 2, 1]],
  [[{ cron_id: 41 }, { cron_id: 42 }], []],
  [[{ cron_name: 'edge latency' }], [6, 3, 2, 1]],
  [[{ cron_name: 'edge' }], []],
  [[{ cron_name: 'Edge latency' }], []],
  [[{ cron_name: 'edge*' }], []],
  [[{ cron_name: 'a\0' }], []],
  [[{ cron_name: 'edge latency' }, { cron_name: 'nightly' }], []],
  [[{ cron_name: 'edge latency' }, { cron_id: 43 }], [6]],
  [[{ run_time_from_to: [2_000, 2_500] }], [6, 3, 2]],
  [[{ run_time_from_to: [2_500, 2_000] }], []],
  [[{ run_time_from: 2_500 }], [4, 6]],
  [[{ run_time_to: 1_000 }], [1, 5]],
  [
    [{ run_time_from: 1_000 }, { run_time_to: 2_000 }],
    [3, 2, 1],
  ],
  [
    [{ run_time_from: -5 }, { run_time_from: 2_001 }],
    [4, 6],
  ],
  [['is_success'], [4, 6, 2, 1]],
  [[{ is_success: null }], [4, 6, 2, 1]],
  [['is_failure'], [3, 5]],
  [[{ is_failure: null }], [3, 5]],
  // The filter of a front end.
  [[{ is_success: false }], [3, 5]],
  [[{ is_success: true }], [4, 6, 2, 1]],
  [[{ is_failure: false }], [4, 6, 2, 1]],
  [['is_success', 'is_failure'], []],
  [
    ['is_failure', { is_success: false }],
    [3, 5],
  ],
  [['last'], [4]],
  [[{ last: null }], [4]],
  [['is_failure', 'last'], [3]],
  [[{ limit: 2 }], [4, 6]],
  [[{ limit: 0 }], []],
  [[{ limit: 10_001 }], [4, 6, 3, 2, 1, 5]],
  // What stands later decides.
  [[{ limit: 2 }, { last: null }], [4]],
  [
    ['last', { limit: 2 }],
    [4, 6],
  ],
  [['last', { limit: 0 }], []],
  [[{ limit: 3 }, { limit: 1 }], [4]],
  [['last', { limit: 1 }, 'last'], [4]],
];

const badConditions: readonly unknown[] = [
  'is_running',
  'limit',
  {},
  { id: null },
  { id: 1.5 },
  { id: '1' },
  { relative_id: 1 },
  { limit: -1 },
  { limit: 1.5 },
  { last: '1' },
  { last: true },
  { is_success: 1 },
  { cron_name: null },
  { run_time_from_to: [1] },
  { run_time_from_to: [1, 2, 3] },
  { run_time_from: '1' },
  { id: 1, cron_id: 2 },
  null,
];

/** Conditions, and the ids that are left. */
const deletes: readonly (readonly [conditions: readonly unknown[], left: readonly number[]])[] = [
  [[], []],
  [[{ id: 3 }], [4, 6, 2, 1, 5]],
  [[{ cron_name: 'nightly' }], [6, 3, 2, 1]],
  [[{ run_time_to: 2_000 }], [4, 6]],
  [['is_failure'], [4, 6, 2, 1]],
  [
    [{ cron_name: 'edge latency' }, { cron_name: 'nightly' }],
    [4, 6, 3, 2, 1, 5],
  ],
  [['last'], [6, 3, 2, 1, 5]],
  [[{ limit: 3 }], [2, 1, 5]],
  [[{ limit: 0 }], [4, 6, 3, 2, 1, 5]],
  [
    [{ limit: 3 }, 'last'],
    [6, 3, 2, 1, 5],
  ],
  // `last` wins wherever it stands.
  [
    ['last', { limit: 3 }],
    [6, 3, 2, 1, 5],
  ],
  [
    ['last', { limit: 0 }],
    [6, 3, 2, 1, 5],
  ],
  [
    [{ cron_id: 41 }, { limit: 1 }],
    [4, 6, 2, 1, 5],
  ],
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`crontab-result (${dialect})`);
  let app: TestApp;
  let cron: Crontab;
  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect, clock: true });
    cron = crontab(app, app.superToken);
  });
  test.after(() => app.stop());
  test.before.each(async () => {
    await app.sql('delete from crontab_result');
    const restart = {
      sqlite: `delete from sqlite_sequence where name = 'crontab_result'`,
      postgres: 'alter sequence crontab_result_id_seq restart',
    }[dialect];
    await app.sql(restart);
    await addRecords(app, RECORDS);
  });
  const ids = async (...conditions: unknown[]) =>
    (await cron.query(...conditions)).map(({ id }: any) => id);

  test('a record has all its members', async () => {
    const [third] = await cron.query({ id: 3 });
    assert.equal(third, {
      id: 3,
      cron_id: 41,
      cron_name: 'edge latency',
      relative_id: null,
      run_time: 2_000,
      success: false,
      message: 'made by hand',
    });
    const [first] = await cron.query({ id: 1 });
    assert.is(first.relative_id, 911);
    assert.is(first.success, true);
  });

  for (const [conditions, expected] of queries) {
    test(`query ${JSON.stringify(conditions)} gives ${JSON.stringify(expected)}`, async () => {
      assert.equal(await ids(...conditions), expected);
    });
  }

  for (const condition of badConditions) {
    test(`the condition ${JSON.stringify(condition)} is -32602 in both methods`, async () => {
      assert.is(await cron.query(condition), '-32602 Invalid params');
      assert.is(await cron.erase(condition), '-32602 Invalid params');
      assert.is((await ids()).length, 6);
    });
  }

  for (const [conditions, left] of deletes) {
    test(`delete ${JSON.stringify(conditions)} leaves ${JSON.stringify(left)}`, async () => {
      const answer = await cron.erase(...conditions);
      assert.equal(answer, {
        success: true,
        deleted: 6 - left.length,
        condition_count: conditions.length,
      });
      assert.equal(await ids(), left);
    });
  }

  test('1,000 records without limit, 10,000 at most; deletes stop at the same bound', async () => {
    const numbers = {
      sqlite: `with recursive n(i) as (select 1 union all select i + 1 from n where i < 10500) select`,
      postgres: `with n as (select generate_series(1, 10500) as i) select`,
    }[dialect];
    const text = `${numbers} 50, 'many', i, 100000 + i, 1 = 1, 'm' from n`;
    const columns = 'cron_id, cron_name, relative_id, run_time, success, message';
    await app.sql(`insert into crontab_result (${columns}) ${text}`);
    const many = { cron_name: 'many' };
    assert.is((await cron.query(many)).length, 1_000);
    assert.is((await cron.query(many, { limit: 9_999 })).length, 9_999);
    const most = await cron.query(many, { limit: 10_001 });
    assert.is(most.length, 10_000);
    assert.is(most[0].relative_id, 10_500);
    assert.is(most.at(-1).relative_id, 501);
    const huge = await app.call('crontab-result_query', [
      app.superToken,
      { condition: [many, { limit: Number.MAX_SAFE_INTEGER }] },
    ]);
    assert.is(huge.length, 10_000);
    assert.is((await cron.erase(many, { limit: 20_000 })).deleted, 10_000);
    assert.is((await cron.erase(many)).deleted, 500);
  });

  test('an answer past the response limit is -32008', async () => {
    const small = await bootForTest(
      PLUGINS,
      { max_response_body_size: 2_000 },
      { dialect, clock: true },
    );
    try {
      for (let n = 0; n < 5; n++) await addRecords(small, RECORDS);
      const error = await small
        .call('crontab-result_query', [small.superToken, { condition: [] }])
        .catch((e) => e);
      assert.is(error.code, -32008);
    } finally {
      await small.stop();
    }
  });

  test.run();
}

// js-worker.md §5: conditions, order, limits and rights of results.

import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { PARAMS, type ScriptServer, scriptServer, WRONG } from './js-worker-kit.ts';

/** `[worker id, name, run type, start, finish, result, error]`; ids count from 1. */
const ROWS = [
  [11, 'alpha', 'call', 1_000, 1_500, '{"ok":true}', null],
  [11, 'alpha', 'cron', 2_000, 2_100, 'null', null],
  [12, 'beta', 'call', 2_000, 2_600, null, 'went wrong'],
  [12, 'beta', 'route', 3_000, null, null, null],
  [13, 'alpha-2', 'inline_call', 500, 900, '[1]', null],
] as const;

/** Conditions, and the ids of the rows that match, in order. */
const queries: readonly (readonly [conditions: readonly unknown[], ids: readonly number[]])[] = [
  [[], [4, 3, 2, 1, 5]],
  [[{ id: 3 }], [3]],
  [[{ id: 99 }], []],
  [[{ id: 3 }, { id: 2 }], []],
  [[{ js_worker_id: 11 }], [2, 1]],
  [[{ js_worker_name: 'alpha' }], [2, 1]],
  [[{ js_worker_name: ' alpha' }], []],
  [[{ js_worker_name: 'alpha*' }], []],
  [[{ js_worker_name: 'Alpha' }], []],
  [[{ js_worker_name: 'a\0' }], []],
  [[{ js_worker_name: 'alpha' }, { js_worker_name: 'beta' }], []],
  [[{ run_type: 'call' }], [3, 1]],
  [[{ run_type: 'unknown' }], []],
  [[{ start_time_from_to: [1_000, 2_000] }], [3, 2, 1]],
  [[{ start_time_from_to: [2_000, 1_000] }], []],
  [[{ start_time_from: 2_000 }], [4, 3, 2]],
  [[{ start_time_to: 1_000 }], [1, 5]],
  [[{ finish_time_from_to: [900, 1_500] }], [1, 5]],
  [[{ finish_time_from: 2_100 }], [3, 2]],
  [[{ finish_time_to: 1_500 }], [1, 5]],
  [['is_success'], [2, 1, 5]],
  [[{ is_success: null }], [2, 1, 5]],
  [[{ error_message: null }], [2, 1, 5]],
  [['is_failure'], [3]],
  [[{ is_failure: null }], [3]],
  [['is_running'], [4]],
  [[{ is_running: null }], [4]],
  [['is_running', 'is_failure'], []],
  [['last'], [4]],
  [[{ last: null }], [4]],
  [[{ limit: 2 }], [4, 3]],
  [[{ limit: 0 }], []],
  [[{ limit: 2 }, { limit: 1 }], [4]],
  [[{ limit: 18_446_744_073_709 }], [4, 3, 2, 1, 5]],
  // `last` overrides every limit, wherever it stands.
  [['last', { limit: 3 }], [4]],
  [[{ limit: 3 }, 'last'], [4]],
  [['last', { limit: 0 }], [4]],
  [['is_success', 'last'], [2]],
];

const badConditions: readonly unknown[] = [
  'limit',
  'unknown',
  {},
  null,
  5,
  [],
  { id: null },
  { id: 1.5 },
  { id: '1' },
  { limit: -1 },
  { limit: 1.5 },
  { last: 1 },
  { is_success: true },
  { error_message: 'x' },
  { js_worker_name: null },
  { js_worker_name: 5 },
  { run_type: 5 },
  { start_time_from_to: [1] },
  { start_time_from_to: [1, 2, 3] },
  { finish_time_from: '1' },
  { id: 1, js_worker_id: 2 },
  { unknown: 1 },
];

/** Conditions, and the ids that are left. */
const deletes: readonly (readonly [conditions: readonly unknown[], left: readonly number[]])[] = [
  [[], []],
  [[{ id: 3 }], [4, 2, 1, 5]],
  [[{ start_time_to: 2_000 }], [4]],
  [['is_success'], [4, 3]],
  [['last'], [3, 2, 1, 5]],
  [[{ limit: 2 }], [2, 1, 5]],
  [[{ limit: 0 }], [4, 3, 2, 1, 5]],
  [
    [{ limit: 0 }, 'last'],
    [3, 2, 1, 5],
  ],
  [
    [{ js_worker_name: 'alpha' }, { limit: 1 }],
    [4, 3, 1, 5],
  ],
];

const text = (value: string | number | null) =>
  typeof value === 'string' ? `'${value}'` : String(value);

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`js-result (${dialect})`);
  let server: ScriptServer;
  test.before(async () => {
    server = await scriptServer({}, { dialect, clock: true });
  });
  test.after(() => server.app.stop());
  const fill = async (rows: readonly (readonly (string | number | null)[])[]) => {
    const columns =
      'js_worker_id, js_worker_name, run_type, start_time, finish_time, result, error_message, param';
    for (const row of rows)
      await server.app.sql(
        `insert into js_result (${columns}) values (${row.map(text).join(', ')}, '{"n":1}')`,
      );
  };
  test.before.each(async () => {
    await server.app.sql('delete from js_result');
    const restart = {
      sqlite: `delete from sqlite_sequence where name = 'js_result'`,
      postgres: 'alter sequence js_result_id_seq restart',
    }[dialect];
    await server.app.sql(restart);
    await fill(ROWS);
  });
  const ids = async (...conditions: unknown[]) =>
    (await server.query(...conditions)).map(({ id }: any) => id);

  test('a row has exactly the members of the chapter', async () => {
    assert.equal(await server.query({ id: 1 }), [
      {
        id: 1,
        js_worker_id: 11,
        js_worker_name: 'alpha',
        run_type: 'call',
        start_time: 1_000,
        finish_time: 1_500,
        param: { n: 1 },
        result: { ok: true },
        error_message: null,
      },
    ]);
    const [running] = await server.query({ id: 4 });
    assert.equal([running.finish_time, running.result, running.error_message], [null, null, null]);
  });

  for (const [conditions, expected] of queries) {
    test(`query ${JSON.stringify(conditions)} gives ${JSON.stringify(expected)}`, async () => {
      assert.equal(await ids(...conditions), expected);
    });
  }

  for (const condition of badConditions) {
    test(`the condition ${JSON.stringify(condition)} is -32602 in both methods`, async () => {
      const query = { condition: [condition] };
      assert.is(await server.asSuper('js-result_query', { query }), PARAMS);
      assert.is(await server.asSuper('js-result_delete', { query }), PARAMS);
      assert.is((await ids()).length, ROWS.length);
    });
  }

  for (const query of [undefined, null, {}, { condition: null }, { condition: {} }, []]) {
    test(`the query ${JSON.stringify(query)} is -32602 in both methods`, async () => {
      assert.is(await server.asSuper('js-result_query', { query }), PARAMS);
      assert.is(await server.asSuper('js-result_delete', { query }), PARAMS);
      assert.is((await ids()).length, ROWS.length);
    });
  }

  for (const [conditions, left] of deletes) {
    test(`delete ${JSON.stringify(conditions)} leaves ${JSON.stringify(left)}`, async () => {
      const answer = await server.asSuper('js-result_delete', { query: { condition: conditions } });
      assert.equal(answer, {
        success: true,
        deleted: ROWS.length - left.length,
        condition_count: conditions.length,
      });
      assert.equal(await ids(), left);
    });
  }

  test('delete takes a bare id, as the dashboard sends it', async () => {
    const answer = await server.asSuper('js-result_delete', { id: 3 });
    assert.equal(answer, { success: true, deleted: 1, condition_count: 1 });
    assert.equal(await ids(), [4, 2, 1, 5]);
    assert.is((await server.asSuper('js-result_delete', { id: 3 })).deleted, 0);
  });

  test('1,000 rows without limit, 10,000 at most; a delete without limit takes all', async () => {
    const numbers = {
      sqlite: `with recursive n(i) as (select 1 union all select i + 1 from n where i < 10500) select`,
      postgres: `with n as (select generate_series(1, 10500) as i) select`,
    }[dialect];
    await server.app.sql(`insert into js_result (js_worker_id, js_worker_name, run_type, start_time)
      ${numbers} 50, 'many', 'call', 100000 + i from n`);
    const many = { js_worker_name: 'many' };
    const count = (rows: unknown) => (Array.isArray(rows) ? rows.length : rows);
    assert.is(count(await server.query(many)), 1_000);
    assert.is(count(await server.query(many, { limit: 10_001 })), 10_000);
    const query = { condition: [many] };
    const answer = await server.asSuper('js-result_delete', { query });
    assert.equal(answer, { success: true, deleted: 10_500, condition_count: 1 });
  });

  const named = (right: string, names: unknown[], pattern: string) =>
    server.token(names, [{ js_result: { [right]: pattern } }]);
  const denied = (name: string, action: string) =>
    `102 Permission denied: Permission denied for js_result on worker '${name}', action: ${action}`;

  test('a named worker that the caller may not read is 102', async () => {
    const token = await named('read', [{ js_worker: 'alpha*' }], 'alpha*');
    const ask = (...condition: unknown[]) =>
      server.outcome('js-result_query', { token, query: { condition } });
    assert.is((await ask({ js_worker_name: 'alpha-2' })).length, 1);
    assert.is(await ask({ js_worker_name: 'beta' }), denied('beta', 'Read'));
    assert.is(
      await ask({ js_worker_name: 'alpha' }, { js_worker_name: 'gone' }),
      denied('gone', 'Read'),
    );
    const query = { condition: [{ js_worker_name: 'alpha' }] };
    assert.is(
      await server.outcome('js-result_delete', { token, query }),
      denied('alpha', 'Delete'),
    );
  });

  test('without a name the rows are reduced to what the caller may read', async () => {
    const ask = async (token: string) => {
      const rows = await server.outcome('js-result_query', { token, query: { condition: [] } });
      return typeof rows === 'string' ? rows : rows.map(({ id }: any) => id);
    };
    assert.equal(await ask(await named('read', [{ js_worker: 'alpha*' }], '*')), [2, 1, 5]);
    assert.equal(await ask(await named('read', [{ js_worker: 'alpha' }], '*')), [2, 1]);
    assert.equal(await ask(await named('read', ['global'], 'beta')), [4, 3]);
    assert.equal(await ask(await named('read', ['global'], '*')), [4, 3, 2, 1, 5]);
    assert.equal(await ask(await named('delete', ['global'], '*')), []);
    assert.equal(await ask(await named('read', [{ js_worker: 'none' }], '*')), []);
    const late = await server.token(['global'], [{ js_result: { read: '*' } }], {
      timestamp_to: 1,
    });
    assert.equal(await ask(late), []);
    assert.is(await ask('nobody:here'), WRONG);
  });

  test('delete without a name deletes only what the caller may delete', async () => {
    const token = await named('delete', [{ js_worker: 'alpha*' }], '*');
    const answer = await server.outcome('js-result_delete', { token, query: { condition: [] } });
    assert.equal(answer, { success: true, deleted: 3, condition_count: 0 });
    assert.equal(await ids(), [4, 3]);
    assert.is((await server.outcome('js-result_delete', { token, id: 4 })).deleted, 0);
  });

  test('an answer past the response limit is -32008', async () => {
    const small = await scriptServer({ max_response_body_size: 900 }, { dialect });
    try {
      for (let n = 0; n < 10; n++)
        await small.app.sql(
          `insert into js_result (js_worker_id, js_worker_name, run_type, start_time) values (1, 'w', 'call', ${n})`,
        );
      assert.match(await small.query(), /^-32008 /);
    } finally {
      await small.app.stop();
    }
  });

  test.run();
}

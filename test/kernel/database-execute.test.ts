import type { DatabaseHandle, SqlValue } from '@svc/plugin-sdk/sql';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { emptyPlace, failure, openAt, type Place } from './database-kit.ts';

const limits = { maxRows: 100, timeout_ms: 60_000 };
/** A program that begins so does nothing for four seconds. */
const SLOW_START =
  'data:text/javascript,Atomics.wait(new(Int32Array)(new(SharedArrayBuffer)(4)),0,0,4000)';
const exact = (value: bigint) => (Number.isSafeInteger(Number(value)) ? Number(value) : value);
/** Never ends and never gives a row. */
const endless = {
  sqlite: 'with recursive r(x) as (select 1 union all select x + 1 from r) select count(*) from r',
  postgres: 'select pg_sleep(1000)',
};
const endlessWrite = {
  sqlite:
    'insert into t(a) with recursive r(x) as (select 1 union all select x + 1 from r) select x from r',
  postgres: 'insert into t(a) select g from generate_series(1, 1000000000000) as g',
};

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`execute (${dialect})`);
  let place: Place;
  let db: DatabaseHandle;
  const run = (sql: string, params: SqlValue[] = [], options = {}) =>
    db.execute(sql, params, { ...limits, ...options });
  const $ = (place: number) => (dialect === 'sqlite' ? `?${place}` : `$${place}`);

  test.before(async () => {
    place = await emptyPlace(dialect);
    db = await openAt(place.url, { max_connections: 4 });
  });
  test.before.each(async () => {
    await db.query.schema.dropTableIfExists('t');
    await db.query.schema.createTable('t', (table) => {
      table.bigInteger('a');
      table.text('b');
    });
  });
  test.after(async () => {
    await db.close();
    await place.remove();
  });

  test('gives rows with their columns', async () => {
    await run(`insert into t values (${$(1)}, ${$(2)})`, [1, 'x']);
    const result = await run('select a, b, a + 1 as c from t');
    assert.equal(result.columns, ['a', 'b', 'c']);
    assert.equal(
      result.rows.map((row) => ({ ...row })),
      [{ a: 1, b: 'x', c: 2 }],
    );
    assert.is(result.rowCount, 1);
    assert.is(result.affected, 0);
    assert.is(result.truncated, false);
  });

  for (const [name, sql, params, affected, rowCount] of [
    ['an insert', 'insert into t values (5, null), (6, null)', [], 2, 0],
    ['an update', 'update t set b = 1 where a < 3', [], 2, 0],
    ['an update of nothing', 'update t set b = 1 where a > 100', [], 0, 0],
    ['a delete', 'delete from t', [], 3, 0],
    ['an insert that returns', 'insert into t values (5, null), (6, null) returning a', [], 0, 2],
    ['a definition', 'create table if not exists other (x int)', [], 0, 0],
    ['an empty text', '', [], 0, 0],
  ] as const) {
    test(`counts the rows of ${name}`, async () => {
      await run("insert into t values (1, 'x'), (2, 'x'), (3, 'x')");
      const result = await run(sql, [...params]);
      assert.equal(
        [result.affected, result.rowCount, result.rows.length],
        [affected, rowCount, rowCount],
      );
    });
  }

  test('keeps maxRows rows and counts all', async () => {
    const appender = db.appender({
      table: 't',
      columns: ['a'],
      maxBatchRows: 1000,
      capacityRows: 5000,
    });
    await Promise.all(Array.from({ length: 2_500 }, (_, a) => appender.append([a])));
    for (const [maxRows, truncated] of [
      [0, true],
      [7, true],
      [2_499, true],
      [2_500, false],
      [10_000, false],
    ] as const) {
      const result = await run('select a from t order by a', [], { maxRows });
      assert.equal(
        result.rows.map((row) => row['a']),
        Array.from({ length: Math.min(maxRows, 2_500) }, (_, a) => a),
      );
      assert.equal([result.rowCount, result.truncated], [2_500, truncated]);
    }
  });

  test('keeps one value of a column name that occurs twice', async () => {
    const { columns, rows } = await run('select 1 as x, 2 as x, 3 as "__proto__"');
    assert.equal(columns, ['x', '__proto__']);
    assert.is(JSON.stringify(rows), '[{"x":2,"__proto__":3}]');
  });

  for (const [name, value] of [
    ['null', null],
    ['an integer', 42n],
    ['2^53 + 1', 9_007_199_254_740_993n],
    ['a real', 1.5],
    ['a real without a fraction', 2],
    ['a text', "it's ? $1 ; --"],
  ] as const) {
    test(`binds ${name}`, async () => {
      const place = value === null || typeof value === 'string' ? '$1::text' : '$1';
      const sql =
        dialect === 'sqlite'
          ? 'select ? as v, typeof(?1) as t'
          : `select ${place} as v, pg_typeof(${place})::text as t`;
      const { rows } = await run(sql, [value]);
      assert.equal(rows[0]?.['v'], typeof value === 'bigint' ? exact(value) : value);
      const kinds = { bigint: /^(integer|bigint)$/, number: /^(real|double precision)$/ };
      if (typeof value === 'bigint' || typeof value === 'number')
        assert.match(String(rows[0]?.['t']), kinds[typeof value as 'bigint' | 'number']);
    });
  }

  for (const [name, sql, params] of [
    ['no such table', 'select a from nowhere', []],
    ['a syntax error', 'selekt 1', []],
    ...(dialect === 'postgres'
      ? ([
          ['a value too few', 'select $1', []],
          ['a value too many', 'select 1', [1n]],
        ] as const)
      : []),
  ] as const) {
    test(`gives the driver's text for ${name}`, async () => {
      const error = await failure(run(sql, [...params]));
      assert.ok(error.message.length > 5);
      assert.is.not(error.code, 103);
      assert.equal((await run('select 1 as one')).rowCount, 1, 'the next statement runs');
    });
  }

  test('leaves nothing of a transaction that was not ended', async () => {
    if (dialect === 'sqlite') await run('begin; insert into t values (1, null)');
    else await run('begin');
    await db.query('t').insert({ a: 2 });
    await db.transaction((trx) => trx('t').insert({ a: 3 }));
    assert.equal(await db.query('t').orderBy('a').pluck('a'), [2, 3]);
  });

  test('leaves no changed setting behind', async () => {
    const [change, look] =
      dialect === 'sqlite'
        ? ['pragma foreign_keys = off', 'pragma foreign_keys']
        : ['set search_path to nowhere', 'show search_path'];
    const before = JSON.stringify((await run(look)).rows);
    await run(change);
    for (let at = 0; at < 5; at++) assert.is(JSON.stringify((await run(look)).rows), before);
    assert.equal(await db.query('t').select('a'), []);
  });

  test('ends a statement at its time, and no other statement waits', async () => {
    const ended = failure(run(endless[dialect], [], { timeout_ms: 1_000 }));
    let others = 0;
    while (others < 20) {
      await db.query('t').insert({ a: others });
      assert.is((await run('select count(*) as n from t')).rows[0]?.['n'], ++others);
    }
    const error = await ended;
    assert.match(error.message, /ended after 1000 ms/);
    assert.is((await run('select 1')).rowCount, 1);
  });

  if (dialect === 'sqlite')
    test('the start of a process is not the time of a statement', async () => {
      const fresh = await openAt(place.url);
      const { NODE_OPTIONS } = process.env;
      try {
        process.env['NODE_OPTIONS'] = `--import=${SLOW_START}`;
        const short = { ...limits, timeout_ms: 3_000 };
        assert.is((await fresh.execute('select 1', [], short)).rowCount, 1);
        assert.is((await fresh.execute('insert into t(a) values (1)', [], short)).affected, 1);
      } finally {
        if (NODE_OPTIONS === undefined) delete process.env['NODE_OPTIONS'];
        else process.env['NODE_OPTIONS'] = NODE_OPTIONS;
        await fresh.close();
      }
    });

  test('undoes a write that did not end in time; reports wait for it and are kept', async () => {
    const appender = db.appender({
      table: 't',
      columns: ['a', 'b'],
      maxBatchRows: 10,
      capacityRows: 100,
    });
    const ended = failure(run(endlessWrite[dialect], [], { timeout_ms: 1_000 }));
    await Promise.all(Array.from({ length: 50 }, (_, a) => appender.append([a, 'report'])));
    assert.match((await ended).message, /ended after 1000 ms/);
    assert.is((await run('select count(*) as n from t')).rows[0]?.['n'], 50);
  });

  test('ends a statement when its caller is gone', async () => {
    const caller = new AbortController();
    const running = failure(run(endless[dialect], [], { signal: caller.signal }));
    setTimeout(() => caller.abort(new Error('gone')), 200);
    assert.is((await running).message, 'gone');
    const late = AbortSignal.abort(new Error('gone before'));
    assert.is((await failure(run('select 1', [], { signal: late }))).message, 'gone before');
    assert.is((await run('select 1')).rowCount, 1);
  });

  test('lets statements wait for their turn, each with its own time', async () => {
    const slow = Array.from({ length: 6 }, () =>
      failure(run(endless[dialect], [], { timeout_ms: 400 })),
    );
    for (const error of await Promise.all(slow)) assert.instance(error, Error);
    assert.is((await run('select 1')).rowCount, 1);
  });

  test('sees what was just written', async () => {
    for (let a = 0; a < 10; a++) {
      await run(`insert into t values (${a}, null)`);
      assert.is((await db.first<{ n: number }>('select count(*) as n from t'))?.n, a + 1);
      assert.is((await run('select count(*) as n from t')).rows[0]?.['n'], a + 1);
    }
  });

  test.run();
}

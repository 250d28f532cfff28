import type { DatabaseHandle } from '@svc/plugin-sdk/sql';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { emptyPlace, failure, openAt, type Place, withDatabase } from './database-kit.ts';

const big = 9_007_199_254_740_993n;
const largest = 2n ** 63n - 1n;

async function things(db: DatabaseHandle): Promise<void> {
  await db.query.schema.dropTableIfExists('thing');
  await db.query.schema.createTable('thing', (table) => {
    table.increments('id');
    table.string('name').notNullable().unique();
    table.bigInteger('number');
    table.boolean('flag');
    table.jsonb('data');
    table.binary('bytes');
  });
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`database (${dialect})`);
  let place: Place;
  let shared: DatabaseHandle;
  const on = (name: string, work: (db: DatabaseHandle) => Promise<void>) =>
    test(name, () => work(shared));

  test.before(async () => {
    place = await emptyPlace(dialect);
    shared = await openAt(place.url);
  });
  test.after(async () => {
    await shared.close();
    await place.remove();
  });

  on('names its dialect', async (db) => {
    assert.is(db.dialect, dialect);
  });

  on('stores and reads through the query builder', async (db) => {
    await things(db);
    const [row] = await db.query('thing').insert({ name: 'a', number: 7 }).returning('id');
    assert.is(row?.['id'], 1);
    assert.is(await db.query('thing').where({ id: 1 }).update({ number: 8 }), 1);
    assert.equal(await db.query('thing').first('name', 'number'), { name: 'a', number: 8 });
    assert.is(await db.query('thing').where({ name: 'nobody' }).first('id'), undefined);
    await db.query('thing').insert({ name: 'a', number: 9 }).onConflict('name').merge(['number']);
    assert.equal(await db.query('thing').pluck('number'), [9]);
    assert.is(await db.query('thing').delete(), 1);
  });

  on('sees a committed row at once in `all` and `first`', async (db) => {
    await things(db);
    for (let number = 1; number <= 20; number++) {
      await db.query('thing').insert({ name: `n${number}`, number });
      const row = await db.first<{ number: number }>('select number from thing where name = ?', [
        `n${number}`,
      ]);
      assert.is(row?.number, number);
    }
    const rows = await db.all(
      'select name from thing where number > ? and name <> ? order by number',
      [17, 'n19'],
    );
    assert.equal(
      rows.map((row) => ({ ...row })),
      [{ name: 'n18' }, { name: 'n20' }],
    );
    assert.equal(await db.all('select name from thing where number < ?', [0]), []);
    assert.is(await db.first('select name from thing where number < ?', [0]), undefined);
  });

  for (const [name, stored, read] of [
    ['zero', 0, 0],
    ['a negative number', -5, -5],
    ['the largest safe integer', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    ['2^53 + 1', big, big],
    ['2^63 - 1', largest, largest],
    ['-2^63', -(2n ** 63n), -(2n ** 63n)],
    ['nothing', null, null],
  ] as const) {
    on(`keeps ${name} exactly, by every road`, async (db) => {
      await things(db);
      await db.query('thing').insert({ name: 'knex', number: stored });
      await db.appender(thingRows).append(['appender', stored]);
      for (const from of ['knex', 'appender']) {
        const row = await db.query('thing').where({ name: from }).first('number');
        assert.is(row?.['number'], read);
        const sql = `select number from thing where name = '${from}'`;
        assert.is((await db.first<{ number: unknown }>(sql))?.number, read);
        const executed = await db.execute(sql, [], { maxRows: 1, timeout_ms: 30_000 });
        assert.is(executed.rows[0]?.['number'], read);
      }
    });
  }

  on('gives JSON as text and bytes as bytes', async (db) => {
    await things(db);
    const bytes = new Uint8Array([0, 1, 255]);
    await db.query('thing').insert({ name: 'a', data: `{"n":${big}}`, bytes: Buffer.from(bytes) });
    await db
      .appender({ ...thingRows, columns: ['name', 'data', 'bytes'] })
      .append(['b', '{"n":1}', bytes]);
    const rows = await db.all<{ data: string; bytes: Uint8Array }>(
      'select data, bytes from thing order by name',
    );
    assert.equal(
      rows.map((row) => row.data.replaceAll(' ', '')),
      [`{"n":${big}}`, '{"n":1}'],
    );
    for (const row of rows) assert.equal([...row.bytes], [0, 1, 255]);
  });

  on('counts and compares booleans as numbers or booleans', async (db) => {
    await things(db);
    await db.query('thing').insert([
      { name: 'a', flag: true },
      { name: 'b', flag: false },
    ]);
    const count = await db.first<{ n: number }>('select count(*) as n from thing where flag = ?', [
      true,
    ]);
    assert.is(count?.n, 1);
  });

  on('commits a transaction whole', async (db) => {
    await things(db);
    const answer = await db.transaction(async (trx) => {
      await trx('thing').insert({ name: 'a' });
      await trx('thing').insert({ name: 'b' });
      return 'done';
    });
    assert.is(answer, 'done');
    assert.is((await db.all('select id from thing')).length, 2);
  });

  on('rolls a transaction back when its work throws', async (db) => {
    await things(db);
    const error = await failure(
      db.transaction(async (trx) => {
        await trx('thing').insert({ name: 'a' });
        throw new TypeError('enough');
      }),
    );
    assert.instance(error, TypeError);
    assert.equal(await db.all('select id from thing'), []);
    await db.query('thing').insert({ name: 'a' });
  });

  on('rolls back to a savepoint', async (db) => {
    await things(db);
    await db.transaction(async (trx) => {
      await trx('thing').insert({ name: 'kept' });
      await failure(
        trx.transaction(async (inner) => {
          await inner('thing').insert({ name: 'dropped' });
          throw new Error('enough');
        }),
      );
    });
    assert.equal(await db.query('thing').pluck('name'), ['kept']);
  });

  on('keeps an appended row out of an open transaction', async (db) => {
    await things(db);
    const appender = db.appender(thingRows);
    let appended: Promise<void> | undefined;
    await failure(
      db.transaction(async (trx) => {
        await trx('thing').insert({ name: 'in' });
        appended = appender.append(['out', 1]);
        await trx('thing').insert({ name: 'in too' });
        throw new Error('enough');
      }),
    );
    await appended;
    assert.equal(await db.query('thing').pluck('name'), ['out']);
  });

  on('says which errors are unique violations', async (db) => {
    await things(db);
    await db.query('thing').insert({ name: 'a', id: 5 });
    const appender = db.appender(thingRows);
    for (const violation of [
      async () => db.query('thing').insert({ name: 'a' }),
      async () => db.query('thing').insert({ name: 'b', id: 5 }),
      () => db.transaction((trx) => trx('thing').insert({ name: 'a' })),
      () => appender.append(['a', 1]),
    ]) {
      const error = await failure(violation());
      assert.is(error.code, 103, error.message);
      assert.ok(db.isUniqueViolation(error), error.message);
    }
    for (const other of [
      await failure(db.query('nowhere').select('id')),
      await failure(Promise.resolve(db.query('thing').insert({ name: null }))),
      new Error('UNIQUE constraint failed'),
      'text',
      undefined,
    ]) {
      assert.not(db.isUniqueViolation(other));
    }
  });

  on('answers 103 without SQL or values when a statement fails', async (db) => {
    await things(db);
    await db.query('thing').insert({ name: 'top secret' });
    for (const failing of [
      async () => db.query('thing').insert({ name: 'top secret' }),
      async () => db.query('thing').select('secret_column'),
      () => db.all('select secret_column from thing'),
      () => db.first('select secret_column from thing'),
      () => db.jsonArray('select secret_column from thing', [], { maxBytes: 10 }),
      () => db.jsonArray('select secret_column from thing', [], { maxBytes: 10, short: true }),
    ]) {
      const error = await failure(failing());
      assert.is(error.code, 103);
      assert.match(error.message, /^Database error: \S/);
      assert.not.match(error.message, /insert|select|top secret/i);
    }
  });

  test('answers 103 after it was closed', () =>
    withDatabase(dialect, async (db) => {
      await things(db);
      const appender = db.appender(thingRows);
      await db.close();
      assert.is((await failure(appender.append(['a', 1]))).code, 103);
      await db.close();
    }));

  test('finds everything again after it was opened a second time', async () => {
    const own = await emptyPlace(dialect);
    const first = await openAt(own.url);
    await things(first);
    await first.query('thing').insert({ name: 'a', number: largest });
    await first.close();
    const second = await openAt(own.url);
    assert.equal(await second.query('thing').first('name', 'number'), {
      name: 'a',
      number: largest,
    });
    await second.close();
    await own.remove();
  });

  test.run();
}

const thingRows = {
  table: 'thing',
  columns: ['name', 'number'],
  maxBatchRows: 1_000,
  capacityRows: 10_000,
};

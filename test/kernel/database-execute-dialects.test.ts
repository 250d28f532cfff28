import type { DatabaseHandle } from '@svc/plugin-sdk/sql';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { emptyPlace, failure, openAt, type Place } from './database-kit.ts';

const limits = { maxRows: 100, timeout_ms: 60_000 };

const sqlite = suite('execute: scripts of sqlite');
const postgres = suite('execute: types of postgres');
let place: Place;
let db: DatabaseHandle;
for (const [test, dialect] of [
  [sqlite, 'sqlite'],
  [postgres, 'postgres'],
] as const) {
  test.before(async () => {
    place = await emptyPlace(dialect);
    db = await openAt(place.url);
  });
  test.after(async () => {
    await db.close();
    await place.remove();
  });
}

sqlite('runs several statements in order and joins their rows', async () => {
  const script = `create table s (a, b); -- a comment; with a semicolon
    insert into s values (?, ?), ('x;y', 4);
    select a from s where b = ?; /* ; */ ;
    select ? as last, b from s order by b`;
  const result = await db.execute(script, [1, 3, 4, 'z'], limits);
  assert.equal(
    result.rows.map((row) => ({ ...row })),
    [{ a: 'x;y' }, { last: 'z', b: 3 }, { last: 'z', b: 4 }],
  );
  assert.equal([...result.columns], ['a', 'last', 'b']);
  assert.equal([result.rowCount, result.affected], [3, 2]);
});

sqlite('keeps what ran before a statement that fails', async () => {
  await failure(
    db.execute(
      'create table k (a); insert into k values (1); select nope; insert into k values (2)',
      [],
      limits,
    ),
  );
  assert.equal(
    (await db.execute('select a from k', [], limits)).rows.map((row) => row['a']),
    [1],
  );
});

sqlite('makes a trigger, whose body holds semicolons', async () => {
  await db.execute(
    `create table a (x); create table b (x);
     create trigger copy after insert on a begin insert into b values (new.x); select case when 1 then 2 end; end;
     insert into a values (7)`,
    [],
    limits,
  );
  assert.equal(await db.query('b').pluck('x'), [7]);
});
sqlite.run();

for (const [sql, value] of [
  ["'0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411'::uuid", '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411'],
  ["timestamp '2026-03-02 18:04:11.207'", '2026-03-02 18:04:11.207'],
  ["date '2026-03-02'", '2026-03-02'],
  ['-3::int2', -3],
  ['(-2147483648)::int4', -2147483648],
  ['9007199254740993::int8', 9_007_199_254_740_993n],
  ['1.5::real', 1.5],
  ['12.25::numeric', 12.25],
  ['12345678901234567890.5::numeric', '12345678901234567890.5'],
  ['true', true],
  ['array[1, 9007199254740993]::int8[]', [1, 9_007_199_254_740_993n]],
  ["array['a', null, 'b,\"c']::text[]", ['a', null, 'b,"c']],
  ["interval '1 day'", '1 day'],
  ["'[1,5)'::int4range", '[1,5)'],
  ["'10.0.0.1'::inet", '10.0.0.1'],
  ['\'{"a":[1,9007199254740993]}\'::jsonb', { a: [1, 9_007_199_254_740_993n] }],
  ['\'"text"\'::json', 'text'],
] as const) {
  postgres(`converts ${sql}`, async () => {
    const { rows } = await db.execute(`select ${sql} as v`, [], limits);
    assert.equal(rows[0]?.['v'], value);
  });
}

postgres('converts bytes', async () => {
  const { rows } = await db.execute("select '\\x00ff'::bytea as v", [], limits);
  assert.equal(Buffer.from(rows[0]!['v'] as Uint8Array).toString('hex'), '00ff');
});

for (const sql of [
  'select 1; select 2',
  'copy (select 1) to stdout',
  'copy pg_class from stdin',
  'listen x',
]) {
  postgres(`stays usable after: ${sql}`, async () => {
    await db.execute(sql, [], limits).catch((error: unknown) => assert.instance(error, Error));
    assert.is((await db.execute('select 1', [], limits)).rowCount, 1);
  });
}
postgres.run();

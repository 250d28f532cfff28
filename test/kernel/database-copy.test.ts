import { buffer } from 'node:stream/consumers';
import type { Entry } from '@svc/plugin-sdk/driver';
import type { DatabaseHandle } from '@svc/plugin-sdk/sql';
import * as fc from 'fast-check';
import { to as copyTo } from 'pg-copy-streams';
import * as assert from 'uvu/assert';
import { BinaryRows } from '../../plugins/database-postgres/src/copy-binary.ts';
import { connectionOf } from '../../plugins/database-postgres/src/quirks.ts';
import { suite } from '../runner/suite.ts';
import { withDatabase } from './database-kit.ts';

const COLUMNS = ['two', 'four', 'eight', 'real', 'text', 'name', 'document', 'bytes', 'truth'];
const types = [21, 23, 20, 701, 25, 1043, 3802, 17, 16];
const table = `create table report (id bigint not null, two smallint, four integer, eight bigint, real double precision,
  text text, name varchar(50), document jsonb, bytes bytea, truth boolean)`;

const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 50 }).filter((given) => !given.includes('\0')),
  fc.constantFrom('', '\\N', 'a\tb', '🦊', '\u2028"\''),
);
const row = fc.tuple(
  orNull(fc.integer({ min: -(2 ** 15), max: 2 ** 15 - 1 })),
  orNull(fc.integer()),
  orNull(fc.oneof(fc.maxSafeInteger(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }))),
  orNull(fc.double({ noNaN: true })),
  orNull(text),
  orNull(text.map((given) => given.slice(0, 20).toWellFormed())),
  // The form that the database gives a document.
  orNull(fc.oneof(fc.integer().map(String), fc.constantFrom('null', '{"a": [1, "\u00e9"]}'))),
  orNull(fc.uint8Array({ maxLength: 2_000 })),
  orNull(fc.boolean()),
);
const entry = (values: readonly unknown[], at: number) =>
  ({ id: String(at), row: values }) as unknown as Entry;

const format = suite('COPY as bytes');
format('is what the database itself writes of the same rows', () =>
  withDatabase('postgres', async (db) => {
    await db.query.raw(table);
    const appender = db.appender(report({ maxBatchRows: 100 }));
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async (rows) => {
        await db.query('report').delete();
        await Promise.all(rows.map((values) => appender.append(values)));
        const entries = rows.map(entry);
        await db.query.raw(`update report set id = place from
          (select id as old, row_number() over (order by id) - 1 as place from report) as places where id = old`);
        const bytes = BinaryRows.of([20, ...types])?.write(entries);
        assert.is(bytes?.toString('hex'), (await written(db)).toString('hex'));
      }),
      { numRuns: 40 },
    );
    assert.is(appender.refused, 0);
  }),
);

/** The table as the database's own COPY writes it. */
const written = (db: DatabaseHandle) =>
  db.transaction(async (transaction) => {
    const connection = await connectionOf(transaction);
    const all = `select * from report order by id`;
    return buffer(connection.query(copyTo(`copy (${all}) to stdout (format binary)`)));
  });

for (const [value, column] of [
  [2 ** 15, 'two'],
  [1.5, 'two'],
  [-(2 ** 31) - 1, 'four'],
  [0.1, 'eight'],
  [2 ** 53, 'eight'],
  [Number.NaN, 'eight'],
  [2n ** 63n, 'eight'],
  [1n, 'four'],
  ['1', 'four'],
  [true, 'four'],
  [1, 'text'],
  [1, 'truth'],
  ['1', 'real'],
  ['\\x00', 'bytes'],
  [new Uint8Array(1), 'text'],
] as const) {
  const shown = typeof value === 'bigint' ? `${value}n` : JSON.stringify(value);
  format(`leaves ${shown} in a column of ${column} to texts`, () => {
    const values = COLUMNS.map((name) => (name === column ? value : null));
    assert.is(BinaryRows.of([20, ...types])?.write([entry(values, 1)]), undefined);
  });
}

format('leaves a table with a column of another type to texts', () => {
  assert.is(BinaryRows.of([20, 1700]), undefined);
  assert.is(BinaryRows.of([20, undefined]), undefined);
});

const changes = suite('rows for a table that changes');
for (const type of ['bigint', 'smallint', 'numeric', 'text'])
  changes(`are stored when a column became ${type} after the first batch`, () =>
    withDatabase('postgres', async (db) => {
      await db.query.raw(table);
      const appender = db.appender(report({ columns: ['four'] }));
      await appender.append([1]);
      await db.query.raw(`alter table report alter column four type ${type}`);
      await Promise.all([appender.append([2]), appender.append([3])]);
      await appender.append([4]);
      const stored = await db.query('report').orderBy('four').pluck('four');
      assert.equal(stored.map(Number), [1, 2, 3, 4]);
      assert.is(appender.refused, 0);
    }),
  );

changes('are stored when the table comes after the first batch', () =>
  withDatabase('postgres', async (db) => {
    const appender = db.appender(report({ columns: ['four'] }));
    await appender.append([1]).then(
      () => assert.unreachable('there is no table'),
      (error) => assert.is(error.code, 103),
    );
    await db.query.raw(table);
    await appender.append([2]);
    assert.equal(await db.query('report').pluck('four'), [2]);
  }),
);

changes('are stored where a column takes only texts', () =>
  withDatabase('postgres', async (db) => {
    await db.query.raw('create table report (id bigint not null, four numeric)');
    const appender = db.appender(report({ columns: ['four'] }));
    for (const value of [1.5, 2]) await appender.append([value]);
    assert.equal(await db.query('report').orderBy('four').pluck('four'), [1.5, 2]);
  }),
);

const report = (given: object) => ({
  table: 'report',
  columns: COLUMNS,
  id: 'id',
  maxBatchRows: 10,
  capacityRows: 1_000,
  ...given,
});

format.run();
changes.run();

import type { DatabaseHandle } from '@svc/plugin-sdk/sql';
import * as fc from 'fast-check';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import {
  emptyPlace,
  failure,
  memoryLog,
  openAt,
  type Place,
  until,
  withDatabase,
} from './database-kit.ts';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`appender (${dialect})`);
  const log = memoryLog();
  let place: Place;
  let db: DatabaseHandle;

  test.before(async () => {
    place = await emptyPlace(dialect);
    db = await openAt(place.url, {}, log);
  });
  test.before.each(() => createReports(db));
  test.after(async () => {
    await db.close();
    await place.remove();
  });

  test('answers after the commit: another connection sees the row', async () => {
    const other = await openAt(place.url);
    const appender = db.appender(reports(db));
    const append = async (value: number) => {
      await appender.append([value, null]);
      const row = await other.first<{ n: number }>(
        'select count(*) as n from report where value = ?',
        [value],
      );
      assert.is(row?.n, 1, `row ${value} was answered but is not there`);
    };
    for (let round = 0; round < 5; round++) {
      await Promise.all(Array.from({ length: 200 }, (_, at) => append(round * 200 + at)));
    }
    await other.close();
  });

  test('keeps rows in order of arrival', async () => {
    const appender = db.appender({ ...reports(db), maxBatchRows: 7 });
    await Promise.all(Array.from({ length: 500 }, (_, value) => appender.append([value, 'x'])));
    const order = dialect === 'sqlite' ? 'rowid' : 'id';
    const rows = await db.all<{ value: number }>(`select value from report order by ${order}`);
    assert.equal(
      rows.map((row) => row.value),
      Array.from({ length: 500 }, (_, value) => value),
    );
  });

  test('stores every kind of value as it is', async () => {
    await db.query.schema.dropTableIfExists('wide');
    await db.query.schema.createTable('wide', (table) => {
      table.bigInteger('id');
      table.bigInteger('int8');
      table.specificType('real', 'double precision');
      table.text('text');
      table.binary('bytes');
    });
    const appender = db.appender({
      ...reports(db),
      table: 'wide',
      columns: ['int8', 'real', 'text', 'bytes'],
    });
    const value = fc.tuple(
      fc.oneof(
        fc.constant(null),
        fc.maxSafeInteger(),
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      ),
      fc.oneof(fc.constant(null), fc.double({ noNaN: true, noDefaultInfinity: true })),
      fc.oneof(
        fc.constant(null),
        fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
        fc.constantFrom('\\N', '\\.', 'a\tb\nc\rd\\e', '\u2028"\'', '🦊'.repeat(40)),
      ),
      fc.oneof(fc.constant(null), fc.uint8Array({ maxLength: 20 })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 30 }), async (rows) => {
        await db.query('wide').delete();
        await Promise.all(rows.map((row) => appender.append(row)));
        const order = dialect === 'sqlite' ? 'rowid' : 'id';
        const stored = await db.all<Record<string, unknown>>(
          `select int8, "real", text, bytes from wide order by ${order}`,
        );
        assert.equal(
          stored.map(readable),
          rows.map(([int8, real, text, bytes]) => readable({ int8, real, text, bytes })),
        );
      }),
      { numRuns: 60 },
    );
  });

  test('refuses only the rows at fault', async () => {
    const appender = db.appender({ ...reports(db), maxBatchRows: 100 });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 300 }, (_, value) =>
        appender.append([value % 97 === 5 ? null : value, 'x']),
      ),
    );
    for (const [value, outcome] of outcomes.entries()) {
      if (value % 97 !== 5) {
        assert.is(outcome.status, 'fulfilled', `row ${value}`);
        continue;
      }
      assert.is(outcome.status, 'rejected', `row ${value}`);
      assert.is((outcome as PromiseRejectedResult).reason.code, 103);
    }
    assert.is(appender.refused, 4);
    const values = (await db.query('report').pluck('value')) as number[];
    assert.equal(
      values.sort((a, b) => a - b),
      Array.from({ length: 300 }, (_, value) => value).filter((value) => value % 97 !== 5),
    );
  });

  test('never writes a row into the log', async () => {
    const appender = db.appender(reports(db));
    log.lines.length = 0;
    await failure(appender.append([null, 'top secret']));
    await until(() =>
      log.lines.some((line) => line.level === 'warn' && line.fields?.['rows'] === 1),
    );
    assert.not.match(JSON.stringify(log.lines), /top secret/);
  });

  test('answers 103 to every row when the table is gone', async () => {
    const appender = db.appender({ ...reports(db), table: 'nowhere' });
    for (const outcome of await Promise.allSettled([
      appender.append([1, 'a']),
      appender.append([2, 'b']),
    ])) {
      assert.is((outcome as PromiseRejectedResult).reason.code, 103);
    }
  });

  test('lets no more rows wait than its capacity, and drops none', async () => {
    const appender = db.appender({ ...reports(db), capacityRows: 5, maxBatchRows: 3 });
    let most = 0;
    const appended = Array.from({ length: 400 }, async (_, value) => {
      const stored = appender.append([value, 'x']);
      most = Math.max(most, appender.waiting);
      await stored;
      most = Math.max(most, appender.waiting);
    });
    await Promise.all(appended);
    assert.is(most, 5);
    const order = dialect === 'sqlite' ? 'rowid' : 'id';
    const rows = await db.all<{ value: number }>(`select value from report order by ${order}`);
    assert.equal(
      rows.map((row) => row.value),
      Array.from({ length: 400 }, (_, value) => value),
    );
  });

  test('stores rows that are larger together than the room for them', async () => {
    const appender = db.appender(reports(db));
    const text = 'x'.repeat(8 * 2 ** 20);
    await Promise.all(Array.from({ length: 12 }, (_, value) => appender.append([value, text])));
    const row = await db.first<{ n: number }>(
      'select count(*) as n from report where length(text) = ?',
      [text.length],
    );
    assert.is(row?.n, 12);
  });

  test('flushes what was appended before, refused rows included', async () => {
    const appender = db.appender({ ...reports(db), maxBatchRows: 10 });
    let settled = 0;
    const count = () => settled++;
    for (let value = 0; value < 100; value++) {
      appender.append([value === 50 ? null : value, 'x']).then(count, count);
    }
    await appender.flush();
    assert.is(settled, 100);
    await appender.flush();
  });

  test('rows of appenders that go together are stored in one transaction', async () => {
    await createReports(db, 'other');
    const first = db.appender({ ...reports(db), wait_ms: 20 });
    const second = db.appender({ ...reports(db), table: 'other', with: first });
    await Promise.all([first.append([1, 'a']), second.append([2, 'b']), first.append([3, 'c'])]);
    assert.equal([first.stored.rows, second.stored.rows], [2, 1]);
    await until(() => first.stored.batches > 0 && second.stored.batches > 0);
    assert.equal([first.stored.batches, second.stored.batches], [1, 1]);
    assert.equal(await db.query('report').pluck('value'), [1, 3]);
    assert.equal(await db.query('other').pluck('value'), [2]);
    if (dialect === 'sqlite') return;
    const xmin = 'select xmin::text from report union select xmin::text from other';
    assert.is((await db.all(xmin)).length, 1);
  });

  test('a table that is gone, or a bad row, refuses nothing of the tables that go along', async () => {
    const first = db.appender({ ...reports(db), wait_ms: 20 });
    const gone = db.appender({ ...reports(db), table: 'nowhere', with: first });
    const outcomes = await Promise.allSettled([
      first.append([1, 'a']),
      gone.append([2, 'b']),
      first.append([null, 'c']),
      gone.append([3, 'd']),
      first.append([4, 'e']),
    ]);
    assert.equal(
      outcomes.map((outcome) => outcome.status === 'fulfilled' || outcome.reason.code),
      [true, 103, 103, 103, true],
    );
    assert.equal(await db.query('report').pluck('value'), [1, 4]);
    await first.append([5, 'f']);
    assert.is(first.refused + gone.refused, 3);
  });

  test('close stores what waits', () =>
    withDatabase(dialect, async (own, url) => {
      await createReports(own);
      // So long that it only ends in time when nobody waits for it.
      const appender = own.appender({ ...reports(own), maxBatchRows: 10, wait_ms: 600_000 });
      const appended = Promise.all(
        Array.from({ length: 305 }, (_, value) => appender.append([value, 'x'])),
      );
      await own.close();
      await appended;
      const again = await openAt(url);
      assert.is((await again.first<{ n: number }>('select count(*) as n from report'))?.n, 305);
      await again.close();
    }));

  test.run();
}

const nul = suite('appender: U+0000');
nul('costs a jsonb table of Postgres only the row that holds it', () =>
  withDatabase('postgres', async (db) => {
    await db.query.schema.createTable('doc', (table) => table.jsonb('data'));
    const appender = db.appender({
      table: 'doc',
      columns: ['data'],
      maxBatchRows: 100,
      capacityRows: 100,
    });
    const texts = ['"a"', '"b\\u0000c"', '"d\0e"', '"\\ud800"', '"f"'];
    const outcomes = await Promise.allSettled(texts.map((text) => appender.append([text])));
    assert.equal(
      outcomes.map((outcome) => outcome.status),
      ['fulfilled', 'rejected', 'rejected', 'rejected', 'fulfilled'],
    );
    assert.equal(await db.query('doc').pluck('data'), ['"a"', '"f"']);
  }),
);
nul.run();

async function createReports(db: DatabaseHandle, name = 'report'): Promise<void> {
  await db.query.schema.dropTableIfExists(name);
  await db.query.schema.createTable(name, (table) => {
    if (db.dialect === 'postgres') table.bigInteger('id').primary();
    table.bigInteger('value').notNullable();
    table.text('text');
  });
}

const reports = (db: DatabaseHandle) => ({
  table: 'report',
  columns: ['value', 'text'],
  ...(db.dialect === 'postgres' ? { id: 'id' } : {}),
  maxBatchRows: 1_000,
  capacityRows: 10_000,
});

/** Minus zero is zero in a database, and bytes compare by their hex digits. */
function readable(row: Record<string, unknown>): Record<string, unknown> {
  const { real, bytes } = row;
  return {
    ...row,
    int8: String(row['int8']),
    real: real === 0 ? 0 : real,
    bytes: bytes instanceof Uint8Array ? Buffer.from(bytes).toString('hex') : bytes,
  };
}

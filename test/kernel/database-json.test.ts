import type { DatabaseHandle } from '@svc/plugin-sdk/sql';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { emptyPlace, failure, openAt, type Place } from './database-kit.ts';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`jsonArray (${dialect})`);
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

  for (const short of [true, false]) {
    const how = short ? 'a short read' : 'a long read';

    on(`joins texts into one JSON array in ${how}`, async (db) => {
      await numbers(db, 3_000);
      const sql = `select '{"n":' || number || '}' from thing where number <= ? order by number`;
      const read = async (upTo: number) => {
        const { text } = await db.jsonArray(sql, [upTo], { maxBytes: 1_000_000, short });
        return JSON.parse(Buffer.from(text).toString());
      };
      assert.equal(await read(0), []);
      assert.equal(await read(2), [{ n: 1 }, { n: 2 }]);
      assert.equal(
        await read(3_000),
        Array.from({ length: 3_000 }, (_, at) => ({ n: at + 1 })),
      );
    });

    on(`takes exactly maxBytes in ${how}, and one more is -32008`, async (db) => {
      await db.query.schema.dropTableIfExists('text');
      await db.query.schema.createTable('text', (table) => table.text('t'));
      await db.query('text').insert([{ t: '"äö"' }, { t: '"€"' }]);
      const size = Buffer.byteLength('["äö","€"]');
      const sql = 'select t from text order by t desc';
      const { text } = await db.jsonArray(sql, [], { maxBytes: size, short });
      assert.is(Buffer.from(text).length, size);
      const error = await failure(db.jsonArray(sql, [], { maxBytes: size - 1, short }));
      assert.is(error.code, -32008);
    });

    on(`takes an array that the database made, with its limit, in ${how}`, async (db) => {
      const made = '["ä",1]';
      const sql = dialect === 'sqlite' ? 'select cast(? as blob)' : `select trim(?, '[]')`;
      const size = Buffer.byteLength(made);
      const { text } = await db.jsonArray(sql, [made], { maxBytes: size, short });
      assert.is(Buffer.from(text).toString(), made);
      const error = await failure(db.jsonArray(sql, [made], { maxBytes: size - 1, short }));
      assert.is(error.code, -32008);
    });

    on(`stops reading at maxBytes in ${how}`, async (db) => {
      // Without end: a read that went on after the limit would never come back.
      const endless =
        'with recursive r(x) as (select 1 union all select x + 1 from r) select cast(x as text) from r';
      const error = await failure(db.jsonArray(endless, [], { maxBytes: 20_000, short }));
      assert.is(error.code, -32008);
    });
  }

  on('gives a long read up when its caller is gone', async (db) => {
    const caller = new AbortController();
    const endless =
      dialect === 'sqlite'
        ? 'with recursive r(x) as (select 1 union all select x + 1 from r) select cast(x as text) from r where x % 1000 = 0'
        : "select pg_sleep(100)::text || 'x'";
    const read = db.jsonArray(endless, [], { maxBytes: 2 ** 50, signal: caller.signal });
    setTimeout(() => caller.abort(new Error('gone')), 100);
    assert.is((await failure(read)).message, 'gone');
    const next = await db.jsonArray("select '1'", [], {
      maxBytes: 10,
      signal: new AbortController().signal,
    });
    assert.is(Buffer.from(next.text).toString(), '[1]');
  });

  test.run();
}

async function numbers(db: DatabaseHandle, upTo: number): Promise<void> {
  await db.query.schema.dropTableIfExists('thing');
  await db.query.schema.createTable('thing', (table) => table.integer('number'));
  const appender = db.appender({
    table: 'thing',
    columns: ['number'],
    maxBatchRows: 1_000,
    capacityRows: 10_000,
  });
  await Promise.all(Array.from({ length: upTo }, (_, at) => appender.append([at + 1])));
}

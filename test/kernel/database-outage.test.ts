import { setImmediate } from 'node:timers/promises';
import type { RpcError } from '@svc/plugin-sdk';
import { GroupAppender, type Sink } from '@svc/plugin-sdk/driver';
import type { DatabaseHandle } from '@svc/plugin-sdk/sql';
import * as assert from 'uvu/assert';
import { startPostgres } from '../postgres.ts';
import { suite } from '../runner/suite.ts';
import { failure, knexOf, memoryLog, openAt, until, withDatabase } from './database-kit.ts';

const options = {
  table: 'report',
  columns: ['value'],
  maxBatchRows: 100,
  capacityRows: 10_000,
};

/** Appends from many callers until `stop`; each value once. */
function load(db: DatabaseHandle, callers: number) {
  const appender = db.appender({ ...options, ...(db.dialect === 'postgres' ? { id: 'id' } : {}) });
  const stored: number[] = [];
  const refused: unknown[] = [];
  let next = 0;
  let running = true;
  const caller = async () => {
    while (running && refused.length === 0) {
      const value = next++;
      await appender.append([value]).then(
        () => stored.push(value),
        (error) => refused.push(error),
      );
    }
  };
  const done = Promise.all(Array.from({ length: callers }, caller));
  const stop = async () => {
    running = false;
    await done;
  };
  return { stored, refused, stop };
}

/** Every answered value is there, once. */
async function assertStored(db: DatabaseHandle, stored: readonly number[]): Promise<void> {
  const rows = await db.all<{ value: number }>('select value from report');
  const there = new Set(rows.map((row) => row.value));
  assert.equal(
    stored.filter((value) => !there.has(value)),
    [],
    'answered, but not stored',
  );
  assert.is(rows.length, there.size, 'stored twice');
}

const postgres = suite('outage (postgres)');
for (const how of ['crash', 'fast'] as const) {
  postgres(`loses no answered row when the server restarts (${how})`, async () => {
    const server = await startPostgres({ own: true });
    const db = await openAt(await server.createDatabase());
    try {
      await db.query.schema.createTable('report', (table) => {
        table.bigInteger('id').primary();
        table.bigInteger('value').notNullable();
      });
      const { stored, refused, stop } = load(db, 100);
      await until(() => stored.length > 2_000);
      await server.restart(how);
      const before = stored.length;
      await until(() => stored.length > before + 2_000);
      await stop();
      assert.equal(refused, []);
      await assertStored(db, stored);
    } finally {
      await db.close();
      await server.stop();
    }
  });
}
postgres.run();

const sqlite = suite('outage (sqlite)');
/** About a second of work. */
const slow =
  'with recursive r(x) as (select 1 union all select x + 1 from r where x < 5000000) select count(*) from r';

/** Ends the writer thread in the middle of its work, as a crash in the driver would. */
const endWriter = (db: DatabaseHandle): Promise<void> =>
  knexOf(db).client.connectionSettings.writer.end();

sqlite('loses no answered row when the writer thread dies, and starts another', () =>
  withDatabase('sqlite', async (db) => {
    await db.query.schema.createTable('report', (table) => table.bigInteger('value').notNullable());
    const { stored, refused, stop } = load(db, 50);
    await until(() => stored.length > 500);
    for (let outcome: unknown; outcome === undefined; ) {
      const pending = db.query.raw(slow).then(
        () => undefined,
        (error) => error,
      );
      await until(() => knexOf(db).client.pool.numUsed() === 1);
      await endWriter(db);
      // A machine that stood still meanwhile has let it end: then once more.
      outcome = await pending;
      if (outcome !== undefined) assert.is((outcome as RpcError).code, 103);
    }
    const before = stored.length;
    await until(() => stored.length > before + 500);
    await stop();
    assert.equal(refused, []);
    await assertStored(db, stored);
  }),
);

sqlite('ends the transaction that was open when the writer thread died', () =>
  withDatabase('sqlite', async (db) => {
    await db.query.schema.createTable('report', (table) => table.bigInteger('value').notNullable());
    const outcome = await failure(
      db.transaction(async (trx) => {
        await trx('report').insert({ value: 1 });
        await endWriter(db);
        await trx('report').insert({ value: 2 });
      }),
    );
    assert.is(outcome.code, 103);
    assert.equal(await db.query('report').pluck('value'), []);
  }),
);
sqlite.run();

const deadline = suite('outage: deadline');
const away: Sink = {
  parallel: 1,
  store: () => Promise.reject(new Error('connection refused')),
};
const silent: Sink = { parallel: 1, store: () => new Promise(() => undefined) };

for (const [name, sink] of [
  ['refuses every connection', away],
  ['never answers', silent],
] as const) {
  deadline(`answers 103 to every row when the database ${name} for too long`, async () => {
    const appender = new GroupAppender(
      { ...options, maxBatchRows: 3, capacityRows: 4 },
      sink,
      memoryLog(),
      300,
    );
    const begun = performance.now();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, value) => appender.append([value])),
    );
    for (const outcome of outcomes) {
      assert.is(outcome.status, 'rejected');
      assert.is((outcome as PromiseRejectedResult).reason.code, 103);
    }
    // The appender measures with the same clock.
    assert.ok(performance.now() - begun >= 300);
    assert.is(appender.refused, 10);
    await appender.close();
  });
}

deadline('refuses no row whose answer came while the process was held up', async () => {
  const slow: Sink = {
    parallel: 1,
    async store(entries, settle) {
      // Answered in the middle of the pause, and heard behind the timers that were due before.
      await new Promise((answered) => setTimeout(answered, 100));
      for (const entry of entries) settle(entry);
    },
  };
  const appender = new GroupAppender(options, slow, memoryLog(), 300);
  const row = appender.append([1]);
  await turns();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
  await row;
  assert.is(appender.refused, 0);
  await appender.close();
});

deadline('stores a row that waited for the database, and says so in the log', async () => {
  const log = memoryLog();
  let failures = 3;
  const sink: Sink = {
    parallel: 1,
    async store(entries, settle) {
      if (failures-- > 0) throw new Error('connection refused');
      for (const entry of entries) settle(entry);
    },
  };
  const appender = new GroupAppender(options, sink, log);
  await Promise.all([appender.append([1]), appender.append([2])]);
  assert.is(appender.refused, 0);
  await until(() => log.lines.some((line) => line.message === 'The database stores rows again.'));
  assert.is(log.lines.filter((line) => line.level === 'warn').length, 1);
  await appender.close();
});
deadline.run();

const places = suite('appender: places');
/** Batches that end when the test says so. */
function heldBatches(parallel: number) {
  const batches: { readonly values: unknown[]; readonly end: () => void }[] = [];
  const sink: Sink = {
    parallel,
    store: (entries, settle) =>
      new Promise((resolve) => {
        const end = () => {
          for (const entry of entries) settle(entry);
          resolve();
        };
        batches.push({ values: entries.map(({ row: [value] }) => value), end });
      }),
  };
  return { batches, sink };
}

const turns = async () => {
  for (let n = 0; n < 3; n++) await setImmediate();
};

places('rows wait until there are 64 of them and the sink is idle, or somebody waits', async () => {
  const { batches, sink } = heldBatches(2);
  const appender = new GroupAppender({ ...options, wait_ms: 600_000 }, sink, memoryLog());
  const rows: Promise<void>[] = [];
  const add = async (count: number) => {
    for (let n = 0; n < count; n++) rows.push(appender.append([n]));
    await turns();
  };
  const sizes = () => batches.map(({ values }) => values.length);
  await add(63);
  assert.equal(sizes(), []);
  await add(1);
  assert.equal(sizes(), [64]);
  await add(70);
  assert.equal(sizes(), [64], 'the sink is busy');
  batches[0]?.end();
  await until(() => batches.length === 2);
  assert.equal(sizes(), [64, 70]);
  batches[1]?.end();
  await add(5);
  assert.equal(sizes(), [64, 70]);
  appender.hurry();
  await turns();
  assert.equal(sizes(), [64, 70, 5]);
  batches[2]?.end();
  await add(2);
  assert.equal(sizes(), [64, 70, 5], 'what came later waits again');
  const closed = appender.close();
  await turns();
  batches[3]?.end();
  await closed;
  await Promise.all(rows);
});

places('a lone row is stored when it has waited long enough', async () => {
  const { batches, sink } = heldBatches(1);
  const appender = new GroupAppender({ ...options, wait_ms: 20 }, sink, memoryLog());
  const begun = performance.now();
  const row = appender.append([1]);
  await until(() => batches.length === 1);
  assert.ok(performance.now() - begun >= 19);
  batches[0]?.end();
  await row;
  await appender.close();
});

places('a second batch goes beside the first one only when it is full', async () => {
  const { batches, sink } = heldBatches(2);
  const appender = new GroupAppender({ ...options, maxBatchRows: 3 }, sink, memoryLog());
  const sent = () => batches.map(({ values }) => values);
  const rows = [appender.append([1])];
  await until(() => batches.length === 1);
  rows.push(appender.append([2]), appender.append([3]));
  await setImmediate();
  await setImmediate();
  assert.equal(sent(), [[1]], 'two rows wait for the first batch');
  rows.push(appender.append([4]), appender.append([5]));
  await until(() => batches.length === 2);
  assert.equal(sent(), [[1], [2, 3, 4]]);
  batches[1]?.end();
  await Promise.all(rows.slice(1, 4));
  assert.is(batches.length, 2, 'the fifth row waits as well');
  batches[0]?.end();
  await until(() => batches.length === 3);
  batches[2]?.end();
  await Promise.all(rows);
  assert.equal(sent(), [[1], [2, 3, 4], [5]]);
  await appender.close();
});
places.run();

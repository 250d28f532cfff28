import { DatabaseAlarm, type Entry } from '@svc/plugin-sdk/driver';
import type { DatabaseHandle, MigrationDatabase } from '@svc/plugin-sdk/sql';
import * as fc from 'fast-check';
import * as assert from 'uvu/assert';
import { machineClock } from '../../kernel/src/clock.ts';
import { migrate } from '../../kernel/src/db/migrate.ts';
import { PgPool } from '../../plugins/database-postgres/src/connection.ts';
import { copyText } from '../../plugins/database-postgres/src/copy-text.ts';
import { numbered } from '../../plugins/database-postgres/src/placeholders.ts';
import { RowIds } from '../../plugins/database-postgres/src/row-id.ts';
import { CopySink } from '../../plugins/database-postgres/src/sink.ts';
import { suite } from '../runner/suite.ts';
import {
  emptyPlace,
  failure,
  knexOf,
  memoryLog,
  openAt,
  until,
  withDatabase,
} from './database-kit.ts';

const places = suite('placeholders of postgres');
for (const [sql, expected] of [
  ['select ?', 'select $1'],
  ['select ?, ? where a = ?', 'select $1, $2 where a = $3'],
  ["select '?', ?", "select '?', $1"],
  ["select 'it''s ?', ?", "select 'it''s ?', $1"],
  ["select E'a\\'?', ?", "select E'a\\'?', $1"],
  ['select "a?b", ?', 'select "a?b", $1'],
  ['select $$ ? $$, $x$ ? $$ ? $x$, ?', 'select $$ ? $$, $x$ ? $$ ? $x$, $1'],
  ['select ? -- ?\n, ?', 'select $1 -- ?\n, $2'],
  ['select /* ? */ ?', 'select /* ? */ $1'],
  ["select data ?? 'key', ?", "select data ? 'key', $1"],
] as const) {
  places(`numbers ${sql}`, () => {
    assert.is(numbered(sql), expected);
    assert.is(numbered(sql), expected);
  });
}

places('touches nothing inside quotes', async () => {
  const text = fc.string().map((inner) => inner.replaceAll('\\', ''));
  const quoted = fc.oneof(
    text.map((inner) => `'${inner.replaceAll("'", "''")}'`),
    text.map((inner) => `"${inner.replaceAll('"', '""')}"`),
    text.map((inner) => `--${inner.replaceAll('\n', '')}\n`),
  );
  await fc.assert(
    fc.property(fc.array(quoted, { maxLength: 5 }), (pieces) => {
      const expected = pieces.map((piece, at) => `${piece} $${at + 1}`).join(' ');
      assert.is(numbered(pieces.map((piece) => `${piece} ?`).join(' ')), expected);
    }),
  );
});
places.run();

const ids = suite('row ids of postgres');
ids('grow and hold the time', () => {
  const rows = new RowIds();
  const before = BigInt(Date.now());
  let last = 0n;
  for (let at = 0; at < 100_000; at++) {
    const id = BigInt(rows.next());
    assert.ok(id > last, `${id} after ${last}`);
    last = id;
  }
  assert.ok(last >> 21n >= before && last >> 21n <= BigInt(Date.now()) + 1n);
  assert.ok(last < 2n ** 63n);
});

ids('start at another place in each ms, so that two servers seldom meet', () => {
  const [one, other] = [new RowIds(), new RowIds()];
  const seen = new Set(Array.from({ length: 1_000 }, () => one.next()));
  const met = Array.from({ length: 1_000 }, () => other.next()).filter((id) => seen.has(id));
  assert.ok(met.length < 1_000, 'both count from the same place');
});

for (const [name, doubtful, taken, stored] of [
  ['takes another id when its own is taken', false, ['1', '2'], [7, 8]],
  ['is refused when the second id is taken too', false, ['1', '1'], [7]],
  ['is there already when the batch before it may have been stored', true, ['1'], [7]],
] as const) {
  ids(`a row ${name}`, () =>
    withDatabase('postgres', async (db) => {
      await db.query.raw('create table report (id bigint primary key, value int not null)');
      await db.query('report').insert({ id: 1, value: 7 });
      const next = taken.values();
      const source = { next: () => next.next().value as string };
      const options = {
        table: 'report',
        columns: ['value'],
        id: 'id',
        maxBatchRows: 1,
        capacityRows: 1,
      };
      const sink = new CopySink(
        new PgPool(
          knexOf(db),
          { statement_timeout_ms: 0 },
          new DatabaseAlarm(memoryLog(), machineClock),
        ),
        source,
      );
      const appender = { options };
      const entry = { row: [8], appender, id: undefined, doubtful } as unknown as Entry;
      const settled: unknown[] = [];
      await sink.store([entry], (_entry, error) => settled.push(error));
      assert.is(settled.length, 1);
      assert.is(settled[0] === undefined, doubtful || stored.length === 2);
      assert.equal(await db.query('report').orderBy('id').pluck('value'), [...stored]);
    }),
  );
}
ids.run();

const copy = suite('COPY text');
copy('escapes what ends a field or a row', () => {
  const row = [
    'a\tb',
    'c\nd\re',
    '\\N',
    null,
    1.5,
    2n ** 62n,
    true,
    false,
    new Uint8Array([0, 255]),
  ];
  const entry = { id: '7', row } as unknown as Entry;
  const expected = '7\ta\\tb\tc\\nd\\re\t\\\\N\t\\N\t1.5\t4611686018427387904\tt\tf\t\\\\x00ff\n';
  assert.is(copyText([entry, entry]), expected + expected);
});
copy.run();

const pool = suite('connections to postgres');

pool('refuses a server that is not there, without the password in the text', async () => {
  const error = await failure(
    openAt('postgres://user:hunter2@127.0.0.1:1/name', { connect_timeout_ms: 500 }),
  );
  assert.is(error.name, 'UserError');
  assert.match(error.message, /at 127\.0\.0\.1:1 \(/);
  assert.not.match(error.message, /hunter2/);
});

pool('refuses a wrong password and a missing database', async () => {
  const place = await emptyPlace('postgres');
  for (const change of [
    (url: URL) => {
      url.pathname = '/no_such_database';
    },
    (url: URL) => {
      url.username = 'nobody_at_all';
    },
  ]) {
    const url = new URL(place.url);
    change(url);
    assert.is((await failure(openAt(url.href))).name, 'UserError');
  }
  await place.remove();
});

pool('answers 103 when no connection is free in time', () =>
  withDatabase(
    'postgres',
    async (db) => {
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const holder = db.transaction(async (trx) => {
        await trx.raw('select 1');
        await held;
      });
      await until(() => knexOf(db).client.pool.numUsed() === 1);
      assert.is((await failure(db.all('select 1'))).code, 103);
      release();
      await holder;
      assert.equal((await db.all('select 1 as one')).length, 1);
    },
    // The connection itself has to be made within this time.
    { max_connections: 1, acquire_timeout_ms: 2_000 },
  ),
);

pool('replaces a connection after its life time', () =>
  withDatabase(
    'postgres',
    async (db) => {
      const pid = async () =>
        (await db.first<{ pid: number }>('select pg_backend_pid() as pid'))?.pid;
      const seen = [await pid()];
      const wasKept = () => seen.some((one, at) => one === seen[at + 1]);
      const end = Date.now() + 30_000;
      while (!wasKept() || new Set(seen).size < 2) {
        assert.ok(Date.now() < end, wasKept() ? 'it is never replaced' : 'it is never kept');
        seen.push(await pid());
      }
    },
    { max_connections: 1, max_lifetime_ms: 300 },
  ),
);

const settingOf = async (db: DatabaseHandle, name: string) =>
  (await db.first<{ v: string }>('select current_setting(?) as v', [name]))?.v;

for (const [given, shown] of [
  [60_000, '1min'],
  [0, '0'],
  [Number.MAX_SAFE_INTEGER, '2147483647ms'],
] as const) {
  pool(`a statement timeout of ${given} ms holds, also after SQL of a caller`, () =>
    withDatabase(
      'postgres',
      async (db) => {
        assert.is(await settingOf(db, 'statement_timeout'), shown);
        await db.execute("set statement_timeout = '1h'", [], { maxRows: 1, timeout_ms: 30_000 });
        assert.is(await settingOf(db, 'statement_timeout'), shown);
      },
      { max_connections: 1, statement_timeout_ms: given },
    ),
  );
}

pool('a statement past the timeout is 103, and the connection goes on', () =>
  withDatabase(
    'postgres',
    async (db) => {
      assert.is((await failure(db.all('select pg_sleep(20)'))).code, 103);
      assert.is((await failure(db.query.raw('select pg_sleep(20)'))).code, 103);
      assert.equal(await db.all('select 1 as one'), [{ one: 1 }]);
    },
    { max_connections: 1, statement_timeout_ms: 500 },
  ),
);

pool('a migration may take longer than the statement timeout', () =>
  withDatabase(
    'postgres',
    async (db) => {
      const up = ({ query }: MigrationDatabase) => query.raw('select pg_sleep(1)');
      await migrate(db, [{ plugin: 'a', migration: { name: '0001-slow', up } }], memoryLog());
      assert.is(await settingOf(db, 'statement_timeout'), '500ms');
    },
    { max_connections: 1, statement_timeout_ms: 500 },
  ),
);

pool('never makes more connections than it may, whatever waits', () =>
  withDatabase(
    'postgres',
    async (db, url) => {
      const other = await openAt(url);
      const busy = Array.from({ length: 20 }, () => db.all('select pg_sleep(0.02)'));
      const counted = await other.first<{ n: number }>(
        `select count(*) as n from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
      );
      await Promise.all(busy);
      await other.close();
      assert.ok(counted && counted.n >= 1 && counted.n <= 2, `${counted?.n} connections`);
    },
    { max_connections: 2 },
  ),
);

pool('commits to disk also where the default is not to', () =>
  withDatabase('postgres', async (db, url) => {
    const name = new URL(url).pathname.slice(1);
    await db.query.raw(`alter database ${name} set synchronous_commit = off`);
    const other = await openAt(url);
    const found = await settingOf(other, 'synchronous_commit');
    await other.close();
    assert.is(found, 'on');
  }),
);
pool.run();

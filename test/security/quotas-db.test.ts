// A token that may run SQL on a database of its own fills neither the disk nor the memory of the machine.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { type DbServer, dbServer, rows } from '../protocol/db-kit.ts';
import { suite } from '../runner/suite.ts';

const MIB = 2 ** 20;
const QUOTA = 2 * MIB;
// The limit of time is not what ends these statements, on a busy machine neither.
const CONFIG = {
  db: { max_database_bytes: QUOTA, max_memory_mb: 96, statement_timeout_ms: 300_000 },
};
const FULL =
  '999 Other error: database is full: its file has the size that max_database_bytes under [db] allows; delete rows and run VACUUM, or have the limit raised';
const HUNGRY =
  '999 Other error: the statement took more than 96 MB of memory (max_memory_mb under [db]): ask for less at once';

/** `count` rows of 10 kB that no compression makes smaller. */
const blobs = (count: number) =>
  `with recursive c(n) as (select 1 union all select n + 1 from c where n < ${count}) select randomblob(10000) as b from c`;

const test = suite('quotas: databases');
let server: DbServer;
const file = (name: string) => join(server.app.dir, 'db', `${name}.db`);

test.before(async () => {
  server = await dbServer(CONFIG, {});
  for (const name of ['a', 'b']) {
    await server.asSuper('db_create', name);
    await server.exec(name, 'create table t (b)');
  }
});
test.after(() => server?.app.stop());

/** [what a text does to get more room, its statements before the insert] */
const ways: [string, string][] = [
  ['only inserts', ''],
  ['raises the number of pages', 'pragma max_page_count = 1000000;'],
  ['raises it under another spelling', '/**/ PRAGMA "main".[max_page_count](1000000);'],
  [
    'makes the pages larger',
    'pragma journal_mode = delete; pragma page_size = 65536; vacuum; pragma journal_mode = wal;',
  ],
  ['opens a transaction first', 'rollback; begin;'],
];

for (const [way, before] of ways) {
  test(`a text that ${way} makes the file no larger than allowed`, async () => {
    const begin = before.startsWith('rollback') ? 'begin;' : '';
    const text = `${begin}${before} insert into t ${blobs(400)}`;
    assert.is(await server.exec('a', text), FULL);
    assert.ok(statSync(file('a')).size <= QUOTA, `${statSync(file('a')).size} bytes`);
    assert.equal(await server.exec('a', 'select count(*) as n from t'), rows([{ n: 0 }]));
    assert.equal(await server.exec('b', 'select 1 as n'), rows([{ n: 1 }]));
  });
}

test('a full database takes rows again when rows were deleted', async () => {
  assert.equal(await server.exec('a', `insert into t ${blobs(150)}`), rows([]));
  assert.is(await server.exec('a', `insert into t ${blobs(150)}`), FULL);
  assert.equal(await server.exec('a', 'delete from t; vacuum'), rows([]));
  assert.equal(await server.exec('a', `insert into t ${blobs(150)}`), rows([]));
});

test('a transaction whose text met the limit is rolled back, and its owner can go on', async () => {
  await server.exec('b', 'delete from t');
  assert.is(await server.exec('b', `begin; insert into t ${blobs(400)}; commit`), FULL);
  assert.equal(await server.exec('b', 'insert into t values (1)'), rows([]));
  assert.equal(await server.exec('b', 'select count(*) as n from t'), rows([{ n: 1 }]));
});

/** [name, text]: each takes hundreds of MB if it may. */
const hungry: [string, string][] = [
  ['one long value', 'select length(randomblob(400000000))'],
  [
    'a sort',
    `select count(*) from (select b from (${blobs(40_000)}) order by b limit -1 offset 1)`,
  ],
  ['a temporary table', `create temp table big as ${blobs(40_000)}`],
  [
    'a temporary table on the disk',
    `pragma temp_store = file; create temp table big as ${blobs(40_000)}`,
  ],
  ['rows that are kept', `select b, b || b as c, hex(b) as d from (${blobs(9_000)})`],
];

for (const [name, text] of hungry) {
  test(`${name} beyond the memory ends that call and nothing else`, async () => {
    const other = server.exec('a', 'select count(*) as n from t');
    const answer = await server.exec('b', text);
    // What does not fit an answer may be refused for that before.
    assert.ok(answer === HUNGRY || /^-32008 /.test(answer), JSON.stringify(answer).slice(0, 200));
    assert.equal(await other, rows([{ n: 150 }]));
    assert.equal(await server.exec('b', 'select 1 as n'), rows([{ n: 1 }]));
  });
}

test('temporary tables of a sound size work, and so does what rewrites the file', async () => {
  await server.exec('a', 'delete from t where rowid > 50');
  const text = `create temp table few as ${blobs(10)}; create index i on t (b); reindex; select count(*) as n from few`;
  assert.equal(await server.exec('a', text), rows([{ n: 10 }]));
  assert.equal(await server.exec('a', 'select count(*) as n from few'), rows([{ n: 10 }]));
  assert.equal(await server.exec('a', 'vacuum'), rows([]));
  assert.equal(await server.exec('a', 'select count(*) as n from few'), rows([{ n: 10 }]));
  assert.ok(statSync(file('a')).size <= QUOTA, 'no way round the limit');
});

test.run();

for (const dialect of ['sqlite', 'postgres'] as const) {
  const counts = suite(`quotas: number of databases (${dialect})`);

  counts(
    'a token creates as many databases as it may, and all tokens together no more than may be',
    async () => {
      const config = { db: { max_databases_per_token: 1, max_databases: 3 } };
      const own = await dbServer(config, { dialect });
      try {
        const words = ['create', 'update', 'delete'].map((db) => ({ db }));
        const newToken = () => own.app.token([{ scopes: ['global'], permissions: words }]);
        const [greedy, modest, third] = await Promise.all([newToken(), newToken(), newToken()]);
        const create = async (token: string, name: string) => {
          const made = await own.outcome('db_create', [token, name]);
          return made.success ?? made;
        };
        assert.is(await create(greedy, 'a'), true);
        const refused = await create(greedy, 'b');
        assert.match(
          refused,
          '108 Invalid input: this token, with the tokens that it created, holds 1 database',
        );
        assert.match(refused, 'max_databases_per_token under [db]');
        // Another name does not make room, a deletion does, and others are not concerned.
        assert.is((await own.outcome('db_update', [greedy, 'a', 'c'])).success, true);
        assert.is(await create(greedy, 'b'), refused);
        assert.is((await own.outcome('db_delete', [greedy, 'c'])).success, true);
        assert.is(await create(greedy, 'b'), true);
        assert.is(await create(modest, 'm'), true);
        for (const name of ['s', 't'])
          assert.is((await own.asSuper('db_create', name)).success, true);
        assert.match(await create(third, 'u'), 'max_databases under [db]');
      } finally {
        await own.app.stop();
      }
    },
  );

  counts.run();
}

/** What the drivers need of their libraries beyond the published types (`quirks.ts`): fails when a library changes it. */
import knexFactory from 'knex';
import pg from 'pg';
import * as assert from 'uvu/assert';
import {
  arrayParser,
  isSpoiled,
  PostgresDialect,
  poolOf,
  SafeCursor,
  spoil,
  TextQuery,
} from '../../plugins/database-postgres/src/quirks.ts';
import {
  BEGIN,
  holdingConnection,
  type KnexQuery,
  SqliteDialect,
} from '../../plugins/database-sqlite/src/quirks.ts';
import { suite } from '../runner/suite.ts';
import { failure, knexOf, until, withDatabase } from './database-kit.ts';

const sqlite = suite('quirks of knex (sqlite)');

/** knex over a connection that only notes what it is sent. */
function recorder() {
  const sent: string[] = [];
  class Recorder extends SqliteDialect {
    _driver() {
      return {};
    }
    override async acquireRawConnection() {
      return {};
    }
    override async validateConnection() {
      return true;
    }
    override async destroyRawConnection() {}
    async _query(_connection: unknown, query: KnexQuery) {
      sent.push(query.sql);
      query.response = [];
      return query;
    }
  }
  const knex = knexFactory({
    client: Recorder,
    connection: { filename: 'nowhere' },
    useNullAsDefault: true,
    pool: { min: 0, max: 1 },
  });
  return { knex, sent };
}

sqlite('every statement goes through _query, with the driver never loaded', async () => {
  const { knex, sent } = recorder();
  assert.equal(await knex('thing').where({ id: 1 }).select('name'), []);
  assert.equal(sent, ['select `name` from `thing` where `id` = ?']);
  await knex.destroy();
});

sqlite('a transaction begins with one known statement', async () => {
  const { knex, sent } = recorder();
  await knex.transaction(async (trx) => trx.raw('select 1'));
  assert.equal(sent, [BEGIN, 'select 1', 'COMMIT;']);
  await knex.destroy();
});

sqlite('while the connection is held no transaction begins', async () => {
  const { knex, sent } = recorder();
  let begun: Promise<unknown> = Promise.resolve();
  await holdingConnection(knex, async () => {
    begun = knex.transaction(async (trx) => trx.raw('select 1'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(sent, []);
  });
  await begun;
  assert.is(sent.length, 3);
  await knex.destroy();
});
sqlite.run();

const postgres = suite('quirks of pg and knex (postgres)');

postgres('the pool lends a connection with its socket, and drops one that was spoiled', () =>
  withDatabase(
    'postgres',
    async (db) => {
      const pool = poolOf(knexOf(db));
      const pidOf = async () =>
        (await db.first<{ pid: number }>('select pg_backend_pid() as pid'))?.pid;
      const before = await pidOf();
      const connection = await pool.acquireConnection();
      assert.type(connection.connection.stream.destroy, 'function');
      assert.not(isSpoiled(connection));
      const running = failure(connection.query('select pg_sleep(30)'));
      spoil(connection, new Error('for the test'));
      await running;
      await pool.releaseConnection(connection);
      assert.is.not(await pidOf(), before);
    },
    { max_connections: 1 },
  ),
);

postgres('cancelQuery ends the statement and leaves the connection', () =>
  withDatabase('postgres', async (db) => {
    const pool = poolOf(knexOf(db));
    const connection = await pool.acquireConnection();
    let ended: (Error & { code?: unknown }) | undefined;
    void failure(connection.query('select pg_sleep(30)')).then((error) => {
      ended = error;
    });
    // What is sent later may come first.
    const sleeping = `select 1 from pg_stat_activity
      where datname = current_database() and query = 'select pg_sleep(30)' and state = 'active'`;
    await until(async () => (await db.all(sleeping)).length > 0);
    await pool.cancelQuery(connection);
    await until(() => ended !== undefined);
    assert.is(ended?.code, '57014');
    assert.equal((await connection.query('select 7 as seven')).rows, [{ seven: 7 }]);
    await pool.releaseConnection(connection);
  }),
);

postgres('a query that takes rows itself is handed each of them', () =>
  withDatabase('postgres', async (db) => {
    assert.type((pg.Query.prototype as { handleDataRow?: unknown }).handleDataRow, 'function');
    const pool = poolOf(knexOf(db));
    const connection = await pool.acquireConnection();
    const texts = await new Promise((resolve, reject) => {
      const query: TextQuery = new TextQuery(
        { text: "select 'a' union all select 'b'", values: [] },
        (error) => (error ? reject(error) : resolve(query.texts)),
      );
      query.room = 100;
      connection.query(query);
    });
    assert.equal(texts, ['a', 'b']);
    await pool.releaseConnection(connection);
  }),
);

postgres('pg calls what a cursor has as its callback when its own timer is set', () =>
  withDatabase('postgres', async (db) => {
    const pool = poolOf(knexOf(db));
    const connection = await pool.acquireConnection();
    const cursor = new SafeCursor('select 1', [], { rowMode: 'array', types: pg.types as never });
    const own = cursor.callback;
    connection.query(cursor);
    assert.is.not(cursor.callback, own, 'pg has put the end of its timer there');
    cursor.callback();
    await cursor.close();
    await pool.releaseConnection(connection);
  }),
);

postgres('a cursor tells the database the types of its values, once', () =>
  withDatabase('postgres', async (db) => {
    const pool = poolOf(knexOf(db));
    const connection = await pool.acquireConnection();
    const types = async (valueTypes: number[]) => {
      const options = { rowMode: 'array', types: pg.types as never } as const;
      const cursor = new SafeCursor('select pg_typeof($1)::text', [7], options);
      cursor.valueTypes = valueTypes;
      connection.query(cursor);
      const rows = await new Promise<unknown[][]>((resolve, reject) =>
        cursor.read(1, (error, found) => (error ? reject(error) : resolve(found))),
      );
      await cursor.close();
      return rows[0]?.[0];
    };
    assert.is(await types([20]), 'bigint');
    assert.is(await types([701]), 'double precision');
    const { rows } = await connection.query('select pg_typeof($1::int2)::text as t', [7]);
    assert.is(rows[0]?.['t'], 'smallint', 'other statements are as before');
    await pool.releaseConnection(connection);
  }),
);

postgres('array literals are parsed, and the client of knex has what is overridden', () => {
  assert.equal(arrayParser.create('{1,2,NULL}', Number).parse(), [1, 2, null]);
  const { prototype } = PostgresDialect as unknown as { prototype: Record<string, unknown> };
  for (const name of ['acquireRawConnection', 'destroyRawConnection', 'cancelQuery', 'query'])
    assert.type(prototype[name], 'function', name);
});
postgres.run();

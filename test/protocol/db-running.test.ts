// proof: 8
// db.md §1.4, §4.4 to §4.7, §5: statements that take long, transactions, renames and deletions meanwhile, idle connections.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { oneDialect } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { type DbServer, dbServer, ENDLESS, rows } from './db-kit.ts';

const TIMEOUT_MS = 2_500;
/** A statement of some tens of milliseconds. */
const slowInsert = `insert into t select count(*) from (
  with recursive c(n) as (select 1 union all select n + 1 from c limit 100000) select n from c)`;

for (const dialect of oneDialect) {
  const test = suite(`db: running (${dialect})`);
  let server: DbServer;
  let last = 0;

  test.before(async () => {
    const db = { statement_timeout_ms: TIMEOUT_MS, transaction_idle_ms: 5_000 };
    server = await dbServer({ db }, { dialect, clock: true });
  });
  test.after(() => server.app.stop());

  /** For what the kind of the main database cannot touch. */
  const once = dialect === 'sqlite' ? test : () => {};

  /** A fresh database with an empty table `t`, open on one connection. */
  const fresh = async (): Promise<string> => {
    const name = `d${++last}`;
    await server.asSuper('db_create', name);
    await server.exec(name, 'create table t (n)');
    return name;
  };
  /** Calls of one socket begin in order; of two connections either may be heard first. */
  const inOrder = async () => {
    const socket = await server.app.connect();
    const call = (method: string, ...rest: unknown[]): Promise<any> =>
      socket
        .call(method, [server.app.superToken, ...rest])
        .catch(({ code, message }) => `${code} ${message}`);
    return { call, close: () => socket.close() };
  };
  const gone = (answer: unknown) => /^103 .*not found$/.test(String(answer));
  const settled = async (work: Promise<unknown>): Promise<boolean> =>
    (await Promise.race([work.then(() => true), new Promise((r) => setImmediate(r, false))])) ===
    true;

  once('a statement is ended at its time, and the database goes on', async () => {
    const name = await fresh();
    assert.match(await server.exec(name, ENDLESS), /^999 Other error: .*ended after 2500 ms/);
    await server.exec(name, 'insert into t values (1)');
    assert.equal(await server.exec(name, 'select n from t'), rows([{ n: 1 }]));
    await server.asSuper('db_delete', name);
  });

  once(
    'a statement that writes and is ended leaves nothing, and what waited behind it runs',
    async () => {
      const name = await fresh();
      const slow = server.exec(name, `insert into t ${ENDLESS}`);
      const behind = server.exec(name, 'insert into t values (2) returning n');
      assert.match(await slow, /^999 .*ended after/);
      assert.equal(await behind, rows([{ n: 2 }]));
      assert.equal(await server.exec(name, 'select n from t'), rows([{ n: 2 }]));
      await server.asSuper('db_delete', name);
    },
  );

  test('a rename waits for what runs, and loses nothing', async () => {
    const name = await fresh();
    const { call, close } = await inOrder();
    const inserts = [1, 2, 3].map(() => call('db_exec_sql', name, slowInsert));
    const renamed = call('db_update', name, `${name}-new`);
    const answers = await Promise.all(inserts);
    // One whose look into the registry took longer than the rename comes too late.
    for (const answer of answers) assert.ok(answer.success || gone(answer), String(answer));
    assert.is((await renamed).success, true);
    const count = await server.exec(`${name}-new`, 'select count(*) as n from t');
    assert.equal(count, rows([{ n: answers.filter(({ success }) => success).length }]));
    assert.not(existsSync(join(server.app.dir, 'db', `${name}.db`)));
    await server.asSuper('db_delete', `${name}-new`);
    close();
  });

  test('a rename and a deletion wait for a transaction, whose owner goes on in it', async () => {
    const token = await server.user();
    for (const method of ['db_update', 'db_delete']) {
      const name = await fresh();
      const own = (sql: string) => server.outcome('db_exec_sql', [token, name, sql]);
      assert.equal(await own('begin'), rows([]));
      const rest = method === 'db_update' ? [`${name}-new`] : [];
      const change = server.asSuper(method, name, ...rest);
      assert.equal(await own(slowInsert), rows([]));
      assert.not(await settled(change), 'the transaction is still open');
      assert.equal(await own('commit'), rows([]));
      assert.is((await change).success, true);
      assert.not(existsSync(join(server.app.dir, 'db', `${name}.db`)));
      if (method === 'db_delete') continue;
      const count = await server.exec(`${name}-new`, 'select count(*) as n from t');
      assert.equal(count, rows([{ n: 1 }]));
      await server.asSuper('db_delete', `${name}-new`);
    }
  });

  test('a rename after a statement was ended by force loses nothing', async () => {
    const name = await fresh();
    await server.exec(name, 'insert into t values (1)');
    await server.exec(name, ENDLESS);
    assert.is((await server.asSuper('db_update', name, `${name}-new`)).success, true);
    assert.equal(await server.exec(`${name}-new`, 'select n from t'), rows([{ n: 1 }]));
    await server.asSuper('db_delete', `${name}-new`);
  });

  test('a deletion waits for what runs; what comes behind it is 103 and makes no file', async () => {
    const name = await fresh();
    const { call, close } = await inOrder();
    const insert = call('db_exec_sql', name, slowInsert);
    const deleted = call('db_delete', name);
    const behind = Array.from({ length: 5 }, () =>
      call('db_exec_sql', name, 'insert into t values (1)'),
    );
    for (const answer of await Promise.all([insert, ...behind])) {
      assert.ok(answer.success === true || gone(answer), String(answer));
    }
    assert.equal(await deleted, { success: true });
    assert.not(existsSync(join(server.app.dir, 'db', `${name}.db`)));
    close();
  });

  once('a transaction that a failed call left open is rolled back', async () => {
    const name = await fresh();
    const failed = 'begin; insert into t values (1); insert into nowhere values (2); commit';
    assert.match(await server.exec(name, failed), /^999 .*no such table/);
    assert.equal(await server.exec(name, 'select n from t'), rows([]));
    assert.equal(await server.exec(name, 'begin; insert into t values (3); commit'), rows([]));
    assert.equal(await server.exec(name, 'select n from t'), rows([{ n: 3 }]));
    await server.asSuper('db_delete', name);
  });

  once('a transaction over several calls belongs to its caller', async () => {
    const name = await fresh();
    const [a, b] = [await server.user(), await server.user()];
    const as = (token: string, sql: string) => server.outcome('db_exec_sql', [token, name, sql]);
    await as(a, 'begin');
    await as(a, 'insert into t values (1)');
    assert.equal(await as(a, 'select n from t'), rows([{ n: 1 }]), 'its caller sees it');
    assert.equal(await as(b, 'select n from t'), rows([]), 'no other connection does');
    const waiting = as(b, 'insert into t values (2)');
    assert.equal(await as(a, 'rollback'), rows([]));
    assert.equal(await waiting, rows([]));
    assert.equal(await as(a, 'select n from t'), rows([{ n: 2 }]), "the other's write stayed");
    await server.asSuper('db_delete', name);
  });

  once('an error inside an open transaction leaves it open', async () => {
    const name = await fresh();
    await server.exec(name, 'begin');
    await server.exec(name, 'insert into t values (1)');
    assert.match(await server.exec(name, 'insert into nowhere values (1)'), /^999 /);
    assert.equal(await server.exec(name, 'commit'), rows([]));
    assert.equal(await server.exec(name, 'select n from t'), rows([{ n: 1 }]));
    await server.asSuper('db_delete', name);
  });

  once('a transaction that its caller forgets is rolled back, and others go on', async () => {
    const name = await fresh();
    const [a, b] = [await server.user(), await server.user()];
    await server.outcome('db_exec_sql', [a, name, 'begin; insert into t values (1)']);
    const write = server.outcome('db_exec_sql', [b, name, 'insert into t values (2)']);
    assert.equal(await server.exec(name, 'select n from t'), rows([]));
    await server.app.clock.advance(4_999);
    assert.not(await settled(write), 'the transaction still has time');
    await server.app.clock.advance(1);
    assert.equal(await write, rows([]));
    assert.equal(await server.exec(name, 'select n from t'), rows([{ n: 2 }]));
    const late = await server.outcome('db_exec_sql', [a, name, 'commit']);
    assert.match(late, /^999 .*no transaction is active/);
    await server.asSuper('db_delete', name);
  });

  once('what a connection remembers is there for the next call', async () => {
    const name = await fresh();
    await server.exec(name, 'insert into t values (1)');
    assert.equal(await server.exec(name, 'select last_insert_rowid() as n'), rows([{ n: 1 }]));
    await server.exec(name, 'create temp table mine (n); insert into mine values (5)');
    assert.equal(await server.exec(name, 'select n from mine'), rows([{ n: 5 }]));
    await server.asSuper('db_delete', name);
  });

  test.run();
}

const waits = suite('db: waiting');
waits('a call waits for the connection no longer than configured', async () => {
  const server = await dbServer({ db: { wait_timeout_ms: 300 } }, { dialect: 'sqlite' });
  try {
    await server.asSuper('db_create', 'x');
    await server.exec('x', 'create table t (n)');
    const socket = await server.app.connect();
    const call = (method: string, ...rest: unknown[]): Promise<any> =>
      socket.call(method, [server.app.superToken, 'x', ...rest]).catch(({ message }) => message);
    const slow = { id: 1, method: 'db_exec_sql', params: [server.app.superToken, 'x'] };
    slow.params.push(`insert into t ${ENDLESS}`);
    socket.send(JSON.stringify({ jsonrpc: '2.0', ...slow }));
    const late = await call('db_exec_sql', 'insert into t values (1)');
    assert.match(late, /^Other error: no connection .*within 300 ms/);
    assert.match(await call('db_update', 'y'), /no connection .*within 300 ms/);
    // The slow one goes with its caller.
    socket.close();
    assert.equal(await server.exec('x', 'select n from t'), rows([]));
  } finally {
    await server.app.stop();
  }
});

waits('a slow statement delays no other call: not on its database, not on another', async () => {
  const server = await dbServer({}, { dialect: 'sqlite' });
  const exec = (...params: unknown[]) => server.asSuper('db_exec_sql', ...params);
  try {
    for (const name of ['slow', 'other']) {
      await server.asSuper('db_create', name);
      await server.exec(name, 'create table t (n)');
    }
    const socket = await server.app.connect();
    let ended = false;
    socket.raw.on('message', () => {
      ended = true;
    });
    const params = [server.app.superToken, 'slow', ENDLESS];
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'db_exec_sql', params }));
    const calls: [string, string, unknown[]][] = [
      ['slow', 'select count(*) as n from t', [{ n: 0 }]],
      ['slow', 'insert into t values (1)', []],
      ['slow', 'select n from t', [{ n: 1 }]],
      ['other', 'insert into t values (2) returning n', [{ n: 2 }]],
    ];
    for (const [name, sql, data] of calls) {
      assert.equal(await exec(name, sql), rows(data));
      assert.not(ended, `${sql} had to wait`);
    }
    socket.close();
  } finally {
    await server.app.stop();
  }
});

waits('a caller that goes away takes its statement along', async () => {
  const server = await dbServer({}, { dialect: 'sqlite' });
  try {
    await server.asSuper('db_create', 'x');
    await server.exec('x', 'create table t (n)');
    const socket = await server.app.connect();
    const sql = `insert into t ${ENDLESS}`;
    const params = [server.app.superToken, 'x', sql];
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'db_exec_sql', params }));
    const waiting = server.exec('x', 'insert into t values (1)');
    const since = performance.now();
    socket.close();
    assert.equal(await waiting, rows([]));
    assert.ok(performance.now() - since < 20_000, 'it ran to its end, at 30 s');
    assert.equal(await server.exec('x', 'select n from t'), rows([{ n: 1 }]));
  } finally {
    await server.app.stop();
  }
});

waits('more databases than processes take turns', async () => {
  const server = await dbServer({ db: { max_processes: 1 } }, { dialect: 'sqlite' });
  try {
    for (const name of ['a', 'b', 'c']) {
      await server.asSuper('db_create', name);
      await server.exec(name, `create table t as select '${name}' as n`);
    }
    const read = (name: string) => server.exec(name, 'select n from t');
    const answers = await Promise.all(['a', 'b', 'c', 'a'].map(read));
    assert.equal(
      answers,
      ['a', 'b', 'c', 'a'].map((n) => rows([{ n }])),
    );
  } finally {
    await server.app.stop();
  }
});

waits(
  'an idle connection is closed without losing anything; an own limit comes first',
  async () => {
    const server = await dbServer({}, { dialect: 'sqlite', clock: true });
    try {
      for (const name of ['usual', 'own']) {
        await server.asSuper('db_create', name);
        await server.exec(name, 'create table t (n); insert into t values (1)');
      }
      await server.app.sql("update db_registry set max_lifetime_ms = 60000 where name = 'own'");
      const active = async () => {
        const { data } = await server.asSuper('db_list');
        return Object.fromEntries(
          data.map(({ name, is_active }: { name: string; is_active: boolean }) => [
            name,
            is_active,
          ]),
        );
      };
      const until = async (expected: object, step = async () => {}) => {
        const deadline = Date.now() + 60_000;
        while (
          JSON.stringify(await active()) !== JSON.stringify(expected) &&
          Date.now() < deadline
        ) {
          await step();
          await new Promise((r) => setImmediate(r));
        }
        assert.equal(await active(), expected);
      };
      assert.equal(await active(), { own: true, usual: true });
      await server.app.clock.advance(120_000);
      await until({ own: false, usual: true });
      // A round that still closes connections skips the next one.
      await until({ own: false, usual: false }, () => server.app.clock.advance(60_000));
      assert.not(existsSync(join(server.app.dir, 'db', 'usual.db-wal')), 'closed in order');
      for (const name of ['usual', 'own']) {
        assert.equal(await server.exec(name, 'select n from t'), rows([{ n: 1 }]));
      }
      assert.equal(await active(), { own: true, usual: true });
    } finally {
      await server.app.stop();
    }
  },
);
waits.run();

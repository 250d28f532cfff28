// proof: 5
// db.md §1.2, §4.4, §4.5: registry and files belong together, after a crash and beside another server on the same directory too.

import { existsSync, linkSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { oneDialect } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { type DbServer, dbServer, rows } from './db-kit.ts';

/** The registry refuses every change of a row. */
const trigger = {
  sqlite: {
    on: ['update', 'delete'].map(
      (change) => `create trigger no_${change} before ${change} on db_registry
        begin select raise(abort, 'secret'); end`,
    ),
    off: ['drop trigger no_update', 'drop trigger no_delete'],
  },
  postgres: {
    on: [
      `create function no() returns trigger as $$ begin raise 'secret'; end $$ language plpgsql`,
      'create trigger no before update or delete on db_registry for each row execute function no()',
    ],
    off: ['drop trigger no on db_registry', 'drop function no'],
  },
};

for (const dialect of oneDialect) {
  const test = suite(`db: files (${dialect})`);
  let server: DbServer;

  test.before(async () => {
    server = await dbServer({}, { dialect, clock: true });
  });
  test.after(() => server.app.stop());

  /** For what the kind of the main database cannot touch. */
  const once = dialect === 'sqlite' ? test : () => {};

  const path = (file: string) => join(server.app.dir, 'db', file);
  const files = (part: string) =>
    readdirSync(path('')).filter((file) => file.startsWith(part) && !/-(wal|shm)$/.test(file));
  const fresh = async (name: string) => {
    await server.asSuper('db_create', name);
    await server.exec(name, 'create table t (n); insert into t values (1)');
  };
  /** A change that waits for an open transaction; what it gives commits that, and then has the answer to the change. */
  const behindTransaction = async (name: string, method: string, ...params: string[]) => {
    const token = await server.user();
    const run = (on: string, sql: string) => server.outcome('db_exec_sql', [token, on, sql]);
    assert.equal(await run(name, 'begin; insert into t values (2)'), rows([]));
    const socket = await server.app.connect();
    const call = (method: string, ...rest: string[]): Promise<any> =>
      socket
        .call(method, [server.app.superToken, ...rest])
        .catch(({ code, message }) => `${code} ${message}`);
    const change = call(method, ...params);
    // Calls of one socket begin in order: this answer says that the change has begun.
    await call('db_read', name);
    return async (by = name) => {
      assert.equal(await run(by, 'commit'), rows([]));
      return change;
    };
  };
  const content = (name: string) => server.exec(name, 'select n from t');

  once('a rename that was cut off before the registry knew of it can be done again', async () => {
    await fresh('cut');
    linkSync(path('cut.db'), path('cut-new.db'));
    assert.equal(await content('cut'), rows([{ n: 1 }]));
    assert.is((await server.asSuper('db_update', 'cut', 'cut-new')).success, true);
    assert.equal(await content('cut-new'), rows([{ n: 1 }]));
    assert.equal(files('cut'), ['cut-new.db']);
    await server.asSuper('db_delete', 'cut-new');
  });

  once('what a cut off rename leaves is never adopted by another database', async () => {
    await fresh('left');
    linkSync(path('left.db'), path('right.db'));
    assert.is((await server.asSuper('db_create', 'right')).success, true);
    assert.match(await content('right'), /^999 .*no such table/);
    await server.exec('right', 'create table t (n)');
    assert.equal(await content('left'), rows([{ n: 1 }]));
    for (const name of ['left', 'right']) await server.asSuper('db_delete', name);
  });

  once('a log that lies under the new name is not taken for its own', async () => {
    await fresh('own');
    writeFileSync(path('foreign.db-wal'), 'the log of some other file');
    assert.is((await server.asSuper('db_update', 'own', 'foreign')).success, true);
    assert.equal(await content('foreign'), rows([{ n: 1 }]));
    await server.asSuper('db_delete', 'foreign');
  });

  once('a deletion leaves no file, and its name begins anew', async () => {
    await fresh('gone');
    writeFileSync(path('gone.db-deleted'), 'from a deletion that was cut off');
    assert.equal(await server.asSuper('db_delete', 'gone'), { success: true });
    assert.equal(files('gone'), []);
    await server.asSuper('db_create', 'gone');
    assert.match(await content('gone'), /^999 .*no such table/);
    await server.asSuper('db_delete', 'gone');
  });

  test('a deletion spares what another server has renamed meanwhile', async () => {
    await fresh('before');
    const go = await behindTransaction('before', 'db_delete', 'before');
    await server.app.sql("update db_registry set name = 'after' where name = 'before'");
    assert.match(await go('after'), /^105 .*'before' not found/);
    renameSync(path('before.db'), path('after.db'));
    const count = await server.exec('after', 'select count(*) as n from t');
    assert.equal(count, rows([{ n: 2 }]));
    await server.asSuper('db_delete', 'after');
  });

  test('a rename that the registry refuses leaves file and name as they were', async () => {
    await fresh('stays');
    const go = await behindTransaction('stays', 'db_update', 'stays', 'taken');
    // Registered by another server, which has not made its file yet.
    const values = "('taken', 1, 1)";
    await server.app.sql(
      `insert into db_registry (name, db_connections, created_at) values ${values}`,
    );
    assert.match(await go(), /^108 .*'taken' already exists/);
    assert.equal([existsSync(path('stays.db')), existsSync(path('taken.db'))], [true, false]);
    const count = await server.exec('stays', 'select count(*) as n from t');
    assert.equal(count, rows([{ n: 2 }]));
    for (const name of ['stays', 'taken']) await server.asSuper('db_delete', name);
  });

  test('a failing registry is 103 with a neutral text, and loses nothing', async () => {
    await fresh('kept');
    const calls: [string, unknown[], RegExp][] = [
      ['db_delete', ['kept'], /^103 Database error: Failed to delete database$/],
      [
        'db_update',
        ['kept', 'new'],
        /^103 Database error: Failed to update registry after rename$/,
      ],
    ];
    for (const sql of trigger[dialect].on) await server.app.sql(sql);
    for (const [method, params, expected] of calls) {
      assert.match(await server.asSuper(method, ...params), expected);
      assert.equal(files(''), ['kept.db']);
      assert.equal(await content('kept'), rows([{ n: 1 }]), method);
    }
    for (const sql of trigger[dialect].off) await server.app.sql(sql);
    await server.asSuper('db_delete', 'kept');
  });

  test.run();
}

// db.md §1 to §4: the registry. Tables read: [what holds, method, parameters behind the credential, expected].
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { CREDENTIAL, type DbServer, dbServer, PARAMS, rows, WRONG } from './db-kit.ts';

const EMPTY = '108 Invalid input: db name cannot be empty';
const LONG = '108 Invalid input: db name too long (max 128 chars)';
const CHARACTERS =
  '108 Invalid input: db name contains invalid characters (only [A-Za-z0-9_.-] allowed)';
const DOTS = "108 Invalid input: db name cannot be '.' or '..'";
const missing = (name: string) => `105 Not found in database: Database '${name}' not found`;
const exists = (name: string) => `108 Invalid input: Database '${name}' already exists`;

type Case = [name: string, method: string, params: unknown[], expected: unknown];

/** On one database, `kept`. Nothing here changes anything. */
const cases: Case[] = [
  ['an empty name', 'db_create', [''], EMPTY],
  ['129 bytes', 'db_create', ['a'.repeat(129)], LONG],
  ['a slash', 'db_create', ['a/b'], CHARACTERS],
  ['a backslash', 'db_create', ['a\\b'], CHARACTERS],
  ['a way out', 'db_create', ['../out'], CHARACTERS],
  ['U+0000', 'db_create', ['a\0'], CHARACTERS],
  ['a line break at the end', 'db_create', ['a\n'], CHARACTERS],
  ['a blank, not trimmed', 'db_create', [' a'], CHARACTERS],
  ['a letter beyond ASCII', 'db_create', ['ü'], CHARACTERS],
  ['one dot', 'db_create', ['.'], DOTS],
  ['two dots', 'db_create', ['..'], DOTS],
  ['a registered name', 'db_create', ['kept'], exists('kept')],
  ['no name', 'db_create', [], PARAMS],
  ['a number as name', 'db_create', [1], PARAMS],
  ['reading an unknown name', 'db_read', ['none'], missing('none')],
  ['names are case-sensitive', 'db_read', ['Kept'], missing('Kept')],
  ['reading knows no name rule', 'db_read', ['a/b'], missing('a/b')],
  ['reading U+0000', 'db_read', ['a\0'], missing('a\0')],
  ['renaming to an ill-formed name', 'db_update', ['kept', 'a/b'], CHARACTERS],
  ['the name rule comes before the look-up', 'db_update', ['none', ''], EMPTY],
  ['only the new name has a rule', 'db_update', ['a/b', 'fine'], missing('a/b')],
  ['renaming an unknown name', 'db_update', ['none', 'fine'], missing('none')],
  ['renaming to itself', 'db_update', ['kept', 'kept'], exists('kept')],
  ['no new name', 'db_update', ['kept'], PARAMS],
  ['deleting an ill-formed name', 'db_delete', ['..'], DOTS],
  ['deleting an unknown name', 'db_delete', ['none'], missing('none')],
  [
    'SQL on an unknown name is 103',
    'db_exec_sql',
    ['none', 'select 1'],
    "103 Database error: Database 'none' not found",
  ],
  [
    'the unknown name comes before the type of params',
    'db_exec_sql',
    ['none', 'select 1', {}],
    "103 Database error: Database 'none' not found",
  ],
  ['SQL must be a string', 'db_exec_sql', ['kept', 1], PARAMS],
  ['SQL must be given', 'db_exec_sql', ['kept'], PARAMS],
];

const entry = (scope: unknown, ...permissions: string[]) => ({
  scopes: [scope],
  permissions: permissions.map((word) => ({ db: word })),
});
const requires = (action: string, name: string) =>
  `102 Permission denied: Permission Denied: Requires Db::${action} on Scope::Db(${name})`;
const everything = ['create', 'read', 'update', 'delete', 'exec_sql', 'list'];
const but = (word: string) => everything.filter((one) => one !== word);

/** [what holds, limits, method, parameters, expected]. */
const rights: [string, unknown[], string, unknown[], unknown][] = [
  ['create', [entry('global', ...but('create'))], 'db_create', ['x'], requires('Create', 'x')],
  ['read', [entry('global', ...but('read'))], 'db_read', ['kept'], requires('Read', 'kept')],
  [
    'update',
    [entry('global', ...but('update'))],
    'db_update',
    ['kept', 'x'],
    requires('Update', 'kept'),
  ],
  [
    'delete',
    [entry('global', ...but('delete'))],
    'db_delete',
    ['kept'],
    requires('Delete', 'kept'),
  ],
  [
    'exec_sql',
    [entry('global', ...but('exec_sql'))],
    'db_exec_sql',
    ['kept', 'select 1'],
    requires('ExecSql', 'kept'),
  ],
  [
    'list',
    [entry('global', ...but('list'))],
    'db_list',
    [],
    '102 Permission denied: Permission Denied: Requires Db::List in Global scope',
  ],
  [
    'list in global scope',
    [entry({ db: '*' }, 'list')],
    'db_list',
    [],
    '102 Permission denied: Permission Denied: Requires Db::List in Global scope',
  ],
  [
    'the old name of a rename',
    [entry({ db: 'x' }, 'update')],
    'db_update',
    ['kept', 'x'],
    requires('Update', 'kept'),
  ],
  [
    'the new name of a rename',
    [entry({ db: 'kept' }, 'update')],
    'db_update',
    ['kept', 'x'],
    requires('Update', 'x'),
  ],
  [
    'the right before the name rule',
    [entry({ db: 'kept' }, 'create')],
    'db_create',
    ['a/b'],
    requires('Create', 'a/b'),
  ],
  [
    'a scope that covers the name',
    [entry({ db: 'metrics_*' }, 'read')],
    'db_read',
    ['kept'],
    requires('Read', 'kept'),
  ],
];

const names: [string, string][] = [
  ['one character', 'a'],
  ['128 bytes', 'b'.repeat(128)],
  ['three dots', '...'],
  ['a leading dot', '.hidden'],
  ['a leading dash', '-x'],
  ['every allowed character', 'AZaz09_-.'],
  ['a name like a file beside another database', 'kept.db-wal'],
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`db (${dialect})`);
  let server: DbServer;
  const directory = () => join(server.app.dir, 'db');

  test.before(async () => {
    server = await dbServer({}, { dialect });
    await server.asSuper('db_create', 'kept');
  });
  test.after(() => server.app.stop());

  const state = async () => [
    await server.app.sql('select name, db_connections from db_registry order by name'),
    readdirSync(directory()).filter((file) => file.endsWith('.db')),
  ];

  for (const [name, method, params, expected] of cases) {
    test(`${method} refuses ${name}`, async () => {
      const before = await state();
      assert.is(await server.asSuper(method, ...params), expected);
      assert.equal(await state(), before);
    });
  }

  for (const [name, limits, method, params, expected] of rights) {
    test(`${method} needs ${name}`, async () => {
      const before = await state();
      const token = await server.app.token(limits);
      assert.equal(await server.outcome(method, [token, ...params]), expected);
      assert.equal(await state(), before);
    });
  }

  test('a prefix scope covers what begins so', async () => {
    const token = await server.app.token([entry({ db: 'ke*' }, 'read', 'exec_sql')]);
    assert.is((await server.outcome('db_read', [token, 'kept'])).success, true);
    const answer = await server.outcome('db_exec_sql', [token, 'kept', 'select 1 as n']);
    assert.equal(answer, rows([{ n: 1 }]));
  });

  test('credentials are judged before everything but the parameters', async () => {
    for (const method of ['db_create', 'db_read', 'db_delete']) {
      assert.is(await server.outcome(method, ['no credential', 'a/b']), CREDENTIAL, method);
      assert.is(await server.outcome(method, ['nobody:x', 'a/b']), WRONG, method);
    }
    assert.is(await server.outcome('db_list', ['nobody:x']), WRONG);
    assert.is(await server.outcome('db_update', ['nobody:x', 'kept', '']), WRONG);
    assert.is(await server.outcome('db_exec_sql', ['nobody:x', 'none', 'select 1']), WRONG);
  });

  for (const [what, name] of names) {
    test(`${what} is a name`, async () => {
      const made = await server.asSuper('db_create', name);
      const file_path = `${directory()}/${name}.db`;
      assert.equal(made, { success: true, data: { name, file_path } });
      assert.ok(existsSync(file_path));
      assert.equal(await server.asSuper('db_delete', name), { success: true });
      assert.not(existsSync(file_path));
    });
  }

  test('no text but a sound name becomes a file, and none outside the directory', async () => {
    const allowed = /^[A-Za-z0-9_.-]{1,128}$/;
    const part = fc.constantFrom('..', '/', '\\', '.', 'a', '\0', '%2e', ':', '~', '\n', ' ', 'é');
    const hostile = fc
      .array(part, { maxLength: 6 })
      .map((parts) => parts.join(''))
      .filter((text) => !allowed.test(text) || text === '.' || text === '..');
    const before = await state();
    await fc.assert(
      fc.asyncProperty(hostile, async (name) => {
        assert.match(await server.asSuper('db_create', name), /^108 Invalid input: db name/);
        assert.match(await server.asSuper('db_delete', name), /^108 Invalid input: db name/);
        assert.match(
          await server.asSuper('db_update', 'kept', name),
          /^108 Invalid input: db name/,
        );
      }),
      { numRuns: 40 },
    );
    assert.equal(await state(), before);
  });

  test('a database is created, read, listed, renamed and deleted', async () => {
    const { asSuper, exec } = server;
    await asSuper('db_create', 'life');
    const { data: read } = await asSuper('db_read', 'life');
    assert.equal(Object.keys(read).sort(), ['active', 'created_at', 'id', 'name']);
    assert.equal([read.name, read.active], ['life', true]);
    assert.ok(Math.abs(Date.now() - read.created_at) < 60_000);
    await exec('life', 'create table t (n); insert into t values (7)');
    const renamed = await asSuper('db_update', 'life', 'after-life');
    const { id, created_at } = read;
    assert.equal(renamed, { success: true, data: { id, name: 'after-life', created_at } });
    assert.is(await asSuper('db_read', 'life'), missing('life'));
    assert.equal(await exec('after-life', 'select n from t'), rows([{ n: 7 }]));
    const { data: list } = await asSuper('db_list');
    assert.equal(
      list.map(({ name }: { name: string }) => name),
      ['after-life', 'kept'],
    );
    assert.equal(list[0], {
      id,
      name: 'after-life',
      file_path: `${directory()}/after-life.db`,
      db_connections: 2,
      max_lifetime_ms: null,
      created_at,
      is_active: true,
    });
    assert.equal(await asSuper('db_delete', 'after-life'), { success: true });
    assert.match(await exec('after-life', 'select 1'), /^103 /);
    assert.equal(
      readdirSync(directory()).filter((file) => file.includes('life')),
      [],
    );
  });

  test('the list is in byte order', async () => {
    const wanted = ['B', 'Z9', '_x', 'a', 'b-1', 'b.1'];
    const rows = wanted.toReversed().map((name) => `('${name}', 1)`);
    await server.app.sql(`insert into db_registry (name, created_at) values ${rows.join()}`);
    const { data } = await server.asSuper('db_list');
    const listed = data.map(({ name }: { name: string }) => name);
    assert.equal(listed, [...wanted, 'kept'].sort());
    await server.app.sql('delete from db_registry where created_at = 1');
  });

  test('a file that lies there is adopted with what is in it', async () => {
    const { asSuper, exec } = server;
    await asSuper('db_create', 'adopted');
    await exec('adopted', 'create table t (n); insert into t values (1)');
    await server.app.sql("delete from db_registry where name = 'adopted'");
    assert.match(await exec('adopted', 'select 1'), /^103 /);
    await asSuper('db_create', 'adopted');
    assert.equal(await exec('adopted', 'select n from t'), rows([{ n: 1 }]));
    await asSuper('db_delete', 'adopted');
  });

  test('a file that is no database is 999, is left alone, and is tried again', async () => {
    const { asSuper, exec } = server;
    const file = join(directory(), 'broken.db');
    writeFileSync(
      file,
      'this is no database, but longer than the header of one would be '.repeat(20),
    );
    assert.match(await asSuper('db_create', 'broken'), /^999 Other error: .*not a database/);
    assert.match(await asSuper('db_read', 'broken'), /^105 /);
    assert.ok(existsSync(file));
    rmSync(file);
    assert.is((await asSuper('db_create', 'broken')).success, true);
    assert.equal(await exec('broken', 'select 1 as n'), rows([{ n: 1 }]));
    await asSuper('db_delete', 'broken');
  });

  test('a rename never takes the place of another file', async () => {
    const { asSuper, exec } = server;
    writeFileSync(join(directory(), 'stranger.db'), 'precious');
    const before = await state();
    assert.match(
      await asSuper('db_update', 'kept', 'stranger'),
      /^101 IO error: Failed to rename db file/,
    );
    assert.equal(await state(), before);
    assert.equal(await exec('kept', 'select 1 as n'), rows([{ n: 1 }]));
    rmSync(join(directory(), 'stranger.db'));
    mkdirSync(join(directory(), 'folder.db'));
    assert.match(await asSuper('db_update', 'kept', 'folder'), /^101 /);
    rmSync(join(directory(), 'folder.db'), { recursive: true });
  });

  test('of two creations at once, one is told that the name is taken', async () => {
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => server.asSuper('db_create', 'race')),
    );
    assert.is(answers.filter((answer) => answer.success).length, 1);
    assert.is(answers.filter((answer) => answer === exists('race')).length, 4);
    await server.asSuper('db_delete', 'race');
  });

  test('a name written into the registry by hand leads nowhere', async () => {
    const evil = '../evil';
    await server.app.sql(
      `insert into db_registry (name, db_connections, created_at) values ('${evil}', 0, 1)`,
    );
    assert.match(await server.exec(evil, 'create table t (n)'), /^103 /);
    assert.match(await server.asSuper('db_update', evil, 'good'), /^108 /);
    assert.match(await server.asSuper('db_delete', evil), /^108 /);
    assert.is((await server.asSuper('db_read', evil)).data.active, false);
    assert.not(existsSync(join(server.app.dir, 'evil.db')));
    await server.app.sql(`delete from db_registry where name = '${evil}'`);
  });

  test('after a restart a database opens with its first use', async () => {
    const { asSuper, exec, app } = server;
    await exec('kept', 'create table survivors (n); insert into survivors values (1)');
    await app.restart();
    assert.is((await asSuper('db_read', 'kept')).data.active, false);
    assert.equal(await exec('kept', 'select n from survivors'), rows([{ n: 1 }]));
    assert.is((await asSuper('db_read', 'kept')).data.active, true);
  });

  test('the directory is made when it is missing', async () => {
    const { asSuper, exec, app } = server;
    await asSuper('db_delete', 'kept');
    await app.restart();
    rmSync(directory(), { recursive: true });
    await asSuper('db_create', 'kept');
    assert.equal(await exec('kept', 'select 1 as n'), rows([{ n: 1 }]));
  });

  test.run();
}

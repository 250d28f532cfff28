// exec_sql of the Super Token: every table of the database, and no file or program of the host.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootForTest, type RpcFailure, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';

/** `{out}`: a folder of the host. */
const attacks = {
  sqlite: [
    "attach '{out}/other.db' as other",
    "/* x */ attach '{out}/other.db' as other",
    'detach main',
    "vacuum into '{out}/copy.db'",
    "vacuum main/**/into '{out}/copy.db'",
    "vacuum into ('{out}/' || 'copy.db')",
    "pragma temp_store_directory = '{out}'",
    "explain pragma temp_store_directory = '{out}'",
    `pragma "data_store_directory" = '{out}'`,
    "pragma writable_schema = 1; update sqlite_schema set sql = 'x'",
    "explain pragma writable_schema = 1; update sqlite_schema set sql = 'x'",
    "select load_extension('{out}/x.so')",
    "select 1; attach '{out}/other.db' as other",
  ],
  postgres: [
    "copy kv to '{out}/copy'",
    "(copy kv from '/etc/passwd')",
    "/* /* */ x */ copy kv from '/etc/passwd'",
    "copy kv from program 'id'",
    "copy (select 1) to program 'cat > {out}/copy'",
    "select pg_read_file('/etc/passwd')",
    `select "pg_read_binary_file"('/etc/passwd')`,
    'select U&"pg_re\\0061d_file"(\'/etc/passwd\')',
    "select pg_ls_dir('/')",
    "select * from pg_stat_file('/etc/passwd')",
    "select lo_import('/etc/passwd')",
    "select lo_export(1, '{out}/copy')",
    "load 'x'",
    "alter system set archive_command = 'id'",
    "alter/**/system set archive_command = 'id'",
    "alter database postgres set session_preload_libraries = 'x'",
    'create extension file_fdw',
    'create extension/**/if not exists dblink',
    'create server s foreign data wrapper w',
    'alter /* /* */ */ system reset all',
    'alter -- /*\n system reset all -- */',
    "create function a$x$() returns int language plpgsql as 'begin exec' \n 'ute 1; end' -- $x$",
    "create function a$b() returns int language plpgsql as 'begin exec' \n 'ute 1; end'",
    "create tablespace t location '{out}'",
    "select query_to_xml('select pg_re' || 'ad_file(1)', true, true, '')",
    "do $$ begin execute 'co' || 'py kv to program ''id'''; end $$",
    "do $$ begin copy kv to program 'id'; end $$",
    "do 'begin exec'\n'ute 1; end'",
    "do E'begin e\\x78ecute 1; end'",
    "do /* $$ */ 'begin exec' /* */ \n 'ute 1; end' -- $$",
    "create function f() returns text language internal as 'pg_' 'x'",
    "create function f() returns int language/**/c as '/lib/libc.so.6', 'system'",
    "create or replace function f() returns text language sql as $$ select pg_read_file('/etc/passwd') $$",
    "update pg_proc set proname = 'harmless' where proname like 'pg_re%'",
    'create view codes as select * from pg_catalog."pg_proc"',
    "create role other superuser login password 'x'",
  ],
};

const work = {
  sqlite: [
    'vacuum',
    'pragma table_info(kv)',
    'pragma user_version = 3',
    'create table own (a)',
    'explain query plan select key from kv',
    'drop table own',
  ],
  postgres: [
    'vacuum kv',
    'create table own (a int)',
    `create function doubled(a int) returns int language plpgsql as $$ begin return 2 * a; end $$`,
    'create function again() returns trigger language plpgsql as $f$ begin return new; end $f$',
    'create trigger t before insert on own for each row execute function again()',
    'do $$ begin perform 1; end $$',
    'select proname from pg_proc limit 1',
    'drop table own',
  ],
};

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`exec_sql with the Super Token (${dialect})`);
  let app: TestApp;
  let out = '';
  let folder = '';
  const exec = (sql: string) => app.call('svc-server_exec_sql', [app.superToken, sql]);
  const fault = (sql: string): Promise<RpcFailure | undefined> =>
    exec(sql).then(
      () => undefined,
      (error) => error,
    );

  test.before(async () => {
    out = mkdtempSync(join(tmpdir(), 'svc-host-'));
    folder = join(out, 'copies');
    mkdirSync(folder);
    app = await bootForTest(['token', 'server-info', 'kv'], {}, { dialect });
  });
  test.after(async () => {
    await app?.stop();
    rmSync(out, { recursive: true, force: true });
  });

  for (const text of attacks[dialect]) {
    test(`files and programs of the host are refused: ${text}`, async () => {
      const error = await fault(text.replaceAll('{out}', out));
      assert.match(error?.message ?? 'it ran', /not authorized|may not be modified/);
      assert.is(error?.code, 999);
      for (const name of ['copy', 'copy.db', 'other.db']) assert.not(existsSync(join(out, name)));
    });
  }

  for (const text of ['select * from token', 'update kv set value = value', ...work[dialect]]) {
    test(`other work goes on: ${text}`, async () => {
      assert.is((await fault(text))?.message, undefined);
    });
  }

  if (dialect === 'sqlite') {
    test('VACUUM INTO makes files in the folder that the operator configured, and nowhere else', async () => {
      const config = join(app.dir, 'config.toml');
      const line = `[server-info]\nexec_sql_vacuum_folder = ${JSON.stringify(folder)}\n`;
      writeFileSync(config, `${readFileSync(config, 'utf8')}\n${line}`);
      await app.restart();
      symlinkSync(out, join(folder, 'link'));
      symlinkSync(join(out, 'copy.db'), join(folder, 'dangling.db'));
      const into = (path: string) => fault(`vacuum into '${path}'`);
      for (const path of [
        join(out, 'copy.db'),
        `${folder}/../copy.db`,
        `${folder}-2/copy.db`,
        join(folder, 'link', 'copy.db'),
        'copy.db',
        `file:${folder}/copy.db`,
      ])
        assert.match((await into(path))?.message ?? `made ${path}`, /not authorized/);
      assert.ok(await into(join(folder, 'dangling.db')), 'a link that leads out is not followed');
      assert.not(existsSync(join(out, 'copy.db')));

      const copy = join(folder, 'a.db');
      assert.is((await into(copy))?.message, undefined);
      assert.is(readFileSync(copy, 'latin1').slice(0, 13), 'SQLite format');
      assert.is(statSync(copy).mode & 0o777, 0o600);
      assert.ok(await into(copy), 'a file is never written over');

      const holder = await app.token([{ scopes: ['global'], permissions: [{ svc: 'exec_sql' }] }]);
      const call = app.call('svc-server_exec_sql', [holder, `vacuum into '${folder}/b.db'`]);
      assert.match((await call.catch((error) => error)).message, /not authorized/);
    });
  }

  test.run();
}

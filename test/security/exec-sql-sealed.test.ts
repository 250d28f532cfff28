// What the server remembers of its callers (audit, tokens, counters) is changed by no SQL of a caller, the Super Token's neither.
import { linkSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootForTest, type RpcFailure, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { builtInNames, loadPlugin } from '../../server/src/plugins/find.ts';
import { suite } from '../runner/suite.ts';

type Attack = readonly [name: string, ...texts: string[]];

const both: readonly Attack[] = [
  ['a delete', 'delete from audit'],
  ['of the end', 'delete from audit_chain'],
  ['of a checkpoint', 'delete from audit_checkpoint where seq > 0'],
  ['an update', 'update audit set target = null'],
  ['another case and quotes', 'DELETE FROM "audit"'],
  ['comments for blanks', 'delete/**/from/**/audit'],
  ['a common table expression', 'with x as (select 1) delete from audit'],
  ['an insert', "insert into token_gone (token_key) values ('x')"],
  [
    'a copied row',
    'insert into token (id, version, token_key) select id, version, token_key from token',
  ],
  [
    'an upsert',
    `insert into kv_usage (owner, bytes) values ('sealed', 0) on conflict (owner) do update set bytes = 0`,
  ],
  ['the ledger of migrations', 'delete from schema_migrations'],
  ['a counter', 'update kv_usage set bytes = 0'],
  ['the counter of tasks', 'delete from task_usage'],
  ['a token', 'delete from token where id <> 1'],
  ['a secret', "update token set token_hash = 'x'"],
  ['a session', 'delete from token_session'],
  ['another name', 'alter table audit rename to harmless'],
  ['another column', 'alter table audit add column extra text'],
  ['one column less', 'alter table audit drop column hash'],
  ['the end of the table', 'drop table audit'],
  ['if it exists', 'drop table if exists audit_chain'],
  ['the end of its index', 'drop index "idx-audit-at"'],
  ['an index that refuses rows', 'create unique index refuse on audit (method)'],
  ['a reference that holds rows', 'create table hold (k text references token (token_key))'],
];

const sqlite: readonly Attack[] = [
  [
    'several statements',
    'delete from audit; delete from audit_checkpoint; delete from audit_chain',
  ],
  ['behind a harmless one', 'select 1; delete from audit'],
  ['in a transaction', 'begin; delete from audit; commit'],
  ['the schema before the name', 'delete from main.audit'],
  ['brackets', 'delete from [audit]'],
  ['backticks', 'delete from `audit`'],
  ['a replace', 'replace into audit (chain_id, seq) values (1, 1)'],
  [
    'a trigger on a table that the server writes',
    'create trigger t after insert on kv begin delete from audit; end',
  ],
  [
    'a temporary one',
    'create temp trigger t after insert on kv begin delete from audit; end; insert into kv (namespace, key, value) values (1, 2, 3)',
  ],
  [
    'a trigger of a view',
    'create view v as select * from audit',
    'create trigger t instead of delete on v begin delete from audit; end',
  ],
  [
    'a trigger on the audit itself',
    'create trigger t before insert on audit begin select raise(ignore); end',
  ],
  [
    'a trigger on the counted table',
    'create trigger t after insert on kv begin update kv_usage set bytes = 0; end',
  ],
  ['the end of the trigger that counts', 'drop trigger kv_usage_insert'],
  ['a writable schema', 'pragma writable_schema = 1'],
  ['in quotes', 'pragma "writable_schema" = on'],
  ['explained', 'explain pragma writable_schema = 1'],
  ['another version of the schema', 'pragma schema_version = 1'],
  ['another file', "attach 'test.db' as again; delete from again.audit"],
  [
    'a virtual table that takes it for a part of its own',
    'create virtual table task using fts4(usage)',
  ],
  ['one whose name the audit begins with', 'create virtual table "audit" using fts5(a)'],
  ['ids that have come to their end', 'update sqlite_sequence set seq = 9223372036854775807'],
  ['the same behind names', 'with x as (select 1) update "SQLITE_SEQUENCE" set seq = 1'],
  ['rows of it', "replace into main.sqlite_sequence values ('token', 9223372036854775807)"],
  [
    'a trigger that writes them',
    'create table mine (a); create trigger t after insert on mine begin delete from sqlite_sequence; end',
  ],
  ['what the engine thinks of tables', "analyze; update sqlite_stat1 set stat = '1 1'"],
  ['an explained analyze of a write', 'explain delete from audit; delete from audit'],
];

const postgres: readonly Attack[] = [
  [
    'parts of one statement',
    'with a as (delete from audit returning 1), b as (delete from audit_checkpoint returning 1) delete from audit_chain',
  ],
  ['an emptied table', 'truncate audit'],
  ['with what hangs on it', 'truncate audit, audit_chain cascade'],
  ['a merge', 'merge into audit using kv on true when matched then delete'],
  ['code', 'do $$ begin delete from audit; end $$'],
  [
    'a function',
    'create function wipe() returns void language sql as $$ delete from audit $$',
    'select wipe()',
  ],
  [
    'one that calls itself the owner',
    'create function wipe2() returns void language sql security definer as $$ delete from audit $$',
    'select wipe2()',
  ],
  [
    'a trigger on a table that the server writes',
    'create function f() returns trigger language plpgsql as $$ begin delete from audit; return null; end $$',
    'create trigger t after insert on kv for each statement execute function f()',
  ],
  ['a rule', 'create rule r as on insert to kv do also delete from audit'],
  ['a rule on the audit', 'create rule r as on insert to audit do instead nothing'],
  [
    'a trigger on the audit',
    'create trigger t before insert on audit for each row execute function suppress_redundant_updates_trigger()',
  ],
  [
    'the function of a counter on a table of its own',
    'create table counted (namespace text, key text, value text)',
    'create trigger t after insert on counted referencing new table as added for each statement execute function kv_usage()',
  ],
  ['triggers switched off', 'alter table kv disable trigger all'],
  [
    'no triggers in this session',
    "select set_config('session_replication_role', 'replica', false)",
  ],
  ['a role that is undone', 'reset role', 'delete from audit'],
  ['a role that is set', 'set role none', 'delete from audit'],
  ['a role in code', 'do $$ begin set local role none; delete from audit; end $$'],
  ['another session', 'set session authorization default', 'delete from audit'],
  ['rights for itself', 'grant all on audit to current_user', 'delete from audit'],
  ['another owner', 'alter table audit owner to current_user'],
  ['a view that is written through', 'create view seen as select * from audit', 'delete from seen'],
  ['ids that have come to their end', "select setval('token_id_seq', 9223372036854775807)"],
  ['ids of the audit', "select setval(pg_get_serial_sequence('audit_chain', 'id'), 1)"],
  ['an id of the audit', "select nextval(pg_get_serial_sequence('audit_chain', 'id'))"],
  ['a child table', 'create table child () inherits (audit)'],
  [
    'a function in the schema of the server',
    "create function public.lower(int) returns int language sql as 'select 1'",
  ],
  ['a file', "copy audit from '/etc/passwd'"],
  ['a policy', 'alter table audit enable row level security'],
  ['a write of the catalogue', "update pg_class set relname = 'x' where relname = 'audit'"],
];

const attacks = { sqlite: [...both, ...sqlite], postgres: [...both, ...postgres] };

const allowed: { readonly [dialect: string]: readonly Attack[] } = {
  common: [
    ['reads the audit', 'select count(*) as n from audit'],
    ['reads tokens', 'select token_key from token'],
    ['reads counters', 'select * from kv_usage'],
    [
      'writes rows that are counted',
      `insert into kv (namespace, key, value) values ('own', 'b', '"c"')`,
    ],
    ['changes them', `update kv set value = '"d"' where namespace = 'own'`],
    ['deletes them', "delete from kv where namespace = 'own'"],
    ['makes a table', 'create table own as select method from audit'],
    ['makes a view', 'create view methods_of_audit as select method from audit'],
    ['reads it', 'select * from methods_of_audit'],
    ['changes its own table', 'alter table own add column extra text'],
    ['drops it', 'drop table own'],
  ],
  sqlite: [
    ['makes a trigger', 'create trigger t after insert on kv begin select 1; end; drop trigger t'],
    [
      'makes a full text index',
      'create virtual table found using fts5(a); insert into found values (1); drop table found',
    ],
    ['runs VACUUM', 'vacuum'],
    ['analyzes', 'analyze'],
    ['reads which ids were given', 'select * from sqlite_sequence'],
    [
      'makes a table that gives ids',
      'create table numbered (id integer primary key autoincrement, a); insert into numbered (a) values (1); drop table numbered',
    ],
  ],
  postgres: [
    ['runs code', 'do $$ begin perform 1; end $$'],
    ['empties a table', 'truncate crontab_result'],
  ],
};

const SEALED = [
  'audit',
  'audit_chain',
  'audit_checkpoint',
  'token',
  'token_gone',
  'token_place',
  'token_session',
  'token_pass',
  'kv_usage',
  'task_usage',
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`sealed tables (${dialect})`);
  let app: TestApp;
  const exec = (sql: string) => app.call('svc-server_exec_sql', [app.superToken, sql]);
  /** Everything that is sealed, but rows that the audit has won since. */
  const rowsOf = async (before?: readonly unknown[][]) => {
    const all: unknown[][] = [];
    for (const [at, table] of SEALED.entries()) {
      const rows = await app.sql(`select * from ${table} order by 1, 2`);
      all.push(table === 'audit' ? rows.slice(0, before?.[at]?.length ?? rows.length) : rows);
    }
    return all;
  };

  test.before(async () => {
    app = await bootForTest(undefined as never, {}, { dialect });
    await app.call('kv_create', [app.superToken, 'sealed']);
    await app.token([{ scopes: ['global'], permissions: [{ kv: { read: '*' } }] }]);
    await app.call('audit_query', [app.superToken]);
  });
  test.after(() => app?.stop());

  test('the audit, tokens and counters stay as they are', async () => {
    await app.call('session_create', [app.superToken]);
    await app.call('audit_query', [app.superToken]);
    const before = await rowsOf();
    const wrong: string[] = [];
    for (const [name, ...texts] of attacks[dialect]) {
      let error: RpcFailure | undefined;
      for (const text of texts)
        error = await exec(text).then(
          () => undefined,
          (failure) => failure,
        );
      const isTold = error?.code === 999 && /^Other error: not authorized: ./.test(error.message);
      if (!isTold) wrong.push(`${name}: ${error ? `${error.code} ${error.message}` : 'done'}`);
    }
    await app.call('kv_set_value', [app.superToken, 'sealed', 'a', 1]);
    await app.call('kv_delete_key', [app.superToken, 'sealed', 'a']);
    assert.equal(wrong, []);
    const after = await rowsOf(before);
    // Ends of chains go on, and calls of the attacker use a credential.
    for (const [at, table] of SEALED.entries())
      if (!['audit_chain', 'token_place'].includes(table))
        assert.equal(after[at], before[at], table);
    assert.is((await app.call('audit_verify', [app.superToken])).ok, true);
  });

  for (const [name, sql] of [...(allowed['common'] ?? []), ...(allowed[dialect] ?? [])]) {
    test(`the Super Token ${name}`, async () => {
      const answer = await exec(sql as string).catch((error) => error);
      assert.not.instance(answer, Error, String(answer));
    });
  }

  test('a change of counted rows is counted', async () => {
    const bytes = async () =>
      (await exec("select bytes from kv_usage where owner = 'sealed'")).data[0]?.bytes ?? 0;
    const before = await bytes();
    await exec(
      `insert into kv (namespace, key, value) values ('sealed', 'b', '"${'x'.repeat(100)}"')`,
    );
    assert.ok((await bytes()) > before + 100);
  });

  test('every table of a plugin says how it is kept, and every counter is one', async () => {
    const names =
      dialect === 'sqlite'
        ? "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and sql not like 'create virtual%'"
        : "select relname as name from pg_class where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace";
    const plugins = await Promise.all(builtInNames().map((name) => loadPlugin(name, app.dir)));
    const kept = Object.assign({}, ...plugins.map(({ guards }) => guards));
    const tables = (await app.sql(names)).map((row) => (row as { name: string }).name);
    assert.equal(
      tables.filter((table) => !(table in kept)),
      [],
    );
    const counters = tables.filter((table) => table.endsWith('_usage'));
    assert.equal(
      counters.filter((table) => kept[table] !== 'counter'),
      [],
    );
    assert.ok(counters.length >= 4);
  });

  if (dialect === 'sqlite') {
    test("no named database is the server's own file, under no name of it", async () => {
      const folder = mkdtempSync(join(tmpdir(), 'svc-own-file-'));
      const own = await bootForTest(['token', 'server-info', 'db', 'audit'], {
        database: { database_url: `sqlite://${folder}/test.db?mode=rwc` },
        db_path: folder,
      });
      try {
        linkSync(join(folder, 'test.db'), join(folder, 'linked.db'));
        for (const name of ['test', 'linked'])
          await own.sql('insert into db_registry (name, created_at) values (?, 1)', [name]);
        for (const name of ['test', 'linked'])
          for (const [method, ...params] of [
            ['db_create', name],
            ['db_exec_sql', name, 'delete from audit'],
            ['db_delete', name],
          ] as const) {
            const failure = await own
              .call(method, [own.superToken, ...params])
              .catch((error) => error);
            assert.match(failure.message, /not authorized|exists/, `${method} ${name}`);
          }
        assert.is((await own.call('audit_verify', [own.superToken])).ok, true);
      } finally {
        await own.stop();
        rmSync(folder, { recursive: true, force: true });
      }
    });
  }

  test.run();
}

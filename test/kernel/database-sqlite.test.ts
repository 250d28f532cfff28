import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rowsOf } from '@svc/plugin-sdk/sql';
import * as fc from 'fast-check';
import * as assert from 'uvu/assert';
import { isPostgresUrl } from '../../plugins/database-postgres/src/url.ts';
import { bindPlaces } from '../../plugins/database-sqlite/src/placeholders.ts';
import { splitScript } from '../../plugins/database-sqlite/src/split.ts';
import { sqliteUrl } from '../../plugins/database-sqlite/src/url.ts';
import { suite } from '../runner/suite.ts';
import { failure, openAt, serveAt } from './database-kit.ts';

const dir = mkdtempSync(join(tmpdir(), 'svc-sqlite-'));
const file = (name: string) => join(dir, name);

const url = suite('database url');
for (const [text, expected] of [
  ['sqlite://svc.db?mode=rwc', { file: 'svc.db', create: true }],
  ['sqlite:///abs/path.db?mode=rwc', { file: '/abs/path.db', create: true }],
  ['sqlite://svc.db', { file: 'svc.db', create: false }],
  ['sqlite:svc.db?mode=rw', { file: 'svc.db', create: false }],
  ['sqlite://a%20b/c.db?mode=rwc', { file: 'a b/c.db', create: true }],
  ['postgres://u:p@host:5432/name', undefined],
  ['postgresql://host/name', undefined],
] as const) {
  url(`reads ${text}`, () => {
    assert.equal(sqliteUrl(text), expected);
    assert.is(isPostgresUrl(text), expected === undefined);
  });
}
for (const [text, reason] of [
  ['mysql://u:hunter2@host/name', /'mysql' is no known kind/],
  ['svc.db', /no known kind/],
  ['', /no known kind/],
  ['sqlite://', /needs a file/],
  ['sqlite://:memory:', /needs a file/],
  ['sqlite://svc.db?mode=memory', /mode=memory is not possible/],
  ['sqlite://svc.db?mode=ro', /mode=ro is not possible/],
  ['sqlite://a%zz.db', /bad percent escape/],
  ['postgres://u:hunter2@[bad/name', /not a valid postgres/],
] as const) {
  url(`refuses '${text}'`, async () => {
    const error = await failure(openAt(text));
    assert.is(error.name, 'UserError');
    assert.match(error.message, reason);
    assert.not.match(error.message, /hunter2/);
  });
}
url.run();

const open = suite('opening sqlite');

mkdirSync(file('folder'));
writeFileSync(file('text.db'), 'this is no database, but long enough to be read as one'.repeat(20));

for (const [name, database_url, reason] of [
  [
    'a missing file without mode=rwc',
    `sqlite://${file('missing.db')}`,
    /does not exist; add \?mode=rwc/,
  ],
  ['a directory', `sqlite://${file('folder')}?mode=rwc`, /is a directory/],
  [
    'a file below another file',
    `sqlite://${file('text.db/below.db')}?mode=rwc`,
    /below\.db: its folder cannot be made: /,
  ],
  [
    'a missing folder without mode=rwc',
    `sqlite://${file('none/missing.db')}`,
    /does not exist; add \?mode=rwc/,
  ],
  [
    'a file that is no database',
    `sqlite://${file('text.db')}`,
    /cannot open .*text\.db.*no SQLite database/,
  ],
] as const) {
  open(`refuses ${name}`, async () => {
    const error = await failure(openAt(database_url));
    assert.is(error.name, 'UserError');
    assert.match(error.message, reason);
  });
}

open('does not create the file it misses', async () => {
  await failure(openAt(`sqlite://${file('missing.db')}`));
  assert.not(existsSync(file('missing.db')));
});

open('makes the folder of a new file, for its own user alone', async () => {
  const db = await openAt(`sqlite://${file('new folder/deep/a.db')}?mode=rwc`);
  await db.close();
  assert.is(statSync(file('new folder')).mode & 0o777, 0o700);
});

open(
  'creates a new file with the options of the chapter, on the writing and on the reading side',
  async () => {
    const db = await openAt(`sqlite://${file('new.db')}?mode=rwc`);
    await db.query.schema.createTable('t', (table) => table.integer('a'));
    const pragma = async (name: string) => {
      const [write] = await rowsOf<object>(db.query, { text: `pragma ${name}`, params: [] });
      const read = await db.first<object>(`pragma ${name}`);
      return [write, read].map((row) => Object.values(row as object)[0]);
    };
    assert.equal(await pragma('journal_mode'), ['wal', 'wal']);
    assert.equal(await pragma('auto_vacuum'), [2, 2]);
    assert.equal(await pragma('foreign_keys'), [1, 1]);
    assert.equal(await pragma('synchronous'), [1, 1]);
    assert.equal(await db.query.raw('pragma busy_timeout'), [{ timeout: 5000 }]);
    await db.close();
    const full = await openAt(`sqlite://${file('new.db')}`, { sqlite_synchronous: 'FULL' });
    assert.equal(await full.query.raw('pragma synchronous'), [{ synchronous: 2 }]);
    await full.close();
  },
);

open('never writes through the reading side', async () => {
  const db = await openAt(`sqlite://${file('read.db')}?mode=rwc`);
  assert.is((await failure(db.all('create table t (a)'))).code, 103);
  await db.close();
});
open.run();

const lock = suite('one server per sqlite file');

lock(
  'refuses a second server, lets commands in, and opens again after the first has stopped',
  async () => {
    const address = `sqlite://${file('lock.db')}?mode=rwc`;
    const first = await serveAt(address);
    for (let attempt = 0; attempt < 2; attempt++) {
      const error = await failure(serveAt(address));
      assert.is(error.name, 'UserError');
      assert.match(error.message, /another server is running on .*lock\.db/);
    }
    symlinkSync(file('lock.db'), file('other-name.db'));
    assert.match(
      (await failure(serveAt(`sqlite://${file('other-name.db')}`))).message,
      /another server/,
    );
    const child = startChild(address);
    assert.match(await firstLine(child), /^UserError: .*another server is running/);

    const tool = await openAt(address);
    await tool.query.schema.createTable('t', (table) => table.integer('a'));
    assert.equal(await first.all('select a from t'), []);
    await tool.close();
    assert.match((await failure(serveAt(address))).message, /another server/);
    await first.close();
    await (await serveAt(address)).close();
  },
);

lock('opens again after the first server was killed', async () => {
  const address = `sqlite://${file('killed.db')}?mode=rwc`;
  const child = startChild(address);
  assert.is(await firstLine(child), 'open');
  assert.match((await failure(serveAt(address))).message, /another server/);
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  await (await serveAt(address)).close();
});
lock.run();

function startChild(address: string): ChildProcess {
  const script = fileURLToPath(new URL('./database-serve-child.ts', import.meta.url));
  return spawn(process.execPath, [...process.execArgv, script, address], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function firstLine(child: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of child.stdout!) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  return text.trim();
}

process.once('exit', () => rmSync(dir, { recursive: true, force: true }));

const split = suite('splitting scripts');
for (const [name, script, expected] of [
  ['nothing', '', []],
  ['blanks and comments', ' -- a;b\n /* ; */ ', []],
  ['empty statements', ';;;select 1;;', ['select 1;']],
  ['a missing last semicolon', 'select 1; select 2', ['select 1;', 'select 2']],
  ['texts', "select ';', 'it''s;'; select 1", ["select ';', 'it''s;';", 'select 1']],
  [
    'quoted names',
    'select 1 as "a;""b"; select 1 as [c;d]; select 1 as `e;``f`',
    ['select 1 as "a;""b";', 'select 1 as [c;d];', 'select 1 as `e;``f`'],
  ],
  ['comments', 'select 1 -- ; no\n; select /* ; */ 2', ['select 1 -- ; no\n;', 'select /* ; */ 2']],
  ['an open comment', 'select 1; /* select 2;', ['select 1;']],
  [
    'a trigger',
    'create trigger t after insert on a begin select 1; select case when 1 then 2 end; end; select 3',
    [
      'create trigger t after insert on a begin select 1; select case when 1 then 2 end; end;',
      'select 3',
    ],
  ],
  [
    'a temporary trigger',
    'CREATE TEMPORARY TRIGGER t BEFORE DELETE ON a BEGIN SELECT 1; END ; select 2',
    ['CREATE TEMPORARY TRIGGER t BEFORE DELETE ON a BEGIN SELECT 1; END ;', 'select 2'],
  ],
  [
    'a table named trigger',
    'create table trigger_log (a); select 2',
    ['create table trigger_log (a);', 'select 2'],
  ],
  ['begin and end', 'begin; select 1; end; select 2', ['begin;', 'select 1;', 'end;', 'select 2']],
] as const) {
  split(`handles ${name}`, () => {
    assert.equal(
      splitScript(script).map((statement) => statement.sql),
      expected,
    );
  });
}

split('finds the statements that were joined, whatever stands in them', async () => {
  const text = fc.string({ maxLength: 12 });
  const piece = fc.oneof(
    text.map((inner) => `'${inner.replaceAll("'", "''")}'`),
    text.map((inner) => `"${inner.replaceAll('"', '""')}"`),
    text.map((inner) => `\`${inner.replaceAll('`', '``')}\``),
    text.map((inner) => `[${inner.replaceAll(']', '')}]`),
    text.map((inner) => `--${inner.replaceAll('\n', '')}\n`),
    text.map((inner) => `/*${inner.replaceAll('*/', '')} */`),
    fc.constantFrom('a', '1', '(', ')', ',', '+', 'end', 'case', 'begin', 'create', 'table'),
  );
  const statement = fc
    .array(piece, { maxLength: 6 })
    .map((pieces) => `select ${pieces.join(' ')};`);
  await fc.assert(
    fc.property(
      fc.array(statement, { maxLength: 6 }),
      fc.constantFrom('', ' ', '\n', ' -- ;\n', '/*;*/'),
      (statements, between) => {
        assert.equal(
          splitScript(statements.join(between)).map(({ sql }) => sql.slice(sql.indexOf('select'))),
          statements,
        );
      },
    ),
    { numRuns: 500 },
  );
});

for (const [sql, numbered, values] of [
  ["select ?, '?', ?", ["select ?1, '?', ?2"], [[0, 1]]],
  ['select ?2, ?1, ?', ['select ?1, ?2, ?3'], [[1, 0, 2]]],
  ['select $2, $2, ?1;', ['select ?1, ?1, ?2;'], [[1, 0]]],
  ['select ?5, ?', ['select ?1, ?2'], [[4, 5]]],
  ['select ?; select ?, ?1 -- ?', ['select ?1;', 'select ?1, ?2 -- ?'], [[0], [1, 0]]],
  ['select "?", [$1], /* ? */ 1 -- ?', ['select "?", [$1], /* ? */ 1 -- ?'], [[]]],
] as const) {
  split(`binds the placeholders of ${sql}`, () => {
    const statements = bindPlaces(splitScript(sql));
    assert.equal(
      statements.map((statement) => statement.numbered),
      [...numbered],
    );
    assert.equal(
      statements.map((statement) => statement.values),
      values.map((each) => [...each]),
    );
  });
}
split.run();

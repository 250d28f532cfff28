// proof: 5
// db.md §4.6: what SQL gives and takes. Values are compared as JSON text: a double cannot show them.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { oneDialect } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { type DbServer, dbServer, rows } from './db-kit.ts';
import { bindingCases, placeholderCases, refusedCases, textCases } from './sql-values-cases.ts';

/** [what holds, SQL, parameters as JSON text, the data as JSON text]. */
const values: [string, string, string, string][] = [
  ['NULL is null', 'select null as v', 'null', '[{"v":null}]'],
  [
    'integers are exact to 64 bit',
    'select 9223372036854775807 as v, -9223372036854775808 as w',
    'null',
    '[{"v":9223372036854775807,"w":-9223372036854775808}]',
  ],
  [
    'a real keeps its fraction',
    'select 2.0 as v, 1e3 as w, -0.5 as x',
    'null',
    '[{"v":2.0,"w":1000.0,"x":-0.5}]',
  ],
  ['infinity is null', 'select 1e999 as v, -1e999 as w', 'null', '[{"v":null,"w":null}]'],
  ['text stays text, JSON text too', `select '{"a":1}' as v`, 'null', '[{"v":"{\\"a\\":1}"}]'],
  [
    'bytes that spell JSON are the value',
    "select x'3132' as v, x'7b7d' as w, cast('[9007199254740993]' as blob) as x",
    'null',
    '[{"v":12,"w":{},"x":[9007199254740993]}]',
  ],
  ['other bytes are lower-case hex', "select x'00FFab' as v", 'null', '[{"v":"00ffab"}]'],
  [
    'bytes of JSON that strict readers refuse are hex',
    `select cast('1e400' as blob) as v, cast('"\\ud800"' as blob) as w`,
    'null',
    '[{"v":"3165343030","w":"225c756438303022"}]',
  ],
  [
    'bytes of JSON nested deeper than 128 are hex, of 128 the value',
    `select substr(v, 3, 256) as a, length(hex(v)) as b, v as c from (select cast(
      replace(hex(zeroblob(65)), '00', '[[') || replace(hex(zeroblob(65)), '00', ']]') as blob) as v)`,
    'null',
    `[{"a":${'['.repeat(128)}${']'.repeat(128)},"b":520,"c":"${'5b'.repeat(130)}${'5d'.repeat(130)}"}]`,
  ],
  ['no bytes are the empty text', "select x'' as v", 'null', '[{"v":""}]'],
  [
    'a boolean is an integer',
    'select true as v, ? as w, typeof(?2) as x',
    '[false,true]',
    '[{"v":1,"w":0,"x":"integer"}]',
  ],
  ['of equal column names the last one stays', 'select 1 as a, 2 as a', 'null', '[{"a":2}]'],
  ['an unnamed column is named by its text', 'select 1+1, ?1', '[5]', '[{"1+1":2,"?1":5}]'],
  ['__proto__ is a column', 'select 1 as "__proto__"', 'null', '[{"__proto__":1}]'],
  ['null is bound as NULL', 'select typeof(?) as v', '[null]', '[{"v":"null"}]'],
  [
    'an integer is bound as integer',
    'select typeof(?) as v, ?1 as w',
    '[9223372036854775807]',
    '[{"v":"integer","w":9223372036854775807}]',
  ],
  [
    'the least integer is bound exactly',
    'select typeof(?) as v, ?1 as w',
    '[-9223372036854775808]',
    '[{"v":"integer","w":-9223372036854775808}]',
  ],
  [
    'a number spelled with a fraction is bound as real',
    'select typeof(?) as v, ?1 as w',
    '[2.0]',
    '[{"v":"real","w":2.0}]',
  ],
  [
    'a number spelled with an exponent is bound as real',
    'select typeof(?) as v, ?1 as w',
    '[1e2]',
    '[{"v":"real","w":100.0}]',
  ],
  [
    'an integer beyond unsigned 64 bit is bound as real',
    'select typeof(?) as v',
    '[18446744073709551616]',
    '[{"v":"real"}]',
  ],
  ['text is bound as text', 'select typeof(?) as v, ?1 as w', '["12"]', '[{"v":"text","w":"12"}]'],
  [
    'text with U+0000 is bound whole',
    'select length(cast(? as blob)) as v',
    '["a\\u0000b"]',
    '[{"v":3}]',
  ],
  [
    'arrays and objects are bound as compact text, members sorted',
    'select ? as v, typeof(?1) as w',
    '[{"b":[1, 2.0,{"z":1,"a":2}],"a":null,"10":1,"9":9007199254740993}]',
    '[{"v":"{\\"10\\":1,\\"9\\":9007199254740993,\\"a\\":null,\\"b\\":[1,2.0,{\\"a\\":2,\\"z\\":1}]}","w":"text"}]',
  ],
  ['no parameters at all is fine', 'select ? as v', '[]', '[{"v":null}]'],
  [
    'a placeholder in a text or comment is none',
    "select '?' as v, /* ? */ ? as w -- ?",
    '[1]',
    '[{"v":"?","w":1}]',
  ],
  ['empty text is a success without rows', '', 'null', '[]'],
  ['a comment alone is a success without rows', '-- nothing', 'null', '[]'],
  ['a lone semicolon is a success without rows', ' ; ;', 'null', '[]'],
  [
    'rows of several statements are joined, columns may differ',
    'select 1 as a; select 2 as b, 3 as c',
    'null',
    '[{"a":1},{"b":2,"c":3}]',
  ],
  ['a write gives no rows', 'create table if not exists w (n)', 'null', '[]'],
  ['PRAGMA gives its rows', 'pragma foreign_keys', 'null', '[{"foreign_keys":1}]'],
  [
    'WITH gives its rows',
    'with t(n) as (values (1),(2)) select n from t',
    'null',
    '[{"n":1},{"n":2}]',
  ],
  [
    'RETURNING gives its rows',
    'create temp table r (n); insert into r values (1),(?) returning n',
    '[5]',
    '[{"n":1},{"n":5}]',
  ],
  [
    'a trigger body is one statement',
    'create temp table q (n); create temp trigger tq after insert on q begin insert into q select 9 where new.n = 1; select 1; end; insert into q values (1); select count(*) as n from q',
    'null',
    '[{"n":2}]',
  ],
];

/** [what is refused, SQL, parameters as JSON text, code, message]. */
const refused: [string, string, string, number, RegExp][] = [
  ['ATTACH', "attach database '{dir}/stolen.db' as other", 'null', 999, /not authorized/],
  [
    'ATTACH behind a comment',
    "/* x */ -- y\n aTTach '{dir}/stolen.db' as other",
    'null',
    999,
    /not authorized/,
  ],
  [
    'ATTACH behind another statement',
    "select 1; attach '{dir}/stolen.db' as other",
    'null',
    999,
    /not authorized/,
  ],
  [
    'ATTACH behind a byte order mark',
    "\ufeffattach '{dir}/stolen.db' as other",
    'null',
    999,
    /not authorized/,
  ],
  ['DETACH', 'detach database main', 'null', 999, /not authorized/],
  ['VACUUM INTO', "vacuum into '{dir}/stolen.db'", 'null', 999, /not authorized/],
  [
    'VACUUM INTO of a schema',
    "vacuum\tmain/* */INTO'{dir}/stolen.db'",
    'null',
    999,
    /not authorized/,
  ],
  [
    'another place for temporary files',
    `/**/pragma main."temp_store_directory" = '{dir}'`,
    'null',
    999,
    /not authorized/,
  ],
  ['extensions', "select load_extension('{dir}/x')", 'null', 999, /not authorized/],
  [
    'a changed schema table',
    "pragma writable_schema = 1; update sqlite_schema set sql = 'x'",
    'null',
    999,
    /past the schema of the database/,
  ],
  ['a missing table', 'select * from nowhere', 'null', 999, /no such table: nowhere/],
  ['bad SQL', 'selec 1', 'null', 999, /syntax error/],
  ['U+0000 in the text', 'select 1;\0 drop table kept', 'null', 999, /U\+0000/],
  ['an object as params', 'select 1', '{"a":1}', 108, /params must be an array or null/],
  ['a string as params', 'select 1', '"[1]"', 108, /params must be an array or null/],
  ['a number as params', 'select 1', '1', 108, /params must be an array or null/],
  ...refusedCases,
];

const many = (count: number) =>
  `with recursive c(n) as (values (1) union all select n + 1 from c where n < ${count}) select n from c`;

/** [what holds, SQL, rows that come, row_count, truncated]. */
const counts: [string, string, number, number, boolean][] = [
  ['9,999 rows', many(9_999), 9_999, 9_999, false],
  ['10,000 rows', many(10_000), 10_000, 10_000, false],
  ['10,001 rows', many(10_001), 10_000, 10_001, true],
  ['25,000 rows', many(25_000), 10_000, 25_000, true],
  ['rows of two statements together', `${many(6_000)}; ${many(6_000)}`, 10_000, 12_000, true],
  ['an endless statement stops counting', many(Number.MAX_SAFE_INTEGER), 10_000, 1_000_000, true],
];

for (const dialect of oneDialect) {
  const test = suite(`db: SQL (${dialect})`);
  let server: DbServer;

  test.before(async () => {
    server = await dbServer({}, { dialect });
    await server.asSuper('db_create', 'x');
    await server.exec('x', 'create table kept (n); insert into kept values (1)');
  });
  test.after(() => server.app.stop());

  for (const [name, sql, params, data] of values) {
    test(name, async () => {
      const text = await server.execText('x', sql, params);
      const found =
        /"result":\{"success":true,"data":(.*),"row_count":(\d+),"truncated":false\}\}$/.exec(text);
      assert.is(found?.[1] ?? text, data);
      assert.is(Number(found?.[2]), JSON.parse(data).length);
    });
  }

  for (const [name, sql, params, data] of [...placeholderCases, ...bindingCases, ...textCases]) {
    test(`binds and reads: ${name}`, async () => {
      const { result, error } = JSON.parse(await server.execText('x', sql, params));
      assert.is(error, undefined, error?.message);
      assert.equal(result, rows(data));
    });
  }

  for (const [name, sql, params, code, message] of refused) {
    test(`${name} is refused with ${code}, and nothing changes`, async () => {
      const { error } = JSON.parse(
        await server.execText('x', sql.replaceAll('{dir}', server.app.dir), params),
      );
      assert.is(error?.code, code);
      assert.match(error.message, message);
      assert.not(existsSync(join(server.app.dir, 'stolen.db')));
      assert.equal(await server.exec('x', 'select n from kept'), rows([{ n: 1 }]));
    });
  }

  for (const [name, sql, kept, row_count, truncated] of counts) {
    test(`cuts at 10,000: ${name}`, async () => {
      const { data, ...rest } = await server.exec('x', sql);
      assert.is(data.length, kept);
      assert.equal(data.at(-1), { n: sql.includes(';') ? 4_000 : kept });
      assert.equal(rest, { success: true, row_count, truncated });
    });
  }

  test('a write that returns more rows than are kept is done whole', async () => {
    const sql = `create table big (n); insert into big ${many(12_000)} returning n`;
    const { data, row_count, truncated } = await server.exec('x', sql);
    assert.equal([data.length, row_count, truncated], [10_000, 12_000, true]);
    const count = await server.exec('x', 'select count(*) as n from big; drop table big');
    assert.equal(count, rows([{ n: 12_000 }]));
  });

  test('VACUUM without a target works, and foreign keys hold', async () => {
    const { exec } = server;
    assert.equal(await exec('x', 'vacuum'), rows([]));
    await exec('x', 'create table p (n integer primary key); create table c (n references p)');
    assert.match(await exec('x', 'insert into c values (5)'), /^999 .*FOREIGN KEY/);
  });

  test('after an error earlier statements stay, later ones do not run', async () => {
    const { exec } = server;
    await exec('x', 'create table steps (n)');
    const sql =
      'insert into steps values (1); insert into nowhere values (2); insert into steps values (3)';
    assert.match(await exec('x', sql), /^999 /);
    assert.equal(await exec('x', 'select n from steps'), rows([{ n: 1 }]));
  });

  test('settings of db.md §1.2 are applied', async () => {
    const pragmas: [string, unknown][] = [
      ['auto_vacuum', 2],
      ['journal_mode', 'wal'],
      ['synchronous', 1],
      ['foreign_keys', 1],
    ];
    for (const [name, value] of pragmas) {
      assert.equal(await server.exec('x', `pragma ${name}`), rows([{ [name]: value }]));
    }
    assert.equal(await server.exec('x', 'pragma busy_timeout'), rows([{ timeout: 5000 }]));
  });

  test('SQL of one database never reaches another one or the main one', async () => {
    await server.asSuper('db_create', 'y');
    assert.match(await server.exec('y', 'select n from kept'), /^999 .*no such table/);
    assert.match(await server.exec('y', 'select * from token'), /^999 .*no such table/);
    await server.asSuper('db_delete', 'y');
  });

  test.run();
}

const small = suite('db: response limit');
small('an answer over max_response_body_size is -32008', async () => {
  const server = await dbServer({ max_response_body_size: 5_000 }, { dialect: 'sqlite' });
  try {
    await server.asSuper('db_create', 'x');
    assert.match(await server.exec('x', many(9_000)), /^-32008 /);
    assert.equal(await server.exec('x', 'select 1 as n'), rows([{ n: 1 }]));
  } finally {
    await server.app.stop();
  }
});
small.run();

// static-bucket.md §1 to §5: bucket records.
import { existsSync } from 'node:fs';
import { readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { DatabaseChanged } from '@svc/plugin-sdk';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { type StaticServer, staticServer } from './static-kit.ts';
import { eventually } from './token-kit.ts';

const CREATE = 'static-bucket_create';
const READ = 'static-bucket_read';
const UPDATE = 'static-bucket_update';
const DELETE = 'static-bucket_delete';
const LIST = 'static-bucket_list';

const LONG = 'n'.repeat(128);
const EMPTY = '108 Invalid input: name cannot be empty';
const TOO_LONG = '108 Invalid input: name too long (max 128 chars)';
const CHARACTERS =
  '108 Invalid input: name contains invalid characters (only [A-Za-z0-9_.-] are allowed)';
const DOTS = "108 Invalid input: name cannot be '.' or '..'";

/** Names, and the error of static-bucket.md §4; undefined: accepted, under the trimmed name. */
// biome-ignore format: one case per line
const names: [name: string, error: string | undefined][] = [
  ['', EMPTY], ['   ', EMPTY], ['\t\n', EMPTY],
  [LONG, undefined], [`${LONG}n`, TOO_LONG], ['é'.repeat(65), TOO_LONG],
  ['a b', CHARACTERS], ['a/b', CHARACTERS], ['a\\b', CHARACTERS], ['a\u0000', CHARACTERS], ['ä', CHARACTERS], ['a*', CHARACTERS], ['%2e', CHARACTERS],
  ['.', DOTS], ['..', DOTS], ['...', DOTS],
  ['.a', undefined], ['a.', undefined], ['-', undefined], ['_', undefined], ['A.b_C-9', undefined], ['  trimmed\n', undefined],
];

/** Bucket paths, and the error; undefined: accepted, stored as given after trimming. */
// biome-ignore format: one case per line
const paths: [path: string, error: string | undefined][] = [
  ['', '108 Invalid input: path cannot be empty'], ['  ', '108 Invalid input: path cannot be empty'],
  ['p'.repeat(513), '108 Invalid input: path too long (max 512 chars)'],
  [`${'p/'.repeat(255)}pp`, undefined],
  ['a\\b', '108 Invalid input: path cannot contain backslash'],
  ['/a', "108 Invalid input: path cannot be absolute (leading '/')"], ['//', "108 Invalid input: path cannot be absolute (leading '/')"],
  ['..', "108 Invalid input: path cannot contain '..'"], ['a/../b', "108 Invalid input: path cannot contain '..'"], ['a/..', "108 Invalid input: path cannot contain '..'"],
  ['.', '108 Invalid input: path has no valid component'], ['./.', '108 Invalid input: path has no valid component'], ['.//./', '108 Invalid input: path has no valid component'],
  [`a/${LONG}n`, TOO_LONG], [`a/${LONG}`, undefined],
  ['a b', CHARACTERS], ['a/ä', CHARACTERS], ['C:', CHARACTERS], ['a/...', DOTS],
  ['a/b/c', undefined], ['a//b', undefined], ['./a', undefined], ['a/', undefined], [' a/b ', undefined],
];

const may = (bucket: string | undefined, ...words: string[]) => [
  {
    scopes: [bucket === undefined ? 'global' : { static_bucket: bucket }],
    permissions: words.map((word) => ({ static_bucket: word })),
  },
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`static-bucket (${dialect})`);
  let server: StaticServer;
  let asSuper: StaticServer['asSuper'];

  test.before.each(async () => {
    server = await staticServer({ dialect });
    asSuper = server.asSuper;
  });
  test.after.each(() => server.app.stop());

  test('the chapter: create, read, update, list, delete', async () => {
    const record = {
      id: 1,
      name: 'status-page',
      path: 'sites/status',
      is_http_root: false,
      cors: true,
      enable: true,
    };
    assert.equal(await asSuper(CREATE, 'status-page', 'sites/status', false, true), record);
    assert.ok(existsSync(server.disk('sites', 'status')), 'the directory is made');
    assert.equal(await asSuper(READ, 'status-page'), record);
    const moved = { ...record, path: 'new/place', is_http_root: true, cors: false };
    assert.equal(await asSuper(UPDATE, 'status-page', 'new/place', true, false), moved);
    assert.ok(existsSync(server.disk('new', 'place')), 'the new directory is made');
    await server.bucket('docs');
    assert.equal(await asSuper(LIST), ['docs', 'status-page']);
    await writeFile(server.disk('new', 'place', 'stays'), 'x');
    assert.equal(await asSuper(DELETE, 'status-page'), { success: true });
    assert.equal(await readdir(server.disk('new', 'place')), ['stays']);
    assert.equal(await asSuper(LIST), ['docs']);
    assert.is(
      await asSuper(READ, 'status-page'),
      "105 Not found in database: Static 'status-page' not found",
    );
  });

  test('records live through a restart; the table has the columns and indexes of the chapter', async () => {
    await server.bucket('b', { root: true, cors: true });
    const before = await asSuper(READ, 'b');
    await server.app.restart();
    assert.equal(await asSuper(READ, 'b'), before);
    const [row] = await server.app.sql(
      'select id, name, path, is_http_root, cors, enable from static_file',
    );
    assert.equal([row.name, row.path, Number(row.is_http_root)], ['b', 'b', 1]);
    const insert = (name: string, root: boolean) =>
      server.app
        .sql(`insert into static_file (name, path, is_http_root) values ('${name}', 'p', ${root})`)
        .then(
          () => 'stored',
          () => 'refused',
        );
    assert.is(await insert('b', false), 'refused');
    assert.is(await insert('c', true), 'refused');
    assert.is(await insert('c', false), 'stored');
    assert.is(await insert('d', false), 'stored', 'any number of rows may not be root');
  });

  test('list is in byte order, and empty without buckets', async () => {
    assert.equal(await asSuper(LIST), []);
    for (const name of ['b', 'a', 'B', '_', '-', 'a-b', 'a.b', '9']) await server.bucket(name);
    assert.equal(await asSuper(LIST), ['-', '9', 'B', '_', 'a', 'a-b', 'a.b', 'b']);
  });

  test('bucket names: every rule, with nothing changed', async () => {
    for (const [name, error] of names) {
      const created = await asSuper(CREATE, name, 'p', false, false);
      if (error === undefined) {
        assert.is(created.name, name.trim());
        assert.equal(await asSuper(DELETE, name), { success: true });
      } else {
        assert.is(created, error, JSON.stringify(name));
        assert.is(await asSuper(UPDATE, name, 'p', false, false), error);
        assert.is(await asSuper(DELETE, name), error);
        assert.match(await asSuper(READ, name), /^105 Not found in database: Static '/);
      }
      assert.equal(await asSuper(LIST), []);
    }
  });

  test('bucket paths: every rule, with nothing changed', async () => {
    await server.bucket('fix', { path: 'elsewhere' });
    for (const [path, error] of paths) {
      const created = await asSuper(CREATE, 'b', path, false, false);
      const updated = await asSuper(UPDATE, 'fix', path, false, false);
      if (error !== undefined) {
        assert.equal([created, updated], [error, error], JSON.stringify(path.slice(0, 20)));
        assert.equal(await asSuper(LIST), ['fix']);
        assert.is((await asSuper(READ, 'fix')).path, 'elsewhere');
      } else {
        assert.is(created.path, path.trim());
        await asSuper(DELETE, 'b');
      }
    }
  });

  test('name rule before path rule before existence, the permission before all', async () => {
    const rightless = await server.app.token([]);
    const denied = (name: string, right: string) =>
      `102 Permission denied: Permission denied for static-bucket '${name}', required permission: ${right}`;
    assert.is(await asSuper(CREATE, '', '', true, true), EMPTY);
    assert.is(
      await asSuper(UPDATE, 'gone', '', true, true),
      '108 Invalid input: path cannot be empty',
    );
    assert.is(
      await asSuper(UPDATE, 'gone', 'p', true, true),
      "105 Not found in database: Static 'gone' not found",
    );
    assert.is(await asSuper(DELETE, 'gone'), "105 Not found in database: Static 'gone' not found");
    assert.is(await server.outcome(CREATE, [rightless, '', '', true, true]), denied('', 'Write'));
    assert.is(
      await server.outcome(UPDATE, [rightless, 'gone', '..', true, true]),
      denied('gone', 'Write'),
    );
    assert.is(await server.outcome(DELETE, [rightless, '..']), denied('..', 'Delete'));
    assert.is(await server.outcome(READ, [rightless, 'gone']), denied('gone', 'Read'));
  });

  test('a name that is taken: `already exists`, whatever the rest says', async () => {
    await server.bucket('b', { root: true });
    const taken = "103 Database error: Static 'b' already exists";
    assert.is(await asSuper(CREATE, 'b', 'other', false, false), taken);
    assert.is(await asSuper(CREATE, ' b ', 'b', true, false), taken);
    const race = await Promise.all([1, 2, 3, 4].map(() => asSuper(CREATE, 'r', 'r', false, false)));
    assert.is(race.filter((answer) => typeof answer === 'object').length, 1);
    const lost = race.filter((answer) => typeof answer === 'string');
    assert.equal(lost, Array(3).fill("103 Database error: Static 'r' already exists"));
  });

  test('one HTTP root, disabled ones counted; the root may be updated and handed over', async () => {
    const second = '108 Invalid input: Another static already has is_http_root enabled';
    await server.bucket('a', { root: true });
    await server.bucket('b');
    assert.is(await asSuper(CREATE, 'c', 'c', true, false), second);
    assert.is(await asSuper(UPDATE, 'b', 'b', true, false), second);
    assert.is((await asSuper(UPDATE, 'a', 'a', true, true, false)).enable, false);
    assert.is(await asSuper(UPDATE, 'b', 'b', true, false), second);
    assert.is((await asSuper(UPDATE, 'a', 'a', false, true)).is_http_root, false);
    assert.is((await asSuper(UPDATE, 'b', 'b', true, false)).is_http_root, true);
    const race = await Promise.all(
      ['x', 'y', 'z'].map(async (name) => {
        await asSuper(UPDATE, 'b', 'b', false, false);
        return asSuper(CREATE, name, name, true, false);
      }),
    );
    assert.is(race.filter((answer) => typeof answer === 'object').length, 1);
  });

  test('overlapping directories are refused; a neighbour with the same beginning is none', async () => {
    await server.bucket('a', { path: 'sites/one' });
    const overlap = "108 Invalid input: path overlaps the directory of static 'a'";
    for (const path of ['sites/one', './sites//one/', 'sites/one/deep', 'sites']) {
      assert.is(await asSuper(CREATE, 'b', path, false, false), overlap, path);
    }
    await server.bucket('b', { path: 'sites/one-more' });
    assert.is(await asSuper(UPDATE, 'b', 'sites/one/x', false, false), overlap);
    assert.is(
      (await asSuper(UPDATE, 'a', 'sites/one/', true, false)).path,
      'sites/one/',
      'its own place',
    );
    assert.is((await asSuper(UPDATE, 'a', 'sites/one/x', false, false)).path, 'sites/one/x');
  });

  test('rows of an older program that overlap can still be switched off and moved away', async () => {
    await server.bucket('a', { path: 'same' });
    await server.app.sql("insert into static_file (name, path) values ('old', 'same')");
    await server.app.restart();
    assert.is((await asSuper(UPDATE, 'old', 'same', false, false, false)).enable, false);
    assert.is((await asSuper(UPDATE, 'old', 'other', false, false)).path, 'other');
  });

  test('update: `enable` absent keeps, null stores null, by position and by name', async () => {
    await server.bucket('b');
    const update = async (...rest: unknown[]) =>
      (await asSuper(UPDATE, 'b', 'b', false, false, ...rest)).enable;
    assert.equal(
      [await update(), await update(false), await update(), await update(null), await update()],
      [true, false, false, null, null],
    );
    const named = {
      token: server.app.superToken,
      name: 'b',
      path: 'b',
      is_http_root: false,
      cors: false,
    };
    const byName = async (more: object) =>
      (await server.app.call(UPDATE, { ...named, ...more })).enable;
    assert.equal(
      [await byName({ enable: false }), await byName({ id: 7 }), await byName({ enable: null })],
      [false, false, null],
    );
    assert.is((await asSuper(READ, 'b')).enable, null);
  });

  test('a whole record comes back as parameters, unknown members ignored', async () => {
    const record = await server.bucket('theme');
    const token = server.app.superToken;
    const params = { token, ...record, is_http_root: true, extra: [] };
    assert.equal(await server.app.call(UPDATE, params), { ...record, is_http_root: true });
  });

  test('malformed parameters are -32602 before the credential is looked at', async () => {
    const bad: [string, unknown[]][] = [
      [CREATE, ['x', 'b', 'b', false]],
      [CREATE, ['x', 'b', 'b', 0, false]],
      [CREATE, ['x', 'b', null, false, false]],
      [UPDATE, ['x', 'b', 'b', false, false, 'yes']],
      [READ, ['x', 5]],
      [READ, ['x']],
      [DELETE, ['x', null]],
      [LIST, []],
      [LIST, [5]],
    ];
    for (const [method, params] of bad)
      assert.is(
        await server.outcome(method, params),
        '-32602 Invalid params',
        JSON.stringify(params),
      );
  });

  test('permissions: each method its own word; scope by name, prefix or global', async () => {
    await server.bucket('site-a');
    await server.bucket('other');
    const calls: [method: string, word: string, rest: unknown[]][] = [
      [READ, 'read', []],
      [UPDATE, 'write', ['site-a', false, false]],
    ];
    for (const bucket of [undefined, 'site-a', 'site-*', '*']) {
      for (const [method, word, rest] of calls) {
        const token = await server.app.token(may(bucket, word));
        assert.type(await server.outcome(method, [token, 'site-a', ...rest]), 'object');
        const refused = await server.outcome(method === READ ? UPDATE : READ, [
          token,
          'site-a',
          'site-a',
          false,
          false,
        ]);
        assert.match(
          refused,
          /^102 Permission denied: Permission denied for static-bucket 'site-a', required permission: (Read|Write)$/,
        );
      }
    }
    const token = await server.app.token(may('site-*', 'read', 'write', 'delete'));
    assert.match(await server.outcome(READ, [token, 'other']), /^102 /);
    assert.match(await server.outcome(CREATE, [token, 'new', 'new', false, false]), /^102 /);
    assert.type(await server.outcome(CREATE, [token, 'site-b', 'site-b', false, false]), 'object');
    assert.equal(await server.outcome(DELETE, [token, 'site-b']), { success: true });
    assert.is(
      await server.outcome(READ, ['no:body', 'other']),
      '102 Permission denied: Invalid credentials',
    );
    assert.match(
      await server.outcome(READ, ['neither', 'other']),
      /^101 Parse error: Failed to parse token: /,
    );
  });

  test('the right is asked for the trimmed name: that is the record which would change', async () => {
    await server.bucket('site');
    const token = await server.app.token(may('site', 'write', 'delete'));
    assert.is((await server.outcome(UPDATE, [token, ' site ', 'site', false, true])).cors, true);
    const prefix = await server.app.token(may(' *', 'write', 'delete'));
    assert.match(await server.outcome(DELETE, [prefix, ' site']), /^102 /);
    assert.equal(await server.outcome(DELETE, [token, 'site\n']), { success: true });
  });

  test('a token outside its validity is refused', async () => {
    await server.bucket('b');
    const late = await server.app.token(may('b', 'read'), { timestamp_to: 1 });
    assert.match(await server.outcome(READ, [late, 'b']), /^102 .*required permission: Read$/);
  });

  test('list is for the Super Token; everything else is 102 with one text', async () => {
    const all = await server.app.token(may(undefined, 'read', 'write', 'delete'));
    const only = '102 Permission denied: Only SuperToken can list all static names';
    assert.is(await server.outcome(LIST, [all]), only);
    assert.is(await server.outcome(LIST, ['no:body']), only);
    const key = server.app.superToken.split(':')[0];
    assert.is(await server.outcome(LIST, [`${key}:wrong`]), only);
    assert.match(
      await server.outcome(LIST, ['neither']),
      /^102 Permission denied: Parse error: Failed to parse token: /,
    );
    assert.equal(await server.outcome(LIST, [`root|${server.app.rootPassword}`]), []);
  });

  test('a directory that cannot be made is only logged', async () => {
    await writeFile(server.disk('file'), '');
    assert.is((await asSuper(CREATE, 'b', 'file/below', false, false)).name, 'b');
    assert.equal(await asSuper('static-bucket-file_list', 'b'), []);
  });

  test('a bucket directory reached over a link is not used, wherever the link leads', async () => {
    await server.bucket('a', { path: 'real' });
    await server.put('real/secret.txt', 'x');
    await symlink(server.disk('real'), server.disk('inside'));
    await symlink('/', server.disk('outside'));
    for (const path of ['inside', 'outside', 'outside/etc']) {
      await asSuper(CREATE, 'b', path, false, false);
      const refused = '108 Invalid input: Invalid path: path traversal detected';
      assert.is(await asSuper('static-bucket-file_read', 'b', 'secret.txt'), refused);
      assert.is(await asSuper('static-bucket-file_upload', 'b', 'new.txt', [1]), refused);
      assert.is(await asSuper('static-bucket-file_list', 'b'), refused);
      assert.is((await server.app.fetch('/svc/static/b/secret.txt')).status, 400);
      await asSuper(DELETE, 'b');
    }
    assert.equal(await readdir(server.disk('real')), ['secret.txt']);
  });

  test('rows changed by SQL are seen after the announcement that the database changed', async () => {
    await server.bucket('b');
    await server.app.sql("update static_file set cors = true where name = 'b'");
    assert.is((await asSuper(READ, 'b')).cors, false, 'the cache is what is read');
    (server.app.kernel as any).kernelOf('static-bucket').publish(DatabaseChanged, {});
    await eventually(async () => assert.is((await asSuper(READ, 'b')).cors, true));
  });

  test('a path that SQL put there is checked again before it is used', async () => {
    await server.put('../outside.txt', 'secret');
    await server.app.sql("insert into static_file (name, path) values ('evil', '..')");
    await server.app.restart();
    assert.match(await asSuper('static-bucket-file_read', 'evil', 'outside.txt'), /^108 /);
    assert.is((await server.app.fetch('/svc/static/evil/outside.txt')).status, 400);
  });

  test('the static root may be missing at start and is made by the first upload', async () => {
    await rm(server.disk(), { recursive: true });
    await server.app.restart();
    await server.bucket('b');
    await rm(server.disk(), { recursive: true });
    assert.equal(await asSuper('static-bucket-file_list', 'b'), []);
    assert.equal(await asSuper('static-bucket-file_upload', 'b', 'a', [1]), { success: true });
    assert.ok(existsSync(server.disk('b', 'a')));
  });

  test.run();
}

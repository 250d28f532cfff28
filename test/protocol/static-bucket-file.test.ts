// proof: 5
// static-bucket.md §6: files of buckets over RPC.

import { execFileSync } from 'node:child_process';
import { lstatSync, readFileSync, statSync } from 'node:fs';
import { chmod, mkdir, readdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import * as fc from 'fast-check';
import * as assert from 'uvu/assert';
import { oneDialect } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { MTIME_S, type StaticServer, staticServer } from './static-kit.ts';
import { eventually } from './token-kit.ts';

const UPLOAD = 'static-bucket-file_upload';
const READ = 'static-bucket-file_read';
const DELETE = 'static-bucket-file_delete';
const RENAME = 'static-bucket-file_rename';
const LIST = 'static-bucket-file_list';

const OK = { success: true };
const OUTSIDE = '108 Invalid input: Invalid path: path traversal detected';
const GONE = "105 Not found in database: Static 'gone' not found";
const base64 = (content: string | Uint8Array) => Buffer.from(content).toString('base64');

/** Base64 texts and whether they are the one canonical spelling of something. */
// biome-ignore format: one case per line
const texts: [text: string, ok: boolean][] = [
  ['', true], ['QQ==', true], ['QUI=', true], ['QUJD', true], ['+/+/', true],
  ['QQ', false], ['QQ=', false], ['QQ===', false], ['=', false], ['====', false], ['QR==', false], ['QUJ=', false],
  ['QQ==QQ==', false], ['QUJD\n', false], [' QUJD', false], ['QU JD', false], ['-_-_', false], ['QUJ\u0141', false], ['QUJ\u0000', false], ['Q', false], ['ä===', false],
];

const may = (bucket: string, ...words: string[]) => ({
  scopes: [{ static_bucket: bucket }],
  permissions: words.map((word) => ({ static_bucket_file: word })),
});

for (const dialect of oneDialect) {
  const test = suite(`static-bucket-file (${dialect})`);
  let server: StaticServer;
  let asSuper: StaticServer['asSuper'];

  test.before.each(async () => {
    server = await staticServer({ dialect });
    asSuper = server.asSuper;
    await server.bucket('b');
  });
  test.after.each(() => server.app.stop());

  const names = async () => (await asSuper(LIST, 'b')).map(({ path }: { path: string }) => path);
  const onDisk = (path: string) => readFileSync(server.disk('b', path), 'utf8');

  test('upload, read, list, rename, delete', async () => {
    assert.equal(await asSuper(UPLOAD, 'b', 'css/a.css', null, base64('body {}')), OK);
    assert.equal(await asSuper(UPLOAD, 'b', 'index.html', [60, 98, 62]), OK);
    assert.is(await asSuper(READ, 'b', 'css/a.css'), base64('body {}'));
    assert.is(await asSuper(READ, 'b', 'index.html'), base64('<b>'));
    const list = await asSuper(LIST, 'b');
    const mtime = (path: string) => Math.floor(statSync(server.disk('b', path)).mtimeMs);
    assert.equal(list, [
      { path: 'css/a.css', size: 7, mtime: mtime('css/a.css') },
      { path: 'index.html', size: 3, mtime: mtime('index.html') },
    ]);
    assert.equal(await asSuper(RENAME, 'b', 'index.html', 'old/index.html'), OK);
    assert.equal(await asSuper(DELETE, 'b', 'css/a.css'), OK);
    assert.equal(await names(), ['old/index.html']);
    assert.equal((await readdir(server.disk('b', 'css'))).length, 0, 'an empty parent stays');
  });

  test('upload: exactly one of body and base64, null is absent, empty is present', async () => {
    const both = '108 Invalid input: Cannot provide both body and base64';
    const neither = '108 Invalid input: Must provide either body or base64';
    // biome-ignore format: one case per line
    const cases: [rest: unknown[], expected: unknown][] = [
      [[[1], 'QQ=='], both], [[[], ''], both],
      [[], neither], [[null, null], neither], [[null], neither],
      [[[]], OK], [[null, ''], OK], [[[0, 255], null], OK],
    ];
    for (const [rest, expected] of cases) {
      assert.equal(await asSuper(UPLOAD, 'b', 'f', ...rest), expected, JSON.stringify(rest));
      const elsewhere = await asSuper(UPLOAD, 'gone', '..', ...rest);
      assert.is(elsewhere, expected === OK ? GONE : expected, 'before the bucket is looked up');
      const nameless = await asSuper(UPLOAD, 'no name', 'f', ...rest);
      const invalid =
        '108 Invalid input: name contains invalid characters (only [A-Za-z0-9_.-] are allowed)';
      assert.is(nameless, expected === OK ? invalid : expected);
    }
    assert.equal([...readFileSync(server.disk('b', 'f'))], [0, 255]);
    const named = { token: server.app.superToken, name: 'b', path: 'n', base64: 'QQ==' };
    assert.equal(await server.app.call(UPLOAD, named), OK);
  });

  test('upload: a long list of bytes is written, and refused where it holds anything else', async () => {
    const long = Array.from({ length: 120_000 }, (_, n) => n % 256);
    assert.equal(await asSuper(UPLOAD, 'b', 'long', long), OK);
    assert.ok(readFileSync(server.disk('b', 'long')).equals(Buffer.from(long)));
    await rm(server.disk('b', 'long'));
    for (const other of ['1,2', [1, 2], 256])
      for (const at of [0, 119_999]) {
        const outcome = await asSuper(UPLOAD, 'b', 'long', long.toSpliced(at, 0, other as number));
        assert.match(String(outcome), /-32602/);
      }
    assert.equal(await names(), []);
  });

  test('upload: bytes only, or -32602 before the credential', async () => {
    for (const body of [[256], [-1], [1.5], ['1'], [null], 'text', {}, true]) {
      assert.is(await server.outcome(UPLOAD, ['x', 'b', 'f', body]), '-32602 Invalid params');
    }
    for (const text of [5, [], {}, false]) {
      assert.is(await server.outcome(UPLOAD, ['x', 'b', 'f', null, text]), '-32602 Invalid params');
    }
    assert.equal(await names(), []);
  });

  test('upload: base64 in its one canonical spelling only', async () => {
    for (const [text, ok] of texts) {
      const answer = await asSuper(UPLOAD, 'b', 'f', null, text);
      if (ok) assert.equal(answer, OK, text);
      else assert.match(answer, /^108 Invalid input: Invalid base64: /, text);
      if (ok) assert.is(await asSuper(READ, 'b', 'f'), text);
    }
    assert.match(
      await asSuper(UPLOAD, 'b', '../x', null, '='),
      /Invalid base64/,
      'before the path rule',
    );
    assert.is(await asSuper(UPLOAD, 'gone', 'f', null, '='), GONE, 'after the lookup');
  });

  test('upload: long base64 too, with padding at its end only', async () => {
    const whole = 'QUJD'.repeat(600_000);
    for (const end of ['', 'QQ==', 'QUI=']) {
      assert.equal(await asSuper(UPLOAD, 'b', 'long', null, whole + end), OK);
      const stored = readFileSync(server.disk('b', 'long'));
      assert.ok(stored.equals(Buffer.from(whole + end, 'base64')), `stored with the end "${end}"`);
    }
    await rm(server.disk('b', 'long'));
    // At the end of what is a power of two, where a part may end, and within.
    for (const at of [2 ** 18, 2 ** 19, 2 ** 20, 2 ** 20 + 2 ** 19, 2 ** 21].map((end) => end - 4))
      for (const wrong of ['QQ==', 'QUJ-']) {
        const text = whole.slice(0, at) + wrong + whole.slice(at + 4);
        const answer = await asSuper(UPLOAD, 'b', 'long', null, text);
        assert.match(answer, /^108 Invalid input: Invalid base64: /, `${wrong} at ${at}`);
      }
    assert.equal(await names(), []);
  });

  test('what is uploaded is what is read, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), fc.boolean(), async (bytes, asArray) => {
        const content = asArray ? [[...bytes]] : [null, base64(bytes)];
        assert.equal(await asSuper(UPLOAD, 'b', 'any', ...content), OK);
        assert.is(await asSuper(READ, 'b', 'any'), base64(bytes));
      }),
      { numRuns: 30 },
    );
  });

  test('a theme file of 2 MB comes and goes', async () => {
    const bytes = Buffer.alloc(2_000_001, 'svc');
    assert.equal(await asSuper(UPLOAD, 'b', 'big', null, base64(bytes)), OK);
    assert.is(await asSuper(READ, 'b', 'big'), base64(bytes));
  });

  test('upload replaces as a whole: readers never see a part, the mode stays', async () => {
    const [old, fresh] = ['o'.repeat(300_000), 'f'.repeat(300_000)];
    await asSuper(UPLOAD, 'b', 'f', null, base64(old));
    await chmod(server.disk('b', 'f'), 0o640);
    let writing = true;
    const seen = new Set<string>();
    const watch = (async () => {
      while (writing) {
        const text = Buffer.from(await asSuper(READ, 'b', 'f'), 'base64').toString();
        seen.add(text === old ? 'old' : text === fresh ? 'fresh' : 'torn');
      }
    })();
    for (let turn = 0; turn < 10; turn++) {
      await asSuper(UPLOAD, 'b', 'f', null, base64(turn % 2 === 0 ? fresh : old));
    }
    writing = false;
    await watch;
    assert.not.ok(seen.has('torn'));
    assert.is(statSync(server.disk('b', 'f')).mode & 0o777, 0o640);
    assert.equal(await readdir(server.disk('b')), ['f'], 'no temporary file is left');
  });

  test('uploads of one file at once: one of them wins as a whole, none is left over', async () => {
    const bodies = Array.from({ length: 12 }, (_, n) => String.fromCharCode(97 + n).repeat(50_000));
    const answers = await Promise.all(
      bodies.map((text) => asSuper(UPLOAD, 'b', 'd/f', null, base64(text))),
    );
    assert.equal(
      answers,
      bodies.map(() => OK),
    );
    assert.ok(bodies.includes(onDisk('d/f')));
    assert.equal(await readdir(server.disk('b', 'd')), ['f']);
  });

  test('upload onto a directory, through a file, or with a name too long is 101 without a path of the machine', async () => {
    await asSuper(UPLOAD, 'b', 'dir/f', [1]);
    const cases: [path: string, error: string][] = [
      ['', '101 IO error: Failed to write file: is a directory'],
      ['.', '101 IO error: Failed to write file: is a directory'],
      ['dir', '101 IO error: Failed to write file: is a directory'],
      ['dir/', '101 IO error: Failed to write file: is a directory'],
      ['dir/f/below', '101 IO error: Failed to write file: a parent is no directory'],
      ['n'.repeat(256), '101 IO error: Failed to write file: name too long'],
      [`new/dir/${'n'.repeat(256)}`, '101 IO error: Failed to write file: name too long'],
      [`${'deep/'.repeat(900)}f`, '101 IO error: Failed to write file: name too long'],
      [`${'d/'.repeat(100)}f`, '101 IO error: Failed to write file: name too long'],
    ];
    for (const [path, error] of cases)
      assert.is(await asSuper(UPLOAD, 'b', path, [1]), error, path);
    assert.equal(await names(), ['dir/f']);
    assert.equal(await readdir(server.disk('b')), ['dir'], 'no directory was made on the way');
    assert.equal(await asSuper(UPLOAD, 'b', `${'d/'.repeat(99)}${'n'.repeat(255)}`, [1]), OK);
  });

  test('read: missing 105, directory 101, empty file the empty text', async () => {
    await asSuper(UPLOAD, 'b', 'dir/empty', []);
    // biome-ignore format: one case per line
    const cases: [path: string, expected: string][] = [
      ['dir/empty', ''],
      ['nope//x.txt', '105 Not found in database: File not found: nope//x.txt'],
      ['dir/nope', '105 Not found in database: File not found: dir/nope'],
      ['', '101 IO error: Failed to read file: is a directory'],
      ['dir', '101 IO error: Failed to read file: is a directory'],
      ['dir/empty/x', '101 IO error: Failed to read file: a parent is no directory'],
    ];
    for (const [path, expected] of cases) assert.is(await asSuper(READ, 'b', path), expected, path);
  });

  test('a pipe is no file: it is neither read nor listed, and no request waits for it', async () => {
    execFileSync('mkfifo', [server.disk('b', 'pipe')]);
    assert.match(await asSuper(READ, 'b', 'pipe'), /^105 /);
    assert.is((await server.app.fetch('/svc/static/b/pipe')).status, 404);
    assert.equal(await names(), []);
  });

  test('delete: twice the same, a directory is 101, a link goes itself', async () => {
    await asSuper(UPLOAD, 'b', 'dir/f', [1]);
    await symlink('dir/f', server.disk('b', 'link'));
    await symlink('/etc/hostname', server.disk('b', 'leading-out'));
    const directory = /^101 IO error: Failed to delete file: /;
    for (const path of ['', 'dir', 'dir/'])
      assert.match(await asSuper(DELETE, 'b', path), directory);
    assert.match(await asSuper(DELETE, 'b', 'dir/f/x'), directory);
    for (const path of ['link', 'leading-out', 'nope', 'nope/deep', 'link']) {
      assert.equal(await asSuper(DELETE, 'b', path), OK, path);
    }
    assert.equal(await names(), ['dir/f']);
    assert.equal(await readdir(server.disk('b')), ['dir']);
  });

  test('rename: every row of the chapter', async () => {
    const put = (path: string, text: string) => asSuper(UPLOAD, 'b', path, null, base64(text));
    for (const path of ['a', 'c', 'dir/f', 'full/x', 'dir2/g']) await put(path, path);
    await mkdir(server.disk('b', 'void'));
    // biome-ignore format: one case per line
    const cases: [from: string, to: string, expected: unknown][] = [
      ['nope', 'x/y', '105 Not found in database: Source file not found: nope'],
      ['deep//nope', 'x/y', '105 Not found in database: Source file not found: deep//nope'],
      ['nope', './nope', OK], ['a', './/a', OK],
      ['dir', 'full', '101'], ['a', 'dir', '101'], ['dir', 'dir/in', '101'], ['dir', 'dir/new/in', '101'],
      ['', 'x', '101'], ['dir', '', '101'], ['a', 'c/x', '101'], ['a/x', 'y', '101'], ['dir', 'c', '101'],
      ['a', 'c', OK], ['dir', 'moved/here', OK], ['dir2', 'void', OK],
    ];
    for (const [from, to, expected] of cases) {
      const answer = await asSuper(RENAME, 'b', from, to);
      if (expected === '101')
        assert.match(answer, /^101 IO error: Failed to rename file: /, `${from} → ${to}`);
      else assert.equal(answer, expected, `${from} → ${to}`);
    }
    assert.equal(await names(), ['c', 'full/x', 'moved/here/f', 'void/g']);
    assert.is(onDisk('c'), 'a');
    const top = (await readdir(server.disk('b'))).sort();
    assert.equal(top, ['c', 'full', 'moved', 'void'], 'refused calls made no directory');
  });

  test('list: regular files only, hidden ones too, in byte order', async () => {
    assert.equal(await asSuper(LIST, 'b'), []);
    const paths = ['a/b', 'a-b', 'a.b', 'B', '.hidden', 'é', '\u{1F600}', '\uFFFD', 'a b', '.d/x'];
    for (const path of paths) await server.put(`b/${path}`, 'x');
    await mkdir(server.disk('b', 'empty-dir'));
    await symlink('B', server.disk('b', 'link'));
    await symlink('a', server.disk('b', 'link-to-dir'));
    await writeFile(
      Buffer.concat([Buffer.from(`${server.disk('b')}/`), Buffer.from([0xff, 0x41])]),
      'x',
    );
    await server.put('b/.upload-0123456789abcdef.part', 'unfinished');
    const sorted = [...paths].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const list = await asSuper(LIST, 'b');
    assert.equal(
      list.map(({ path }: { path: string }) => path),
      sorted,
    );
    assert.equal(list[0], { path: sorted[0], size: 1, mtime: MTIME_S * 1000 });
  });

  test('list with a path: the files below that directory, by their paths in the bucket', async () => {
    for (const path of ['a/b/c', 'a/b/d/e', 'a/f', 'ab/g', 'h']) await server.put(`b/${path}`, 'x');
    await mkdir(server.disk('b', 'empty'));
    await mkdir(server.disk('outside'));
    await symlink('a', server.disk('b', 'inside'));
    await symlink('../outside', server.disk('b', 'out'));
    const everything = ['a/b/c', 'a/b/d/e', 'a/f', 'ab/g', 'h'];
    const file = '101 IO error: Failed to read dir is a file';
    // biome-ignore format: one case per line
    const cases: [path: unknown, expected: unknown][] = [
      [undefined, everything], [null, everything], ['', everything], ['.', everything],
      ['a', ['a/b/c', 'a/b/d/e', 'a/f']], ['a/', ['a/b/c', 'a/b/d/e', 'a/f']], ['./a//b', ['a/b/c', 'a/b/d/e']], ['a/b/d', ['a/b/d/e']],
      ['inside/b', ['inside/b/c', 'inside/b/d/e']],
      ['empty', []], ['nope', []], ['a/nope/deeper', []], ['A', []],
      ['h', file], ['a/f', file], ['a/f/below', '101 IO error: Failed to read dir a parent is no directory'],
      ['..', OUTSIDE], ['/', OUTSIDE], ['/a', OUTSIDE], ['a/../ab', OUTSIDE], ['a\\b', OUTSIDE], ['out', OUTSIDE],
      [5, '-32602 Invalid params'],
    ];
    for (const [path, expected] of cases) {
      const byPosition = await asSuper(LIST, 'b', ...(path === undefined ? [] : [path]));
      const named = { token: server.app.superToken, name: 'b', path };
      for (const answer of [byPosition, await server.outcome(LIST, named)]) {
        const found = Array.isArray(answer) ? answer.map((one) => one.path) : answer;
        assert.equal(found, expected, JSON.stringify(path));
      }
    }
    const [first] = await asSuper(LIST, 'b', 'a/b');
    assert.equal(first, { path: 'a/b/c', size: 1, mtime: MTIME_S * 1000 });
    assert.is(await asSuper(LIST, 'gone', '..'), GONE, 'after the lookup of the bucket');
  });

  test('an absolute path is refused, and nothing happens; with leading_slash = "strip" one slash is dropped', async () => {
    const calls = (path: string): [method: string, ...rest: unknown[]][] => [
      [UPLOAD, path, [65]],
      [READ, path],
      [RENAME, path, 'there.txt'],
      [RENAME, 'here.txt', path],
      [LIST, path],
      [DELETE, path],
    ];
    await asSuper(UPLOAD, 'b', 'here.txt', [65]);
    for (const path of ['/etc/passwd', '/here.txt', '/', '//here.txt', '/C:/x'])
      for (const [method, ...rest] of calls(path))
        assert.is(await asSuper(method, 'b', ...rest), OUTSIDE, `${method} ${path}`);
    assert.equal(await names(), ['here.txt']);
    await server.app.stop();

    server = await staticServer({ dialect }, { 'static-bucket-file': { leading_slash: 'strip' } });
    asSuper = server.asSuper;
    await server.bucket('b');
    for (const path of ['//here.txt', '/C:/x', '/../x', '//'])
      for (const [method, ...rest] of calls(path))
        assert.is(await asSuper(method, 'b', ...rest), OUTSIDE, `${method} ${path}`);
    assert.equal(await asSuper(UPLOAD, 'b', '/css/here.txt', [65]), OK);
    assert.is(await asSuper(READ, 'b', '/css/here.txt'), 'QQ==');
    assert.equal(await asSuper(RENAME, 'b', '/css/here.txt', '/there.txt'), OK);
    assert.equal(await names(), ['there.txt']);
    assert.is((await asSuper(LIST, 'b', '/')).length, 1);
    assert.equal(await asSuper(LIST, 'b', '/css'), []);
    assert.is(await asSuper(READ, 'b', '/'), '101 IO error: Failed to read file: is a directory');
    assert.equal(await asSuper(DELETE, 'b', '/there.txt'), OK);
    assert.equal(await names(), []);
  });

  test('list: times before 1970 are 0; no directory, or a file in its place, is an empty list', async () => {
    await server.put('b/old', 'x', -1000);
    assert.is((await asSuper(LIST, 'b'))[0].mtime, 0);
    await rename(server.disk('b'), server.disk('away'));
    assert.equal(await asSuper(LIST, 'b'), []);
    await writeFile(server.disk('b'), 'a file');
    assert.equal(await asSuper(LIST, 'b'), []);
  });

  test('an unfinished upload is never read, served, overwritten or moved', async () => {
    const name = '.upload-0123456789abcdef.part';
    await server.put(`b/${name}`, 'unfinished');
    await asSuper(UPLOAD, 'b', 'f', [1]);
    const calls: [string, unknown[]][] = [
      [READ, [name]],
      [UPLOAD, [name, [1]]],
      [DELETE, [name]],
      [RENAME, ['f', name]],
      [RENAME, [name, 'g']],
    ];
    for (const [method, rest] of calls) assert.is(await asSuper(method, 'b', ...rest), OUTSIDE);
    assert.is((await server.app.fetch(`/svc/static/b/${name}`)).status, 400);
    assert.is(onDisk(name), 'unfinished');
  });

  test('name rule (untrimmed), then bucket, then path, in every method', async () => {
    const methods: [string, (path: string) => unknown[]][] = [
      [UPLOAD, (path) => [path, [1]]],
      [READ, (path) => [path]],
      [DELETE, (path) => [path]],
      [RENAME, (path) => [path, 'x']],
      [RENAME, (path) => ['x', path]],
    ];
    for (const [method, rest] of methods) {
      assert.match(await asSuper(method, ' b', ...rest('..')), /^108 Invalid input: name contains/);
      assert.is(
        await asSuper(method, '', ...rest('..')),
        '108 Invalid input: name cannot be empty',
      );
      assert.is(await asSuper(method, 'gone', ...rest('..')), GONE);
      assert.is(await asSuper(method, 'b', ...rest('..')), OUTSIDE);
    }
    assert.match(await asSuper(LIST, ' b'), /^108 /);
    assert.is(await asSuper(LIST, 'gone'), GONE);
  });

  test('a disabled bucket still takes calls', async () => {
    await asSuper('static-bucket_update', 'b', 'b', false, false, false);
    assert.equal(await asSuper(UPLOAD, 'b', 'f', [65]), OK);
    assert.is(await asSuper(READ, 'b', 'f'), 'QQ==');
    assert.equal(await names(), ['f']);
  });

  test('permissions: each word allows its own methods and nothing else', async () => {
    await server.bucket('other');
    await asSuper(UPLOAD, 'b', 'f', [65]);
    const calls: [method: string, right: string, rest: unknown[]][] = [
      [UPLOAD, 'write', ['g', [1]]],
      [READ, 'read', ['f']],
      [DELETE, 'delete', ['none']],
      [LIST, 'list', []],
    ];
    for (const word of ['read', 'write', 'delete', 'list']) {
      const token = await server.app.token([may('b*', word)]);
      for (const [method, right, rest] of calls) {
        const denied = (bucket: string) =>
          `102 Permission denied: Permission denied for static-bucket-file '${bucket}', required permission: ${right.replace(/^./, (first) => first.toUpperCase())}`;
        const answer = await server.outcome(method, [token, 'b', ...rest]);
        if (word === right) assert.not.match(JSON.stringify(answer), /102/);
        else assert.is(answer, denied('b'));
        assert.is(await server.outcome(method, [token, 'other', ...rest]), denied('other'));
      }
    }
  });

  test('rename needs write and delete, from one entry or from two', async () => {
    const attempt = async (...limits: unknown[]) => {
      await asSuper(UPLOAD, 'b', 'f', [65]);
      return server.outcome(RENAME, [await server.app.token(limits), 'b', 'f', 'g']);
    };
    const lacks = (right: string) =>
      `102 Permission denied: Permission denied for static-bucket-file 'b', required permission: ${right}`;
    assert.is(await attempt(may('b', 'write', 'read', 'list')), lacks('Delete'));
    assert.is(await attempt(may('b', 'delete', 'read', 'list')), lacks('Write'));
    assert.is(await attempt(may('b', 'write'), may('other', 'delete')), lacks('Delete'));
    assert.equal(await attempt(may('b', 'write', 'delete')), OK);
    assert.equal(await attempt(may('b', 'write'), may('*', 'delete')), OK);
  });

  test('a file or a list larger than a response may be is -32008, before it is read', async () => {
    await server.app.stop();
    server = await staticServer({ dialect }, { max_response_body_size: 3_000 });
    asSuper = server.asSuper;
    await server.bucket('b');
    await server.put('b/fits', Buffer.alloc(2_100));
    await server.put('b/large', Buffer.alloc(2_250));
    assert.is((await asSuper(READ, 'b', 'fits')).length, 2_800);
    assert.is(await asSuper(READ, 'b', 'large'), '-32008 Response is too big');
    for (let n = 0; n < 60; n++) await server.put(`b/file-${n}`, '');
    assert.is(await asSuper(LIST, 'b'), '-32008 Response is too big');
  });

  test('static_path follows a reload at once', async () => {
    await server.put('b/f', 'old');
    const other = `${server.app.dir}/other`;
    await mkdir(`${other}/b`, { recursive: true });
    await writeFile(`${other}/b/f`, 'new');
    const file = `${server.app.dir}/config.toml`;
    const config = readFileSync(file, 'utf8').replace(
      /^static_path = .*$/m,
      `static_path = "${other}"`,
    );
    await writeFile(file, config);
    assert.is(await (await server.app.fetch('/svc/static/b/f')).text(), 'old');
    await server.app.reload();
    assert.is(await asSuper(READ, 'b', 'f'), base64('new'));
    assert.is(await (await server.app.fetch('/svc/static/b/f')).text(), 'new');
  });

  test('a whole directory may vanish while it is listed', async () => {
    for (let n = 0; n < 40; n++) await server.put(`b/d${n}/f`, 'x');
    const [list] = await Promise.all([
      asSuper(LIST, 'b'),
      rm(server.disk('b'), { recursive: true }),
    ]);
    assert.ok(Array.isArray(list), JSON.stringify(list));
  });

  test('what a killed server left unfinished is removed after a day, and nothing else', async () => {
    await server.app.stop();
    server = await staticServer({ dialect, clock: true });
    asSuper = server.asSuper;
    await server.bucket('astray');
    await rm(server.disk('astray'), { recursive: true });
    await symlink('elsewhere', server.disk('astray'));
    await server.bucket('b');
    const now_s = Math.floor(Date.now() / 1000);
    const day_s = 86_400;
    await server.put('b/d/.upload-0123456789abcdef.part', 'old', now_s - day_s - 60);
    await server.put('b/.upload-fedcba9876543210.part', 'still going on', now_s);
    await server.put('b/upload.part', 'a file', now_s - 10 * day_s);
    await server.put('elsewhere/.upload-0123456789abcdef.part', 'left behind', now_s - 2 * day_s);
    await symlink('../elsewhere', server.disk('b', 'link'));
    await server.app.clock.advance(3_600_000);
    await eventually(async () => assert.equal(await readdir(server.disk('b', 'd')), []));
    const left = (await readdir(server.disk('b'))).sort();
    assert.equal(left, ['.upload-fedcba9876543210.part', 'd', 'link', 'upload.part']);
    assert.is((await readdir(server.disk('elsewhere'))).length, 1);
  });

  test('the times of a replaced file are those of the upload', async () => {
    await server.put('b/f', 'old');
    await utimes(server.disk('b', 'f'), 1, 1);
    const before = Date.now() - 1000;
    await asSuper(UPLOAD, 'b', 'f', [1]);
    assert.ok(lstatSync(server.disk('b', 'f')).mtimeMs > before);
  });

  test.run();
}

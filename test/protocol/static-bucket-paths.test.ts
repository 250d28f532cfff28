// proof: 6
// static-bucket.md §2: no spelling of a path leads out of a bucket.

import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readlink, rm, symlink } from 'node:fs/promises';
import * as posix from 'node:path/posix';
import * as win32 from 'node:path/win32';
import type { TestSocket } from '@svc/plugin-sdk/testing';
import * as fc from 'fast-check';
import * as assert from 'uvu/assert';
import type { PathForm } from '../../plugins/static-bucket/src/api.ts';
import { wirePath } from '../../plugins/static-bucket/src/wire-path.ts';
import { loop, oneDialect } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { rawGet, type StaticServer, staticServer } from './static-kit.ts';

const REFUSED = '108 Invalid input: Invalid path: path traversal detected';
const SECRET = 'the secret outside';

/** Spellings of a dot, of a separator, and what may stand before; every combination is tried. */
const dots = ['.', '%2e', '%2E', '%252e', '%c0%ae', '%u002e', '%ef%bc%8e', '%e2%80%a4'];
const separators = ['/', '%2f', '%2F', '\\', '%5c', '%252f', '%c0%af', '//', '/./', ';/'];
const prefixes = ['', '/', '//', 'css/', 'css/../', './', 'css/%00/', 'a.css/'];

const climbing = dots.flatMap((dot) =>
  separators.flatMap((separator) =>
    prefixes.flatMap((prefix) => [`${prefix}${dot}${dot}${separator}secret.txt`]),
  ),
);
const mixed = [
  '.%2e',
  '%2e.',
  '.%2E',
  '..%00',
  '%00..',
  '..%0a',
  '.. ',
  ' ..',
  '..%20',
  '...',
  '....',
  '..;',
  '..%3b',
  '..%09',
  '..%01',
];
// biome-ignore format: a list
const others = [
  ...mixed.flatMap((dot) => [`${dot}/secret.txt`, `css/${dot}/${dot}/secret.txt`]),
  '..', '../', '/..', 'css/../..', '../b/../secret.txt', '../b', '../b/index.html', '.././../secret.txt', '..\\..\\secret.txt',
  'C:/secret.txt', 'c:\\secret.txt', 'C:', 'C:secret.txt', './C:/secret.txt', '/C:/secret.txt', '%43:/secret.txt', 'C%3a/secret.txt', 'C%3A%5csecret.txt',
  '//secret.txt', '///etc/passwd', '//etc/passwd', '/%2fetc/passwd', '%2f%2fetc/passwd', '\\\\host\\share\\secret.txt', '//host/share/secret.txt', '%5c%5chost%5cshare',
  'index.html%00', 'index.html%00.css', '%00', '%00/../secret.txt', 'css%00/../../secret.txt', 'file:///etc/passwd', 'file:%2f%2f/etc/passwd', '~/secret.txt', '~root/x', '$HOME/x',
  '%', '%2', '%zz', '%c3%28', '%ff', '%ed%a0%80', '%f8%88%80%80%80', '\u00ff', '\u00c3\u0028', 'secret.txt%2f..%2f..', '%2e%2e%2f%2e%2e%2fsecret.txt', '..%5c..%5csecret.txt',
  'NUL', 'CON', 'nul.txt', 'aux/x', 'COM1', 'index.html::$DATA', 'index.html.', 'index.html%20', 'INDEX~1.HTM', `${'a/'.repeat(3000)}x`, `${'../'.repeat(1000)}secret.txt`, 'a'.repeat(5000),
];
const hostile = [...new Set([...climbing, ...others])];

/** Decoded once, where that can be done. */
function decoded(form: string): string {
  try {
    return decodeURIComponent(form);
  } catch {
    return form;
  }
}

const rules = suite('bucket paths');

/** What each form makes of a path; `'108'` and `'url'` are refusals. */
// biome-ignore format: one case per line
const forms: [text: string, rpc: readonly string[] | '108', http: readonly string[] | '108' | 'url', webdav: readonly string[] | '108' | 'url'][] = [
  ['css/a.css', ['css', 'a.css'], ['css', 'a.css'], ['css', 'a.css']],
  ['/css/a.css', '108', ['css', 'a.css'], ['css', 'a.css']],
  ['//css/a.css', '108', ['css', 'a.css'], ['css', 'a.css']],
  ['', [], [], []], ['/', '108', [], []], ['.', [], [], []], ['././/', [], [], []],
  ['a/./b//c/', ['a', 'b', 'c'], ['a', 'b', 'c'], ['a', 'b', 'c']],
  ['a/../b', '108', '108', '108'], ['..', '108', '108', '108'], ['a/..', '108', '108', '108'],
  ['...', ['...'], ['...'], ['...']], ['..a', ['..a'], ['..a'], ['..a']], ['.a.', ['.a.'], ['.a.'], ['.a.']],
  ['a\\b', '108', '108', '108'], ['a\0b', '108', '108', '108'], ['C:', '108', '108', '108'], ['/c:/x', '108', '108', '108'], ['./C:x', '108', '108', '108'],
  ['a/C:x', ['a', 'C:x'], ['a', 'C:x'], ['a', 'C:x']], ['1:x', ['1:x'], ['1:x'], ['1:x']],
  ['a%2fb', ['a%2fb'], ['a', 'b'], '108'], ['%2e%2e', ['%2e%2e'], '108', '108'], ['a%5cb', ['a%5cb'], '108', '108'], ['%252e', ['%252e'], ['%2e'], ['%2e']],
  ['%', ['%'], 'url', 'url'], ['%ff', ['%ff'], 'url', 'url'], ['a b/ü', ['a b', 'ü'], ['a b', 'ü'], ['a b', 'ü']], ['a%20b', ['a%20b'], ['a b'], ['a b']], ['%c3%bc', ['%c3%bc'], ['ü'], ['ü']],
  ['\ud800', '108', '108', '108'], ['\u{1F600}', ['\u{1F600}'], ['\u{1F600}'], ['\u{1F600}']],
  ['.upload-0123456789abcdef.part', '108', '108', '108'], ['d/.UPLOAD-0123456789ABCDEF.PART/x', '108', '108', '108'],
];

/** Segments, or the kind of refusal. */
function read(text: string, form: PathForm, platform?: NodeJS.Platform) {
  try {
    return [...wirePath(text, form, platform)];
  } catch (error) {
    if (error instanceof URIError) return 'url';
    return String((error as { code: number }).code);
  }
}

rules('every caller has its own spelling, and all have one rule', () => {
  for (const [text, rpc, http, webdav] of forms) {
    const found = [read(text, 'rpc'), read(text, 'http'), read(text, 'webdav')];
    assert.equal(found, [rpc, http, webdav], JSON.stringify(text));
  }
});

rules('on Windows, device names and what it silently changes are refused too', () => {
  const bad = [
    'NUL',
    'con',
    'aux.txt',
    'COM1',
    'lpt9.x',
    'COM¹',
    'a.',
    'a ',
    'a:b',
    'a?',
    'a*',
    'a|b',
    'a<',
    'a"',
  ];
  for (const name of bad) {
    assert.is(read(`d/${name}/x`, 'rpc', 'win32'), '108', name);
    assert.equal(read(`d/${name}/x`, 'rpc', 'linux'), ['d', name, 'x']);
  }
  for (const name of ['console', 'nully', 'com10', 'a.b', 'a b']) {
    assert.equal(read(name, 'rpc', 'win32'), [name]);
  }
});

rules(
  'property: what is accepted lies below the directory, on every platform, and means the same again',
  async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '..',
        '.',
        '/',
        '\\',
        '%2e',
        '%2f',
        '%5c',
        '%00',
        '\0',
        'C:',
        ':',
        '%',
        'a',
        'ü',
        ' ',
        '\ud800',
        '%c0%ae',
        '~',
        ';',
      ),
      fc.string({ unit: 'binary', maxLength: 3 }),
    );
    const path = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
    const form = fc.constantFrom<PathForm>('rpc', 'http', 'webdav');
    const platform = fc.constantFrom<NodeJS.Platform>('linux', 'win32', 'darwin');
    await fc.assert(
      fc.property(path, form, platform, (text, as, on) => {
        const segments = read(text, as, on);
        if (typeof segments === 'string') {
          assert.ok(['108', 'url'].includes(segments));
          return;
        }
        const inPosix = posix.join('/bucket', ...segments);
        assert.ok(inPosix === '/bucket' || inPosix.startsWith('/bucket/'));
        assert.is(inPosix.split('/').length, 2 + segments.length);
        if (on === 'win32') {
          const inWindows = win32.join('X:\\bucket', ...segments);
          assert.ok(inWindows === 'X:\\bucket' || inWindows.startsWith('X:\\bucket\\'), inWindows);
        }
        assert.equal(read(segments.join('/'), 'rpc', on), segments);
      }),
      { numRuns: loop(1_000, 20_000) },
    );
  },
);

rules('at least 500 hostile forms are tried below', () => {
  assert.ok(hostile.length >= 500, `${hostile.length} forms`);
});

rules.run();

for (const dialect of oneDialect) {
  const test = suite(`hostile paths (${dialect})`);
  let server: StaticServer;
  let socket: TestSocket;

  test.before.each(async () => {
    server = await staticServer({ dialect });
    await server.bucket('b', { root: true, cors: true });
    await server.put('b/index.html', 'index');
    await server.put('b/css/a.css', 'css');
    await server.put('secret.txt', SECRET);
    await server.put('../secret.txt', SECRET);
    socket = await server.app.connect();
  });
  test.after.each(() => server.app.stop());

  const outcome = (method: string, ...rest: unknown[]): Promise<any> =>
    socket
      .call(`static-bucket-file_${method}`, [server.app.superToken, 'b', ...rest])
      .catch((error) => `${error.code} ${error.message}`);
  /** Everything outside of the bucket. */
  const outside = async () => [
    (await readdir(server.app.dir)).filter((name) => !name.includes('.db')).sort(),
    (await readdir(server.disk())).sort(),
    readFileSync(server.disk('secret.txt'), 'utf8'),
    readFileSync(server.disk('..', 'secret.txt'), 'utf8'),
  ];
  /** As the rule says it, in other words than the code. */
  const mustRefuse = (path: string) => /^\/|(^|\/)\.\.(\/|$)|\\|\0|^(\.\/+)*[A-Za-z]:/.test(path);

  test('over RPC: refused or harmless, with nothing outside read or changed', async () => {
    const before = await outside();
    for (const path of new Set(hostile.flatMap((form) => [form, decoded(form)]))) {
      const answers = [
        await outcome('read', path),
        await outcome('upload', path, [1]),
        await outcome('rename', 'css/a.css', path),
        await outcome('rename', path, 'css/a.css'),
        await outcome('delete', path),
      ];
      if (mustRefuse(path)) {
        assert.equal(
          answers,
          answers.map(() => REFUSED),
          path.slice(0, 60),
        );
      } else {
        assert.not.ok(answers.includes(Buffer.from(SECRET).toString('base64')), path.slice(0, 60));
      }
      if (!existsSync(server.disk('b/css/a.css'))) await server.put('b/css/a.css', 'css');
    }
    assert.equal(await outside(), before);
  });

  test('over HTTP, byte for byte as written: 400 or 404, never a file from outside', async () => {
    const check = async (form: string) => {
      const target = form.replaceAll(' ', '%20');
      for (const url of [`/svc/static/b/${target}`, `/${target}`]) {
        const { status, body } = await server.raw(rawGet(url));
        const text = body.toString();
        assert.not.match(text, SECRET, url.slice(0, 80));
        const harmless = status === 200 && ['index', 'css'].includes(text);
        // Behind the bucket's name in a URL, a slash more is an empty part.
        const relative = decoded(form).replace(/^\/+/, '');
        const expected = [400, 404].includes(status) || (harmless && !mustRefuse(relative));
        assert.ok(expected, `${status} ${url.slice(0, 80)}`);
      }
    };
    for (let at = 0; at < hostile.length; at += 16)
      await Promise.all(hostile.slice(at, at + 16).map(check));
  });

  test('over HTTP: the name of the bucket is no path', async () => {
    for (const name of [
      '..',
      '.',
      '%2e%2e',
      '%2e',
      'b%2f..',
      'b%2f..%2f..',
      '..%2fb',
      'b%00',
      'b%5c..',
      'B',
      '%62%20',
    ]) {
      const { status, body } = await server.raw(rawGet(`/svc/static/${name}/secret.txt`));
      assert.is(status, 404, name);
      assert.is(body.toString(), 'Static not found');
    }
    assert.is((await server.raw(rawGet('/svc/static/%62/css/a.css'))).status, 200);
  });

  test('links that lead out are refused everywhere, and nothing behind them changes', async () => {
    const links: [name: string, target: string][] = [
      ['file', '../secret.txt'],
      ['absolute', server.disk('secret.txt')],
      ['dir', '..'],
      ['css/up', '../../'],
      ['chain', 'dir/secret.txt'],
      ['sibling', '../b-more'],
    ];
    await mkdir(server.disk('b-more'));
    for (const [name, target] of links) await symlink(target, server.disk('b', name));
    const before = await outside();
    const paths = [
      'file',
      'absolute',
      'dir/secret.txt',
      'css/up/secret.txt',
      'chain',
      'sibling/new',
    ];
    for (const path of paths) {
      const there = path === 'sibling/new' ? undefined : REFUSED;
      if (there) assert.is(await outcome('read', path), there, path);
      assert.is(await outcome('upload', path, [1]), REFUSED, path);
      if (path.includes('/')) {
        assert.is(await outcome('delete', path), REFUSED, path);
        assert.is(await outcome('rename', path, 'stolen'), REFUSED, path);
        assert.is(await outcome('rename', 'css/a.css', path), REFUSED, path);
      }
      for (const prefix of ['/svc/static/b/', '/']) {
        const { status, body } = await server.raw(rawGet(prefix + path));
        assert.is(status, there ? 400 : 404, path);
        assert.not.match(body.toString(), SECRET);
      }
    }
    const list = await outcome('list');
    assert.equal(
      list.map(({ path }: { path: string }) => path),
      ['css/a.css', 'index.html'],
    );
    assert.equal(await outside(), before);
    assert.equal(await readdir(server.disk('b-more')), []);
  });

  test('new directories are not made behind a link, nor through a link to nothing', async () => {
    await mkdir(server.disk('elsewhere'));
    await symlink('../elsewhere', server.disk('b', 'out'));
    await symlink('../not-there', server.disk('b', 'void'));
    for (const path of ['out/a/b/c', 'out/new.txt', 'void/a', 'void']) {
      assert.match(await outcome('upload', path, [1]), /^10[18] /, path);
      assert.match(await outcome('rename', 'css/a.css', `${path}/x/y`), /^10[18] /, path);
    }
    assert.equal(await readdir(server.disk('elsewhere')), []);
    assert.equal((await readdir(server.disk())).sort(), ['b', 'elsewhere', 'secret.txt']);
  });

  test('links inside the bucket work; an upload goes to the file behind them', async () => {
    await symlink('css', server.disk('b', 'styles'));
    await symlink('css/a.css', server.disk('b', 'latest.css'));
    assert.is(await outcome('read', 'styles/a.css'), Buffer.from('css').toString('base64'));
    assert.is(await (await server.app.fetch('/latest.css')).text(), 'css');
    assert.equal(await outcome('upload', 'latest.css', [110, 101, 119]), { success: true });
    assert.is(readFileSync(server.disk('b', 'css', 'a.css'), 'utf8'), 'new');
    assert.is(await readlink(server.disk('b', 'latest.css')), 'css/a.css');
  });

  test('a link that begins to lead out is noticed, also for a file in memory', async () => {
    await symlink('css', server.disk('b', 'now'));
    await mkdir(server.disk('out'));
    await server.put('out/a.css', SECRET);
    const get = async () => (await server.raw(rawGet('/now/a.css'))).body.toString();
    assert.is(await get(), 'css');
    await rm(server.disk('b', 'now'));
    await symlink('../out', server.disk('b', 'now'));
    const deadline = Date.now() + 30_000;
    for (let text = await get(); text === 'css' && Date.now() < deadline; text = await get());
    assert.is(await get(), 'Invalid input: Invalid path: path traversal detected');
  });

  test('a circle of links is an error of this path only', async () => {
    await symlink('two', server.disk('b', 'one'));
    await symlink('one', server.disk('b', 'two'));
    assert.is(
      await outcome('read', 'one'),
      '101 IO error: Failed to read file: too many symbolic links',
    );
    assert.is((await server.raw(rawGet('/one'))).status, 404);
    assert.is((await server.raw(rawGet('/'))).status, 200);
  });

  test.run();
}

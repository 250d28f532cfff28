// proof: 5
// static-http.md §B2, static-bucket.md §2: over WebDAV, too, no spelling of a path leads out of a bucket.

import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import * as fc from 'fast-check';
import * as assert from 'uvu/assert';
import { Addresses } from '../../plugins/static-webdav/src/addresses.ts';
import { Refusal } from '../../plugins/static-webdav/src/answers.ts';
import {
  ancestorsOf,
  isBelow,
  parentOf,
  rangeBelow,
} from '../../plugins/static-webdav/src/paths.ts';
import { loop, oneDialect } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { basicOf, type DavServer, davServer, ROOT } from './webdav-kit.ts';

const SECRET = 'the secret outside';
const dots = ['.', '%2e', '%2E', '%252e', '%c0%ae', '%ef%bc%8e'];
const separators = ['/', '%2f', '%2F', '\\', '%5c', '%252f', '%c0%af', '//', '/./', ';/'];
const prefixes = ['', '/', '//', 'css/', 'css/../', './', 'css/%00/', 'a.css/', '../b/'];
// biome-ignore format: a list
const others = [
  '..', '../', '../..', '../../..', '../../../../etc/passwd', '../other', '../other/', '../other/secret.txt', '../bb/secret.txt', '%2e%2e/other/secret.txt', '.%2e/other/secret.txt',
  '../b/../other/secret.txt', 'css/../../other/secret.txt', '../../static-webdav/other/secret.txt', '../../../svc/static-webdav/other/secret.txt', '../%62/../other/secret.txt',
  'C:/secret.txt', 'c%3a/secret.txt', 'C:', '%00', 'a%00', 'a.txt%00.css', 'css%2fa.css', 'css%5ca.css', '%', '%2', '%zz', '%c3%28', '%ff', '%ed%a0%80', '~/secret.txt',
  '.upload-0123456789abcdef.part', 'css/.upload-0123456789ABCDEF.part', '%2fetc%2fpasswd', '/etc/passwd', '//etc/passwd', 'file:///etc/passwd', '..%00/', '..%0a/secret.txt', '.../secret.txt',
  `${'../'.repeat(300)}etc/passwd`, `${'a/'.repeat(2000)}x`, 'a'.repeat(3000),
];
const hostile = [
  ...new Set([
    ...dots.flatMap((dot) =>
      separators.flatMap((separator) =>
        prefixes.map((prefix) => `${prefix}${dot}${dot}${separator}secret.txt`),
      ),
    ),
    ...others,
  ]),
];
const REFUSED = [400, 403, 404, 405, 409, 412, 414, 502];

for (const dialect of oneDialect) {
  const test = suite(`static-webdav paths (${dialect})`);
  let server: DavServer;

  test.before(async () => {
    server = await davServer({ dialect });
    for (const name of ['other', 'bb'])
      await server.outcomeOf('static-bucket_create', name, name, false, false);
    for (const place of [
      '../secret.txt',
      '../../secret.txt',
      '../other/secret.txt',
      '../bb/secret.txt',
    ])
      await server.put(place, SECRET);
  });
  test.after(() => server.app.stop());
  test.before.each(async () => {
    await rm(server.disk(), { recursive: true, force: true });
    await server.put('a.txt', 'a');
    await server.put('css/a.css', 'css');
  });

  /** Everything outside of the bucket, with its content. */
  const outside = async () => {
    const found: string[] = [];
    for (const folder of ['..', '../other', '../bb', '../..']) {
      for (const name of (await readdir(server.disk(folder))).sort()) {
        if (/\.db|toml/.test(name)) continue;
        const content = name.endsWith('.txt')
          ? await readFile(server.disk(folder, name), 'utf8')
          : '';
        found.push(`${folder}/${name} ${content}`);
      }
    }
    return found;
  };

  test('hostile forms, as target and as destination: refused or harmless, nothing outside is read or changed', async () => {
    assert.ok(hostile.length >= 500, `${hostile.length} forms`);
    const before = await outside();
    const authorization = basicOf(await server.token());
    const check = async (form: string) => {
      const target = `${ROOT}/b/${form.replaceAll(' ', '%20')}`;
      const asked: [method: string, target: string, headers: Record<string, string>][] = [
        ['GET', target, {}],
        ['PROPFIND', target, { depth: '1' }],
        ['PUT', target, { 'content-length': '0' }],
        ['MOVE', `${ROOT}/b/a.txt`, { destination: target, overwrite: 'F' }],
        ['COPY', target, { destination: `${ROOT}/b/stolen.txt` }],
        ['DELETE', target, {}],
      ];
      for (const [method, path, headers] of asked) {
        const { status, body } = await server.raw(method, path, { authorization, ...headers });
        assert.not.match(body.toString(), SECRET, `${method} ${form.slice(0, 80)}`);
        const isHarmless = [200, 201, 204, 207, 302].includes(status);
        assert.ok(
          isHarmless || REFUSED.includes(status),
          `${status} ${method} ${form.slice(0, 80)}`,
        );
      }
    };
    // The database has no part in paths: a share of them is enough for the second one.
    const forms = hostile.filter((_, at) => dialect === 'sqlite' || at % 5 === 0);
    for (let at = 0; at < forms.length; at += 16)
      await Promise.all(forms.slice(at, at + 16).map(check));
    assert.equal(await outside(), before);
  });

  // biome-ignore format: one case per line
  const cases: [target: string, status: number][] = [
    ['/b/../../../x', 502], ['/b/../../../../x', 403], ['/b/..', 502], ['/b/../', 502], ['/b/../other/secret.txt', 502], ['/b/%2e%2e/other/secret.txt', 502],
    ['/b/../bb/secret.txt', 502], ['/b/../b/a.txt', 200], ['/b/css/../a.txt', 200], ['/b/./css//a.css', 200], ['/b//a.txt', 200], ['/%62/a.txt', 200],
    ['/b/a%00', 400], ['/b/css%2fa.css', 400], ['/b/%zz', 400], ['/b/%ff', 400], ['/%zz/a.txt', 400], ['/b%2f../a.txt', 400], ['/b/a\\b', 400], ['/b/a%5cb', 400],
    ['/b/\u00fc', 400], ['/../b/a.txt', 502], ['/./b/a.txt', 502], ['/b/C:', 400], ['/b/.upload-0123456789abcdef.part', 400],
    [`/b/${'x'.repeat(300)}`, 414], ['/b/a.txt/', 200], ['/b/a.txt?query=../../secret.txt', 200],
  ];
  test('B2: the status of each kind of path', async () => {
    for (const [target, status] of cases) {
      const answer = await server.raw('GET', ROOT + target);
      assert.is(answer.status, status, target);
    }
  });

  test('a token for one bucket reaches no other, however the path is spelled', async () => {
    const authorization = basicOf(await server.token());
    for (const path of [
      'other/secret.txt',
      'bb/secret.txt',
      'b/../other/secret.txt',
      'other/../b/a.txt',
      '%6fther/secret.txt',
    ]) {
      const { status, body } = await server.raw('GET', `${ROOT}/${path}`, { authorization });
      assert.ok([403, 502].includes(status), `${status} ${path}`);
      assert.not.match(body.toString(), SECRET);
    }
  });

  test('links that lead out are refused by every method; removing one removes the link', async () => {
    const links: [name: string, target: string][] = [
      ['file', '../secret.txt'],
      ['absolute', server.disk('../secret.txt')],
      ['dir', '..'],
      ['css/up', '../../'],
      ['sibling', '../bb'],
      ['void', '../not-there'],
    ];
    for (const [name, target] of links) await symlink(target, server.disk(name));
    const before = await outside();
    const destination = `${ROOT}/b/stolen`;
    for (const path of [
      'file',
      'absolute',
      'dir/secret.txt',
      'css/up/secret.txt',
      'sibling/secret.txt',
    ]) {
      const asked: [string, Record<string, string>][] = [
        ['GET', {}],
        ['HEAD', {}],
        ['OPTIONS', {}],
        ['PROPFIND', { depth: '0' }],
        ['PUT', {}],
        ['COPY', { destination }],
      ];
      for (const [method, headers] of asked) {
        const answer = await server.dav(method, path, headers, method === 'PUT' ? 'x' : undefined);
        assert.is(answer.status, 403, `${method} ${path}`);
        assert.not.match(answer.text, SECRET);
      }
      if (!path.includes('/')) continue;
      assert.is((await server.dav('DELETE', path)).status, 403, path);
      assert.is((await server.dav('MOVE', path, { destination })).status, 403, path);
      const into = { destination: `${ROOT}/b/${path}`, overwrite: 'T' };
      assert.is((await server.dav('MOVE', 'a.txt', into)).status, 403, path);
      assert.is((await server.dav('COPY', 'a.txt', into)).status, 403, path);
    }
    for (const path of ['dir/new', 'sibling/new', 'void/new', 'css/up/new']) {
      for (const method of ['PUT', 'MKCOL', 'LOCK']) {
        const body =
          method === 'MKCOL'
            ? undefined
            : method === 'PUT'
              ? 'x'
              : '<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:shared/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockinfo>';
        assert.ok(
          [403, 409].includes((await server.dav(method, path, {}, body)).status),
          `${method} ${path}`,
        );
      }
    }
    assert.is((await server.dav('PUT', 'void', {}, 'x')).status, 403);
    const listed = await server.dav('PROPFIND', '', { depth: '1' });
    assert.equal(listed.text.match(/<D:href>[^<]+/g)?.length, 3);
    const copied = await server.dav('COPY', 'css', { destination: `${ROOT}/b/css2` });
    assert.equal([copied.status, await readdir(server.disk('css2'))], [201, ['a.css']]);
    for (const [name] of links) assert.is((await server.dav('DELETE', name)).status, 204, name);
    assert.equal(await outside(), before);
  });

  test('DELETE of a tree does not go through the links in it', async () => {
    await mkdir(server.disk('tree'));
    await symlink('../../bb', server.disk('tree/link'));
    await writeFile(server.disk('tree/x'), 'x');
    // A name that is no UTF-8 goes as well.
    await writeFile(Buffer.concat([Buffer.from(server.disk('tree/')), Buffer.from([0xff])]), 'x');
    const before = await outside();
    assert.is((await server.dav('DELETE', 'tree')).status, 204);
    assert.equal(await readdir(server.disk()), ['a.txt', 'css']);
    assert.equal(await outside(), before);
  });

  test.run();
}

const rules = suite('static-webdav addresses');
const addresses = new Addresses('/svc/static-webdav/');

rules('property: an address is below its bucket and its own href leads to it', async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '..',
      '.',
      '/',
      '%2e',
      '%2f',
      '%5c',
      '%00',
      '%',
      'a',
      'b',
      '%C3%BC',
      '~',
      ';',
      'svc',
      'static-webdav',
      '\u00fc',
      ' ',
    ),
    fc.string({ maxLength: 3 }),
  );
  const path = fc.array(piece, { maxLength: 10 }).map((pieces) => pieces.join(''));
  await fc.assert(
    fc.property(path, (text) => {
      try {
        const found = addresses.ofPath(`/svc/static-webdav/b${text}`);
        assert.ok(
          found.segments.every(
            (segment) => !['', '.', '..'].includes(segment) && !/[/\0]/.test(segment),
          ),
        );
        const href = addresses.href(found.bucket, found.segments, found.slash);
        assert.match(href, /^[A-Za-z0-9\-_.~/%]*$/);
        const again = addresses.ofPath(href);
        assert.equal([again.bucket, again.segments], [found.bucket, found.segments]);
        assert.equal(addresses.ofReference(`https://host:1${href}?x#y`).segments, found.segments);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        assert.ok([400, 403, 502].includes(error.answer.status));
      }
    }),
    { numRuns: loop(1_000, 10_000) },
  );
});

rules(
  'property: what lies below a directory is exactly what its range holds, by bytes',
  async () => {
    const segment = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 4 })
      .filter((text) => !/[/\0]|\p{Surrogate}/u.test(text));
    const key = fc.array(segment, { maxLength: 4 }).map((segments) => segments.join('/'));
    await fc.assert(
      fc.property(key, key, (one, other) => {
        const [from, to] = rangeBelow(one).map((text) => Buffer.from(text)) as [Buffer, Buffer];
        const bytes = Buffer.from(other);
        const isInRange = Buffer.compare(bytes, from) >= 0 && Buffer.compare(bytes, to) < 0;
        assert.is(isInRange, isBelow(other, one), JSON.stringify([one, other]));
        assert.is(ancestorsOf(other).includes(one), isBelow(other, one));
        assert.is(parentOf(other), ancestorsOf(other)[0]);
      }),
      { numRuns: loop(500, 5_000) },
    );
  },
);

rules.run();

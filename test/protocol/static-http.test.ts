// proof: 6
// static-http.md part A: files of buckets over HTTP.

import { chmod, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as assert from 'uvu/assert';
import { webType } from '../../plugin-sdk/src/http/media-types.ts';
import { oneDialect } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { MTIME_S, type RawAnswer, rawGet, type StaticServer, staticServer } from './static-kit.ts';

const TEXT = 'text/plain; charset=utf-8';
const MODIFIED = new Date(MTIME_S * 1000).toUTCString();
const OUTSIDE = 'Invalid input: Invalid path: path traversal detected';
const PREFLIGHT = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': '*',
};

/** Content types of static-http.md §A4 and of its additions. */
// biome-ignore format: one case per line
const types: [name: string, type: string][] = [
  ['a.html', 'text/html; charset=utf-8'], ['a.htm', 'text/html; charset=utf-8'], ['a.css', 'text/css; charset=utf-8'],
  ['a.js', 'application/javascript; charset=utf-8'], ['a.mjs', 'application/javascript; charset=utf-8'],
  ['a.json', 'application/json; charset=utf-8'], ['a.js.map', 'application/json; charset=utf-8'], ['a.txt', TEXT],
  ['a.xml', 'application/xml; charset=utf-8'], ['a.webmanifest', 'application/manifest+json; charset=utf-8'],
  ['a.md', 'text/markdown; charset=utf-8'], ['a.csv', 'text/csv; charset=utf-8'],
  ['a.png', 'image/png'], ['a.jpg', 'image/jpeg'], ['a.jpeg', 'image/jpeg'], ['a.gif', 'image/gif'], ['a.svg', 'image/svg+xml'], ['a.ico', 'image/x-icon'],
  ['a.webp', 'image/webp'], ['a.avif', 'image/avif'], ['a.woff2', 'font/woff2'], ['a.woff', 'font/woff'], ['a.ttf', 'font/ttf'], ['a.otf', 'font/otf'],
  ['a.wasm', 'application/wasm'], ['a.pdf', 'application/pdf'], ['a.mp4', 'video/mp4'], ['a.webm', 'video/webm'], ['a.mp3', 'audio/mpeg'],
  ['A.HTML', 'text/html; charset=utf-8'], ['a.b.Css', 'text/css; charset=utf-8'],
  ['a', 'application/octet-stream'], ['.html', 'application/octet-stream'], ['a.', 'application/octet-stream'], ['a.html.exe', 'application/octet-stream'], ['a.toString', 'application/octet-stream'],
];

for (const dialect of oneDialect) {
  const test = suite(`static-http (${dialect})`);
  let server: StaticServer;

  test.before.each(async () => {
    server = await staticServer({ dialect });
    await server.bucket('b', { cors: true });
    await server.bucket('plain');
  });
  test.after.each(() => server.app.stop());

  const get = (target: string, headers: Record<string, string> = {}, method = 'GET') =>
    server.raw(rawGet(target, headers, method));
  const text = ({ body }: RawAnswer) => body.toString();
  /** Headers that say something about the content; the others are on every answer. */
  const facts = ({ headers }: RawAnswer) => {
    assert.ok(headers['date']);
    const {
      date: _date,
      connection: _connection,
      'x-content-type-options': sniff,
      ...rest
    } = headers;
    assert.is(sniff, 'nosniff');
    return rest;
  };

  test('200: every header, for a bucket with and without CORS', async () => {
    for (const bucket of ['b', 'plain']) {
      await server.put(`${bucket}/css/a.css`, 'body {}');
      const answer = await get(`/svc/static/${bucket}/css/a.css`);
      assert.equal([answer.status, text(answer)], [200, 'body {}']);
      assert.equal(facts(answer), {
        'content-type': 'text/css; charset=utf-8',
        etag: `"${MTIME_S}-7"`,
        'content-length': '7',
        'last-modified': MODIFIED,
        'accept-ranges': 'bytes',
        'cache-control': 'no-cache',
        vary: 'accept-encoding',
        ...(bucket === 'b' ? { 'access-control-allow-origin': '*' } : {}),
      });
    }
  });

  test('HEAD: the headers of GET, its length, and no body', async () => {
    for (const size of [0, 5, 70_000]) {
      await server.put(`b/${size}.png`, Buffer.alloc(size, 'x'));
      const answer = await get(`/svc/static/b/${size}.png`, {}, 'HEAD');
      assert.equal([answer.status, answer.body.length], [200, 0]);
      assert.equal(facts(answer), facts(await get(`/svc/static/b/${size}.png`)));
      assert.is(answer.headers['content-length'], String(size));
    }
  });

  test('content types by extension, any case', async () => {
    for (const [name, type] of types) {
      assert.is(webType(name), type, name);
      await server.put(`plain/types/${name}`, 'x');
      assert.is((await get(`/svc/static/plain/types/${name}`)).headers['content-type'], type, name);
    }
  });

  test('A1: which URL names which file', async () => {
    await server.put('b/index.html', 'index');
    await server.put('b/a b ü.txt', 'spaced');
    await server.put('b/%41.txt', 'literal');
    await server.put('b/docs/index.html', 'docs');
    await server.put('b/docs/plain.txt', 'plain');
    await mkdir(server.disk('b', 'empty'));
    await mkdir(server.disk('b', 'odd', 'index.html'), { recursive: true });
    // biome-ignore format: one case per line
    const cases: [target: string, status: number, body: string, location?: string][] = [
      ['/svc/static/b', 200, 'index'], ['/svc/static/b/', 200, 'index'], ['/svc/static/b//', 200, 'index'], ['/svc/static/%62', 200, 'index'],
      ['/svc/static/b/index.html', 200, 'index'], ['/svc/static/b/.//index.html', 200, 'index'], ['/svc/static/b//index.html', 200, 'index'],
      ['/svc/static/b/index.html/', 200, 'index'], ['/svc/static/b/index.html?v=1&x=/../', 200, 'index'], ['/svc/static/b?x', 200, 'index'], ['/svc/static/b/?x', 200, 'index'],
      ['/svc/static/b/a%20b%20%C3%BC.txt', 200, 'spaced'], ['/svc/static/b/%2541.txt', 200, 'literal'], ['/svc/static/b/%41.txt', 404, 'File not found'],
      ['/svc/static/b/docs/plain.txt', 200, 'plain'], ['/svc/static/b/docs%2Fplain.txt', 200, 'plain'],
      ['/svc/static/b/docs/', 200, 'docs'], ['/svc/static/b/docs//', 200, 'docs'],
      ['/svc/static/b/docs', 302, 'Found', '/svc/static/b/docs/'], ['/svc/static/b/docs?a=b', 302, 'Found', '/svc/static/b/docs/?a=b'],
      ['/svc/static/b/empty', 404, 'File not found'], ['/svc/static/b/empty/', 404, 'File not found'], ['/svc/static/b/odd', 404, 'File not found'], ['/svc/static/b/odd/', 404, 'File not found'],
      ['/svc/static/b/docs/none.txt', 404, 'File not found'], ['/svc/static/b/none/', 404, 'File not found'], ['/svc/static/b/index.html/x', 404, 'File not found'],
      [`/svc/static/b/${'n'.repeat(300)}`, 404, 'File not found'],
      ['/svc/static/b/%', 400, 'Invalid URL: percent-encoded UTF-8 expected'], ['/svc/static/b/%zz', 400, 'Invalid URL: percent-encoded UTF-8 expected'], ['/svc/static/b/%ff', 400, 'Invalid URL: percent-encoded UTF-8 expected'], ['/svc/static/%ff/x', 400, 'Invalid URL: percent-encoded UTF-8 expected'],
      ['/svc/static/b/a%00', 400, OUTSIDE], ['/svc/static/b/../b/index.html', 400, OUTSIDE], ['/svc/static/b/docs/%2e%2e/index.html', 400, OUTSIDE], ['/svc/static/b/a%5cb', 400, OUTSIDE],
      ['/svc/static/B/index.html', 404, 'Static not found'], ['/svc/static/none', 404, 'Static not found'], ['/svc/static/none/', 404, 'Static not found'], ['/svc/static/__proto__/x', 404, 'Static not found'],
    ];
    for (const [target, status, body, location] of cases) {
      const answer = await get(target);
      assert.equal([answer.status, text(answer)], [status, body], target.slice(0, 60));
      assert.is(answer.headers['location'], location);
      if (status >= 400) assert.is(answer.headers['content-type'], TEXT);
      const isOurs = !body.startsWith('Static not') && !body.startsWith('Invalid URL');
      assert.is(answer.headers['access-control-allow-origin'], isOurs ? '*' : undefined, target);
    }
  });

  test('A2 row 1: an unknown or disabled bucket, with every method, never with CORS', async () => {
    await server.put('b/index.html', 'index');
    await server.asSuper('static-bucket_update', 'b', 'b', false, true, false);
    for (const bucket of ['b', 'none']) {
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PROPFIND']) {
        const answer = await get(
          `/svc/static/${bucket}/index.html`,
          { origin: 'http://x' },
          method,
        );
        assert.is(answer.status, 404);
        assert.is(text(answer), method === 'HEAD' ? '' : 'Static not found');
        assert.is(answer.headers['content-type'], TEXT);
        assert.is(answer.headers['access-control-allow-origin'], undefined);
      }
    }
    for (const enable of [null, true]) {
      await server.asSuper('static-bucket_update', 'b', 'b', false, true, enable);
      assert.is((await get('/svc/static/b/index.html')).status, 200);
    }
  });

  test('A2 rows 2 and 3: preflight with CORS; every other method is 405', async () => {
    for (const path of ['', '/', '/none.txt', '/..%2f', '/index.html']) {
      const answer = await get(`/svc/static/b${path}`, { origin: 'http://x' }, 'OPTIONS');
      assert.equal([answer.status, answer.body.length], [204, 0]);
      assert.equal(facts(answer), PREFLIGHT);
    }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'OPTIONS']) {
      const answer = await get('/svc/static/plain/..', {}, method);
      assert.equal([answer.status, text(answer)], [405, 'Method not allowed'], method);
      assert.equal(facts(answer), { allow: 'GET, HEAD, OPTIONS', 'content-length': '18' });
    }
    const withCors = await get('/svc/static/b/x', {}, 'POST');
    assert.equal([withCors.status, withCors.headers['access-control-allow-origin']], [405, '*']);
  });

  test('a refused method with a body does not confuse the next request of the connection', async () => {
    await server.put('b/a.txt', 'a');
    const body = 'GET /svc/static/b/none HTTP/1.1\r\nhost: x\r\n\r\n';
    const first = `PUT /svc/static/b/a.txt HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    const answer = await server.raw(first + rawGet('/svc/static/b/a.txt'));
    assert.is(answer.status, 405);
    assert.not.match(text(answer), 'File not found');
  });

  test('what cannot be read is 404 without a word of the operating system', async () => {
    await symlink('loop', server.disk('b', 'loop'));
    await server.put('b/file', 'x');
    for (const path of ['loop', 'file/below', 'file/below/']) {
      const answer = await get(`/svc/static/b/${path}`);
      assert.equal([answer.status, text(answer)], [404, 'File not found'], path);
    }
    if (process.getuid?.() === 0) return;
    await server.put('b/hidden', 'x');
    await chmod(server.disk('b', 'hidden'), 0);
    assert.is((await get('/svc/static/b/hidden')).status, 404);
  });

  test('a bucket whose directory is gone, or is a file, has no files', async () => {
    await server.put('b/a', 'x');
    assert.is((await get('/svc/static/b/a')).status, 200);
    await rename(server.disk('b'), server.disk('away'));
    for (let n = 0; n < 2; n++) {
      const wait = Date.now() + 150;
      while (Date.now() < wait) await new Promise((resolve) => setImmediate(resolve));
      assert.is((await get('/svc/static/b/a')).status, 404);
      assert.is((await get('/svc/static/b/')).status, 404);
      if (n === 0) await writeFile(server.disk('b'), 'now a file');
    }
  });

  test('two versions within one second have different tags', async () => {
    const tags = new Set<string>();
    const letters = [...'abcdefghijkl'];
    for (const letter of letters) {
      await server.asSuper('static-bucket-file_upload', 'b', 'f', [letter.charCodeAt(0)]);
      const answer = await get('/svc/static/b/f');
      assert.is(text(answer), letter, 'an upload is seen at once');
      assert.match(answer.headers['etag'] ?? '', /^"\d{10}-1(-\d{1,6})?"$/);
      tags.add(answer.headers['etag'] ?? '');
    }
    assert.is(tags.size, letters.length);
  });

  test('a pre-compressed sibling is sent to who takes it', async () => {
    const plain = 'let a = 1;\n'.repeat(100);
    const coded = gzipSync(plain);
    for (const size of ['small', 'large'] as const) {
      const content = size === 'small' ? plain : plain.repeat(100);
      await server.put(`b/${size}.js`, content);
      await server.put(`b/${size}.js.gz`, gzipSync(content));
      await server.put(`b/${size}.js.br`, 'pretended brotli');
      // biome-ignore format: one case per line
      const cases: [accept: string | undefined, encoding: string | undefined][] = [
        [undefined, undefined], ['', undefined], ['identity', undefined], ['gzip', 'gzip'], ['x-gzip', 'gzip'], ['GZIP', 'gzip'], ['br', 'br'],
        ['gzip, deflate, br', 'br'], ['gzip;q=1.0, br;q=0', 'gzip'], ['br;q=0.000, gzip;q=0', undefined], ['*', 'br'], ['br;q=0, *', 'gzip'], ['*;q=0', undefined], ['brotli', undefined], ['zstd', undefined],
      ];
      for (const [accept, encoding] of cases) {
        const answer = await get(
          `/svc/static/b/${size}.js`,
          accept === undefined ? {} : { 'accept-encoding': accept },
        );
        const { headers } = answer;
        assert.is(headers['content-encoding'], encoding, `${size} ${accept}`);
        assert.is(headers['content-type'], 'application/javascript; charset=utf-8');
        assert.is(headers['vary'], 'accept-encoding');
        assert.is(headers['content-length'], String(answer.body.length));
        if (encoding === undefined) assert.is(text(answer), content);
        if (encoding === 'gzip') assert.is(gunzipSync(answer.body).toString(), content);
        if (encoding === 'br') assert.is(text(answer), 'pretended brotli');
      }
      const tags = await Promise.all(
        ['identity', 'gzip', 'br'].map(
          async (accept) =>
            (await get(`/svc/static/b/${size}.js`, { 'accept-encoding': accept })).headers['etag'],
        ),
      );
      assert.is(new Set(tags).size, 3, 'every encoding has its own tag');
      for (const [index, accept] of ['identity', 'gzip', 'br'].entries()) {
        const again = await get(`/svc/static/b/${size}.js`, {
          'accept-encoding': accept,
          'if-none-match': tags[index] as string,
        });
        assert.equal([again.status, again.headers['vary']], [304, 'accept-encoding']);
      }
      const part = await get(`/svc/static/b/${size}.js`, {
        'accept-encoding': 'br',
        range: 'bytes=0-2',
      });
      assert.equal(
        [part.status, text(part), part.headers['content-encoding']],
        [206, 'let', undefined],
      );
    }
    assert.ok(coded.length < plain.length);
  });

  test('a sibling that is older, larger, a directory or leads out is no good', async () => {
    const accept = { 'accept-encoding': 'gzip, br' };
    await server.put('b/a.js', 'x'.repeat(100), MTIME_S);
    await server.put('b/a.js.gz', 'older', MTIME_S - 1);
    await mkdir(server.disk('b', 'a.js.br'));
    await server.put('b/b.js', 'x', MTIME_S);
    await server.put('b/b.js.gz', 'larger', MTIME_S);
    await server.put('b/c.js', 'x'.repeat(100), MTIME_S);
    await server.put('secret', 'secret');
    await symlink('../secret', server.disk('b', 'c.js.br'));
    await server.put('b/d.png', 'x'.repeat(100));
    await server.put('b/d.png.gz', 'no use');
    for (const name of ['a.js', 'b.js', 'c.js', 'd.png']) {
      const answer = await get(`/svc/static/b/${name}`, accept);
      assert.equal(
        [answer.status, answer.headers['content-encoding'], text(answer)[0]],
        [200, undefined, 'x'],
        name,
      );
    }
    assert.is(
      (await get('/svc/static/b/a.js.gz')).headers['content-type'],
      'application/octet-stream',
    );
  });

  test('with a brand the routes follow, and a path of the other word is no route', async () => {
    await server.app.stop();
    server = await staticServer({ dialect }, { brand: { word: 'acme' } });
    await server.bucket('b');
    await server.put('b/a.txt', 'a');
    assert.is(text(await get('/acme/static/b/a.txt')), 'a');
    assert.is((await get('/svc/static/b/a.txt')).status, 405);
    assert.is((await get('/acme/static/b/%ff')).status, 400);
  });

  test('the memory cache is bounded, and 0 switches it off', async () => {
    for (const memory_cache_bytes of [0, 100_000]) {
      await server.app.stop();
      server = await staticServer({ dialect }, { 'static-bucket-file': { memory_cache_bytes } });
      await server.bucket('b');
      for (let turn = 0; turn < 2; turn++) {
        for (let n = 0; n < 12; n++) {
          if (turn === 0) await server.put(`b/${n}`, Buffer.alloc(30_000, `${n}`));
          const { body } = await get(`/svc/static/b/${n}`);
          assert.ok(body.equals(Buffer.alloc(30_000, `${n}`)));
        }
      }
    }
  });

  test.run();
}

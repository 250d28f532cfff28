// static-http.md part B: access, methods and their failures. Locks, properties, paths and bodies have files of their own.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { mediaType } from '../../plugin-sdk/src/http/media-types.ts';
import { suite } from '../runner/suite.ts';
import {
  basic,
  basicOf,
  type DavServer,
  davServer,
  type Headers,
  multistatus,
  RIGHTS,
  ROOT,
  send,
} from './webdav-kit.ts';

const FILE = 'HEAD,GET,PATCH,PUT,OPTIONS,PROPFIND,COPY,MOVE,DELETE,LOCK,UNLOCK';
const DIRECTORY = 'OPTIONS,PROPFIND,COPY,MOVE,DELETE,LOCK,UNLOCK';
const ETAG = /^"[0-9a-f]+-[0-9a-f]+-[0-9a-f]+"$/;

/** How to make a directory that even this user cannot take things out of; undefined where there is none. */
const protection = protectionHere();
if (!protection) process.stdout.write('  skipped: root without chattr may remove everything\n');

function protectionHere(): [protect: string[], release: string[]] | undefined {
  if (process.getuid?.() !== 0)
    return [
      ['chmod', '500'],
      ['chmod', '700'],
    ];
  const folder = mkdtempSync(join(tmpdir(), 'svc-protect-'));
  const works = spawnSync('chattr', ['+i', folder]).status === 0;
  if (works) spawnSync('chattr', ['-i', folder]);
  rmdirSync(folder);
  return works
    ? [
        ['chattr', '+i'],
        ['chattr', '-i'],
      ]
    : undefined;
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`static-webdav (${dialect})`);
  let server: DavServer;

  test.before(async () => {
    server = await davServer({ dialect });
  });
  test.after(() => server.app.stop());
  test.before.each(async () => {
    for (const name of await readdir(server.disk()).catch(() => []))
      await server.dav('DELETE', encodeURIComponent(name));
    await server.put('a.txt', 'content of a');
    await server.put('d/inner.txt', 'inner');
    await server.put('d/e/deep.txt', 'deep');
    await mkdir(server.disk('empty'));
  });

  const at = (path: string) => `${ROOT}/b/${path}`;
  const text = (path: string) => readFile(server.disk(path), 'utf8');
  const exists = (path: string) =>
    stat(server.disk(path)).then(
      () => true,
      () => false,
    );

  test('B1: without credentials, with others or wrong ones, every method is 401 with a challenge', async () => {
    const token = server.app.superToken;
    const fields: [name: string, field: string | undefined][] = [
      ['no field', undefined],
      ['another scheme', `Bearer ${Buffer.from(token).toString('base64')}`],
      ['two spaces', `Basic  ${Buffer.from(token).toString('base64')}`],
      ['no base64', 'Basic !!!'],
      ['no padding', `Basic ${Buffer.from('k:ss').toString('base64').replace('=', '')}x`],
      ['no colon', `Basic ${Buffer.from('user').toString('base64')}`],
      ['no UTF-8', `Basic ${Buffer.from([0xff, 0x3a, 0xfe]).toString('base64')}`],
      ['nothing', 'Basic '],
      ['wrong secret', basicOf(`${token}x`)],
      ['unknown user', basic('nobody', 'secret')],
    ];
    for (const [name, field] of fields) {
      for (const bucket of ['b', 'unknown']) {
        const headers: Headers = field === undefined ? {} : { authorization: field };
        const answer = await send(`${server.app.url}${ROOT}/${bucket}/`, 'PROPFIND', headers);
        assert.equal(
          [answer.status, answer.headers['www-authenticate'], answer.text],
          [401, 'Basic realm="svc Static WebDAV"', 'Authentication required'],
          name,
        );
      }
    }
    for (const method of ['OPTIONS', 'GET', 'PUT', 'LOCK', 'POST', 'TRACE'])
      assert.is((await send(`${server.app.url}${ROOT}/b/a.txt`, method)).status, 401, method);
  });

  test('B1: key and secret as well as username and password, of tokens and of the root account', async () => {
    const account = { username: `user ${dialect}`, password: 'pass:word|ü' };
    const token = await server.token(account);
    for (const authorization of [
      basicOf(token),
      basic(account.username, account.password),
      basicOf(server.app.superToken),
      basic('root', server.app.rootPassword),
    ]) {
      const answer = await server.dav('GET', 'a.txt', { authorization });
      assert.equal([answer.status, answer.text], [200, 'content of a']);
    }
  });

  test('B1: all four permissions on the bucket are needed for every method; scopes may be patterns', async () => {
    const onB = { static_bucket: 'b' };
    const cases: [limits: unknown, status: number][] = [
      [[{ scopes: [onB], permissions: RIGHTS }], 200],
      [[{ scopes: ['global'], permissions: RIGHTS }], 200],
      [[{ scopes: [{ static_bucket: 'b*' }], permissions: RIGHTS }], 200],
      [[{ scopes: [{ static_bucket: '*' }], permissions: RIGHTS }], 200],
      [RIGHTS.map((right) => ({ scopes: [onB], permissions: [right] })), 200],
      [[{ scopes: [{ static_bucket: 'bb' }], permissions: RIGHTS }], 403],
      [[{ scopes: [{ static_bucket: '' }], permissions: RIGHTS }], 403],
      [[], 403],
      ...RIGHTS.map((without): [unknown, number] => [
        [{ scopes: [onB], permissions: RIGHTS.filter((right) => right !== without) }],
        403,
      ]),
    ];
    for (const [limits, status] of cases) {
      const authorization = basicOf(await server.app.token(limits));
      for (const method of ['OPTIONS', 'GET']) {
        const answer = await server.dav(method, 'a.txt', { authorization });
        assert.is(answer.status, status, `${method} ${JSON.stringify(limits)}`);
        if (status !== 403) continue;
        assert.is(answer.headers['content-type'], 'text/plain; charset=utf-8');
        assert.is(answer.text, 'Forbidden: insufficient StaticBucketFile permissions');
      }
    }
    const expired = await server.token({ timestamp_to: 1 });
    assert.is((await server.dav('GET', 'a.txt', { authorization: basicOf(expired) })).status, 403);
  });

  test('B1: an unknown bucket is 404, after the credential; a disabled one works', async () => {
    const unknown = await server.dav('GET', `${ROOT}/nothing/a.txt`);
    assert.equal(
      [unknown.status, unknown.headers['content-type'], unknown.text],
      [404, 'text/plain; charset=utf-8', 'Static bucket not found'],
    );
    const update = (enable: boolean) =>
      server.app.call('static-bucket_update', [
        server.app.superToken,
        'b',
        'b',
        false,
        false,
        enable,
      ]);
    await update(false);
    assert.is((await server.dav('GET', 'a.txt')).status, 200);
    await update(true);
  });

  test('B1: the paths above a bucket are none of WebDAV, but say on OPTIONS that it is here', async () => {
    for (const path of ['/', '/svc', '/svc/static-webdav', '/svc/static-webdav/']) {
      const answer = await send(`${server.app.url}${path}`, 'OPTIONS');
      assert.match(answer.headers['dav'] ?? '', /^1,2,3\b/, path);
      assert.is(answer.headers['ms-author-via'], 'DAV', path);
      const other = await send(`${server.app.url}${path}`, 'PROPFIND');
      assert.is(other.status, 405, path);
      assert.is(other.headers['dav'], undefined);
    }
  });

  test('B2: the directory of the current record is used, at once', async () => {
    const update = (path: string) =>
      server.app.call('static-bucket_update', [server.app.superToken, 'b', path, false, false]);
    await update('elsewhere');
    assert.is((await server.dav('GET', 'a.txt')).status, 404);
    assert.is((await server.dav('PUT', 'new.txt', {}, 'x')).status, 201);
    await update('b');
    assert.is((await server.dav('GET', 'a.txt')).status, 200);
    assert.is((await server.dav('GET', 'new.txt')).status, 404);
  });

  test('B3: unknown methods are 501 and close; bodies where none belongs 415; large ones 413', async () => {
    for (const method of ['POST', 'TRACE', 'REPORT', 'MKCALENDAR', 'SEARCH', 'BIND', 'ACL']) {
      const answer = await server.raw(method, at('a.txt'));
      assert.equal([answer.status, answer.headers['connection']], [501, 'close'], method);
      assert.is(answer.headers['content-length'], '0');
    }
    const destination = at('copy.txt');
    for (const method of ['GET', 'MKCOL', 'DELETE', 'COPY', 'MOVE', 'OPTIONS', 'UNLOCK', 'HEAD']) {
      assert.is((await server.dav(method, 'a.txt', { destination }, 'body')).status, 415, method);
      const large = 'x'.repeat(65_537);
      assert.is((await server.dav(method, 'a.txt', { destination }, large)).status, 413, method);
    }
    for (const method of ['PROPFIND', 'PROPPATCH', 'LOCK']) {
      const large = `<!--${'x'.repeat(65_530)}-->`;
      assert.is((await server.dav(method, 'a.txt', {}, large)).status, 413, method);
    }
    assert.is(await text('a.txt'), 'content of a');
  });

  test('B3: what fails has no body but its length; a 404 tells Windows not to keep it', async () => {
    const plain = await server.dav('GET', 'missing');
    assert.equal([plain.status, plain.text, plain.headers['content-length']], [404, '', '0']);
    assert.is(plain.headers['cache-control'], undefined);
    const agent = { 'user-agent': 'Microsoft-WebDAV-MiniRedir/10.0.19045' };
    const { headers } = await server.dav('PROPFIND', 'missing', { ...agent, depth: '0' });
    assert.equal(
      [headers['cache-control'], headers['expires'], headers['vary']],
      ['no-store, no-cache, must-revalidate', '0', '*'],
    );
    assert.is(headers['access-control-allow-origin'], undefined);
  });

  test('B4: OPTIONS tells what each kind of resource allows', async () => {
    const cases: [path: string, allow: string][] = [
      ['missing', 'OPTIONS,MKCOL,PUT,LOCK'],
      ['a.txt', FILE],
      ['d', DIRECTORY],
      ['d/', DIRECTORY],
      ['', DIRECTORY.replace('MOVE,DELETE,', '')],
    ];
    for (const [path, allow] of cases) {
      const { status, headers } = await server.dav('OPTIONS', path);
      assert.equal([status, headers['allow'], headers['content-length']], [200, allow, '0'], path);
      assert.is(headers['dav'], '1,2,3,sabredav-partialupdate');
      assert.is(headers['ms-author-via'], 'DAV');
    }
    assert.is((await server.dav('OPTIONS', `${ROOT}/b`)).status, 200);
  });

  test('B5: GET and HEAD of a file, of ranges and of directories', async () => {
    const whole = await server.dav('GET', 'a.txt');
    assert.equal([whole.status, whole.text], [200, 'content of a']);
    const { etag = '', 'last-modified': modified = '' } = whole.headers;
    assert.match(etag, ETAG);
    assert.is(modified, (await stat(server.disk('a.txt'))).mtime.toUTCString());
    assert.is(whole.headers['accept-ranges'], 'bytes');
    assert.is(whole.headers['content-type'], 'text/plain');
    const head = await server.dav('HEAD', 'a.txt');
    assert.equal([head.status, head.headers['content-length'], head.text], [200, '12', '']);
    const cases: [headers: Headers, status: number, body: string][] = [
      [{ range: 'bytes=0-6' }, 206, 'content'],
      [{ range: 'bytes=-1' }, 206, 'a'],
      [{ range: 'bytes=12-' }, 416, ''],
      [{ range: 'bytes=0-6', 'if-range': etag }, 206, 'content'],
      [{ range: 'bytes=0-6', 'if-range': modified }, 206, 'content'],
      [{ range: 'bytes=0-6', 'if-range': '"other"' }, 200, 'content of a'],
      [{ 'if-none-match': etag }, 304, ''],
      [{ 'if-none-match': '*' }, 304, ''],
      [{ 'if-none-match': `"other", ${etag}` }, 304, ''],
      [{ 'if-none-match': `W/${etag}` }, 200, 'content of a'],
      [{ 'if-none-match': '"other"' }, 200, 'content of a'],
      [{ 'if-match': '"other"' }, 412, ''],
      [{ 'if-match': etag }, 200, 'content of a'],
      [{ 'if-modified-since': modified }, 304, ''],
      [{ if: `([${etag}])` }, 200, 'content of a'],
      [{ if: '(["other"])' }, 412, ''],
    ];
    for (const [headers, status, body] of cases) {
      const answer = await server.dav('GET', 'a.txt', headers);
      assert.equal([answer.status, answer.text], [status, body], JSON.stringify(headers));
    }
    const bare = await server.dav('GET', 'd');
    assert.equal([bare.status, bare.headers['location']], [302, at('d/')]);
    assert.is((await server.dav('GET', 'd/')).status, 405);
    assert.is((await server.dav('GET', 'missing')).status, 404);
    assert.is((await server.dav('GET', 'a.txt/below')).status, 403);
  });

  // biome-ignore format: one case per line
  const types: [name: string, type: string][] = [
    ['a.html', 'text/html'], ['a.JS', 'text/javascript'], ['a.xml', 'text/xml'], ['a.md', 'text/markdown'], ['a.css', 'text/css'], ['a.json', 'application/json'],
    ['a.png', 'image/png'], ['a.jpeg', 'image/jpeg'], ['a.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'], ['a.zip', 'application/zip'],
    ['a.mp4', 'video/mp4'], ['a', 'application/octet-stream'], ['a.', 'application/octet-stream'], ['a.constructor', 'application/octet-stream'],
  ];
  test('B5: types come from the extension, any case, without charset', () => {
    for (const [name, type] of types) assert.is(mediaType(name), type, name);
  });

  test('B4: PUT makes and replaces files, and says what it wrote', async () => {
    const made = await server.dav('PUT', 'new.txt', {}, 'first');
    assert.is(made.status, 201);
    assert.match(made.headers['etag'] ?? '', ETAG);
    assert.is(made.headers['accept-ranges'], 'bytes');
    const got = await server.dav('GET', 'new.txt');
    assert.equal([got.headers['etag'], got.text], [made.headers['etag'], 'first']);
    assert.is(got.headers['last-modified'], made.headers['last-modified']);
    const replaced = await server.dav('PUT', 'new.txt', {}, 'second');
    assert.is(replaced.status, 204);
    assert.is.not(replaced.headers['etag'], made.headers['etag']);
    assert.is(await text('new.txt'), 'second');
    assert.is((await server.dav('PUT', 'slash.txt/', {}, 'x')).status, 201);
    assert.is(await text('slash.txt'), 'x');
    assert.is((await server.dav('PUT', 'void', {}, '')).status, 201);
    assert.is(await text('void'), '');
  });

  test('B4: a file of WebDAV has the mode of one of RPC', async () => {
    await server.dav('PUT', 'dav.txt', {}, 'x');
    const upload = [server.app.superToken, 'b', 'rpc.txt', [120]];
    await server.app.call('static-bucket-file_upload', upload);
    const mode = async (path: string) => (await stat(server.disk(path))).mode;
    assert.is(await mode('dav.txt'), await mode('rpc.txt'));
  });

  test('B4: PUT that is refused changes nothing', async () => {
    const { headers } = await server.dav('GET', 'a.txt');
    const cases: [path: string, headers: Headers, status: number][] = [
      ['none/x.txt', {}, 409],
      ['a.txt/x.txt', {}, 409],
      ['d', {}, 403],
      ['d/', {}, 403],
      ['', {}, 403],
      ['a.txt', { 'if-none-match': '*' }, 412],
      ['a.txt', { 'if-none-match': headers['etag'] ?? '' }, 412],
      ['a.txt', { 'if-match': '"other"' }, 412],
      ['a.txt', { 'if-match': `W/${headers['etag']}` }, 412],
      ['a.txt', { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' }, 412],
      ['fresh.txt', { 'if-match': '*' }, 412],
      ['fresh.txt', { 'if-unmodified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' }, 412],
      ['a.txt', { 'content-range': 'bytes 0-0/12' }, 400],
      ['a.txt', { 'content-range': 'nonsense' }, 400],
      ['a.txt', { if: '(<urn:uuid:none>)' }, 412],
      ['a.txt', { if: 'nonsense' }, 400],
      ['a.txt', { if: '()' }, 400],
      ['a.txt', { if: '(Not)' }, 400],
      ['a.txt', { if: '(<a>' }, 400],
    ];
    for (const [path, extra, status] of cases) {
      const answer = await server.dav('PUT', path, extra, 'changed');
      assert.is(answer.status, status, `${path} ${JSON.stringify(extra)}`);
    }
    assert.is(await text('a.txt'), 'content of a');
    assert.equal((await readdir(server.disk())).sort(), ['a.txt', 'd', 'empty']);
    const accepted: Headers[] = [
      { 'if-match': '*' },
      { 'if-match': `"x", ${headers['etag']}` },
      { 'if-unmodified-since': 'not a date' },
    ];
    assert.is((await server.dav('PUT', 'a.txt', accepted[2], 'content of a')).status, 204);
    assert.is((await server.dav('PUT', 'a.txt', accepted[0], 'content of a')).status, 204);
    const { etag = '' } = (await server.dav('HEAD', 'a.txt')).headers;
    const list = { 'if-match': `"x", ${etag}` };
    assert.is((await server.dav('PUT', 'a.txt', list, 'new')).status, 204);
    assert.is((await server.dav('PUT', 'fresh', { 'if-none-match': '*' }, 'new')).status, 201);
  });

  test('B4: PUT with Content-Range writes that range', async () => {
    const cases: [range: string, body: string, status: number, after: string][] = [
      ['bytes 0-6/12', 'CONTENT', 204, 'CONTENT of a'],
      ['bytes 11-20/*', 'b and more', 204, 'CONTENT of b and more'],
      ['Bytes 21-21/22', '!', 204, 'CONTENT of b and more!'],
      ['bytes 23-23/24', 'x', 416, 'CONTENT of b and more!'],
      ['bytes 5-3/22', 'x', 416, 'CONTENT of b and more!'],
      ['bytes 3-3/3', 'x', 416, 'CONTENT of b and more!'],
      ['bytes 0-3/22', 'x', 400, 'CONTENT of b and more!'],
      ['bytes */22', 'x', 400, 'CONTENT of b and more!'],
      ['bytes 0-0', 'x', 400, 'CONTENT of b and more!'],
      ['lines 0-0/22', 'x', 400, 'CONTENT of b and more!'],
    ];
    for (const [range, body, status, after] of cases) {
      const answer = await server.dav('PUT', 'a.txt', { 'content-range': range }, body);
      assert.equal([answer.status, await text('a.txt')], [status, after], range);
    }
    assert.is(
      (await server.dav('PUT', 'n.txt', { 'content-range': 'bytes 0-2/3' }, 'one')).status,
      201,
    );
  });

  test('B4: PUT with Content-Range may be chunked; the body has the length of the range', async () => {
    const cases: [range: string, body: string, status: number, after: string][] = [
      ['bytes 0-6/12', 'CONTENT', 204, 'CONTENT of a'],
      ['bytes 11-20/*', 'b and more', 204, 'CONTENT of b and more'],
      ['bytes 0-6/21', 'content longer', 400, 'CONTENT of b and more'],
      ['bytes 0-6/21', 'short', 400, 'CONTENT of b and more'],
      ['bytes 0-6/21', '', 400, 'CONTENT of b and more'],
      ['bytes 99-99/100', 'x', 416, 'CONTENT of b and more'],
      ['nonsense', 'x', 400, 'CONTENT of b and more'],
    ];
    for (const [range, body, status, after] of cases) {
      const chunked = { 'content-range': range, 'transfer-encoding': 'chunked' };
      const answer = await server.dav('PUT', 'a.txt', chunked, body);
      assert.equal([answer.status, await text('a.txt')], [status, after], `${range} ${body}`);
    }
    const chunked = { 'content-range': 'bytes 0-2/3', 'transfer-encoding': 'chunked' };
    assert.is((await server.dav('PUT', 'n.txt', chunked, 'one')).status, 201);
    assert.is(await text('n.txt'), 'one');
  });

  test('B5: several ranges come as parts, each with its place', async () => {
    const several = (range: string) => server.dav('GET', 'a.txt', { range });
    const { status, headers, text: body } = await several('bytes=0-2, -1,99-');
    const boundary = /^multipart\/byteranges; boundary=(\w{1,70})$/.exec(
      headers['content-type'] ?? '',
    )?.[1];
    assert.equal([status, headers['content-length']], [206, undefined]);
    const part = (place: string, bytes: string) =>
      `\r\n--${boundary}\r\ncontent-type: text/plain\r\ncontent-range: bytes ${place}/12\r\n\r\n${bytes}`;
    assert.is(body, `${part('0-2', 'con')}${part('11-11', 'a')}\r\n--${boundary}--\r\n`);
    const one = await several('bytes=20-,0-2');
    assert.equal(
      [one.status, one.headers['content-range'], one.text],
      [206, 'bytes 0-2/12', 'con'],
    );
    assert.is((await several('bytes=20-,30-')).status, 416);
    const whole = ['bytes=0-,0-', 'bytes=0-1,x', 'bytes=0-11,1-1'];
    for (const range of whole) assert.equal([(await several(range)).status, range], [200, range]);
  });

  test('B4: PATCH writes a part', async () => {
    const type = { 'content-type': 'application/x-sabredav-partialupdate' };
    const cases: [path: string, range: string, body: string, status: number, after: string][] = [
      ['a.txt', 'bytes=0-6', 'CONTENT', 204, 'CONTENT of a'],
      ['a.txt', 'bytes=11-', 'b and more', 204, 'CONTENT of b and more'],
      ['a.txt', 'append', '!', 204, 'CONTENT of b and more!'],
      ['a.txt', 'bytes=-5', 'less.', 204, 'CONTENT of b and less.'],
      ['a.txt', 'bytes=99-', 'x', 416, 'CONTENT of b and less.'],
      ['a.txt', 'bytes=-99', 'x', 416, 'CONTENT of b and less.'],
      ['a.txt', 'bytes=5-3', 'x', 416, 'CONTENT of b and less.'],
      ['a.txt', 'bytes=0-3', 'x', 400, 'CONTENT of b and less.'],
      ['a.txt', 'bytes=-', 'x', 400, 'CONTENT of b and less.'],
      ['a.txt', 'lines=1-2', 'x', 400, 'CONTENT of b and less.'],
      ['a.txt', '', 'x', 400, 'CONTENT of b and less.'],
      ['log.txt', 'append', 'one', 201, 'one'],
    ];
    for (const [path, range, body, status, after] of cases) {
      const answer = await server.dav('PATCH', path, { ...type, 'x-update-range': range }, body);
      assert.equal([answer.status, await text(path)], [status, after], range);
    }
    const range = { 'x-update-range': 'append' };
    assert.is((await server.dav('PATCH', 'a.txt', range, 'x')).status, 415);
    const chunked = { ...type, ...range, 'transfer-encoding': 'chunked' };
    assert.is((await server.dav('PATCH', 'a.txt', chunked, 'x')).status, 411);
    assert.is((await server.dav('PATCH', 'd', { ...type, ...range }, 'x')).status, 403);
  });

  test('B4: MKCOL', async () => {
    const cases: [path: string, status: number][] = [
      ['new', 201],
      ['new', 405],
      ['a.txt', 405],
      ['', 405],
      ['x/y/z', 409],
      ['a.txt/below', 409],
    ];
    for (const [path, status] of cases)
      assert.is((await server.dav('MKCOL', path)).status, status, path);
    const slash = await server.dav('MKCOL', 'new%20one/');
    assert.equal([slash.status, slash.headers['content-location']], [201, at('new%20one/')]);
    assert.ok((await stat(server.disk('new one'))).isDirectory());
  });

  test('B4: DELETE', async () => {
    const cases: [path: string, headers: Headers, status: number][] = [
      ['missing', {}, 404],
      ['', {}, 403],
      ['d', { depth: '1' }, 400],
      ['d', { depth: '0' }, 405],
      ['d', { 'if-match': '"other"' }, 412],
      ['empty', { depth: '0' }, 204],
      ['a.txt', {}, 204],
      ['d/', { depth: 'infinity' }, 204],
    ];
    for (const [path, headers, status] of cases) {
      const answer = await server.dav('DELETE', path, headers);
      assert.is(answer.status, status, `${path} ${JSON.stringify(headers)}`);
    }
    assert.equal(await readdir(server.disk()), []);
    assert.is((await server.dav('PUT', 'again.txt', {}, 'x')).status, 201);
  });

  test('B4: COPY and MOVE, refused', async () => {
    const other = ['other', 'other', false, false];
    await server.outcomeOf('static-bucket_create', ...other);
    const bad: [from: string, headers: Headers, copy: number, move: number][] = [
      ['a.txt', {}, 400, 400],
      ['a.txt', { destination: '' }, 400, 400],
      ['a.txt', { destination: 'relative' }, 400, 400],
      ['a.txt', { destination: at('%zz') }, 400, 400],
      ['a.txt', { destination: at('a%2fb') }, 400, 400],
      ['a.txt', { destination: at('a%00b') }, 400, 400],
      ['a.txt', { destination: '/elsewhere/x' }, 502, 502],
      ['a.txt', { destination: `${ROOT}/other/x` }, 502, 502],
      ['a.txt', { destination: `${ROOT}/bb/x` }, 502, 502],
      ['a.txt', { destination: `${ROOT}/b/../other/x` }, 502, 502],
      ['a.txt', { destination: `${ROOT}/b/%2e%2e/other/x` }, 502, 502],
      ['a.txt', { destination: `${ROOT}/b/../../../../../etc/x` }, 403, 403],
      ['a.txt', { destination: at('none/x') }, 409, 409],
      ['a.txt', { destination: at('a.txt') }, 403, 403],
      ['a.txt', { destination: at('./d/../a.txt') }, 403, 403],
      ['a.txt', { destination: at('d/inner.txt'), overwrite: 'F' }, 412, 412],
      ['a.txt', { destination: at('') }, 403, 403],
      ['d/inner.txt', { destination: at('d') }, 403, 403],
      ['missing', { destination: at('x') }, 404, 404],
      ['d', { destination: at('x'), depth: '1' }, 400, 400],
    ];
    for (const [from, headers, copy, move] of bad) {
      const note = `${from} ${JSON.stringify(headers)}`;
      assert.is((await server.dav('COPY', from, headers)).status, copy, `COPY ${note}`);
      assert.is((await server.dav('MOVE', from, headers)).status, move, `MOVE ${note}`);
    }
    const only: [method: string, from: string, headers: Headers, status: number][] = [
      ['MOVE', 'd', { destination: at('x'), depth: '0' }, 400],
      ['MOVE', 'd', { destination: at('d/e/x') }, 500],
      ['MOVE', '', { destination: at('x') }, 403],
    ];
    for (const [method, from, headers, status] of only)
      assert.is((await server.dav(method, from, headers)).status, status, `${method} ${from}`);
    assert.equal((await readdir(server.disk(), { recursive: true })).sort(), [
      'a.txt',
      'd',
      'd/e',
      'd/e/deep.txt',
      'd/inner.txt',
      'empty',
    ]);
  });

  test('B4: COPY and MOVE of files and trees', async () => {
    const go = async (method: string, from: string, to: string, headers: Headers = {}) =>
      (await server.dav(method, from, { destination: `http://any.host${at(to)}`, ...headers }))
        .status;
    assert.is(await go('COPY', 'a.txt', 'b.txt'), 201);
    assert.is(await go('COPY', 'a.txt', 'd/inner.txt'), 204);
    assert.is(await text('d/inner.txt'), 'content of a');
    assert.is(await go('COPY', 'd', 'd2/'), 201);
    assert.is(await text('d2/e/deep.txt'), 'deep');
    assert.is(await go('COPY', 'd', 'flat', { depth: '0' }), 201);
    assert.equal(await readdir(server.disk('flat')), []);
    assert.is(await go('COPY', 'd', 'b.txt', { overwrite: 'T' }), 204);
    assert.ok((await stat(server.disk('b.txt'))).isDirectory());
    assert.is(await go('COPY', 'a.txt', 'b.txt', { overwrite: 'nonsense' }), 204);
    assert.is(await text('b.txt'), 'content of a');
    assert.is(await go('COPY', 'd', 'd/e/self'), 201);
    assert.is(await text('d/e/self/e/deep.txt'), 'deep');
    assert.not.ok(await exists('d/e/self/e/self'));

    assert.is(await go('MOVE', 'a.txt', 'moved%20%C3%BC.txt'), 201);
    assert.is(await text('moved ü.txt'), 'content of a');
    assert.not.ok(await exists('a.txt'));
    assert.is(await go('MOVE', 'd2', 'd', { overwrite: 'T' }), 204);
    assert.equal((await readdir(server.disk('d'))).sort(), ['e', 'inner.txt']);
    assert.is(await go('MOVE', 'd', 'b.txt'), 204);
    assert.is(await text('b.txt/e/deep.txt'), 'deep');
  });

  test('B2: links are hidden in listings, followed by GET, PUT and COPY, and moved and removed as links', async () => {
    await symlink('a.txt', server.disk('link.txt'));
    await symlink('d', server.disk('dir-link'));
    const list = await server.dav('PROPFIND', '', { depth: '1' });
    assert.not.match(list.text, /link/);
    assert.is((await server.dav('GET', 'link.txt')).text, 'content of a');
    assert.is((await server.dav('PUT', 'link.txt', {}, 'through')).status, 204);
    assert.is(await text('a.txt'), 'through');
    const copied = await server.dav('COPY', 'link.txt', { destination: at('copy.txt') });
    assert.equal([copied.status, await text('copy.txt')], [201, 'through']);
    assert.is((await server.dav('GET', 'dir-link/inner.txt')).text, 'inner');
    assert.is((await server.dav('MOVE', 'dir-link', { destination: at('ml') })).status, 201);
    assert.is((await server.dav('DELETE', 'ml')).status, 204);
    assert.is((await server.dav('DELETE', 'link.txt')).status, 204);
    assert.equal([await text('d/inner.txt'), await text('a.txt')], ['inner', 'through']);
  });

  test('B2: where a link gives a resource two paths, nothing makes room for itself or for what it holds', async () => {
    await symlink('d', server.disk('l'));
    const cases: [method: string, from: string, to: string, status: number][] = [
      ['COPY', 'd/e', 'l/e', 403],
      ['MOVE', 'd/e', 'l/e', 403],
      ['COPY', 'l/e', 'd/e', 403],
      ['COPY', 'd/inner.txt', 'l/inner.txt', 403],
      ['MOVE', 'l/inner.txt', 'd/inner.txt', 403],
      ['COPY', 'd/e/deep.txt', 'l/e', 403],
      ['MOVE', 'l/e/deep.txt', 'd/e', 403],
      ['MOVE', 'd', 'l/e/new', 500],
    ];
    for (const [method, from, to, expected] of cases) {
      const answer = await server.dav(method, from, { destination: at(to) });
      assert.is(answer.status, expected, `${method} ${from} ${to}`);
      assert.equal([await text('d/e/deep.txt'), await text('d/inner.txt')], ['deep', 'inner']);
    }
    const copied = await server.dav('COPY', 'd', { destination: at('l/e/self') });
    assert.equal([copied.status, await text('d/e/self/e/deep.txt')], [201, 'deep']);
    assert.not.ok(await exists('d/e/self/e/self'));
    assert.is((await server.dav('COPY', 'd/e', { destination: at('l') })).status, 204);
    assert.equal([await text('l/deep.txt'), await text('d/inner.txt')], ['deep', 'inner']);
  });

  test('what Finder and Windows leave behind are files as any other', async () => {
    for (const name of ['._a.txt', '.DS_Store', 'desktop.ini', 'Thumbs.db', '~$doc.docx']) {
      assert.is((await server.dav('PUT', encodeURIComponent(name), {}, 'x')).status, 201, name);
      const found = multistatus((await server.dav('PROPFIND', name, { depth: '0' })).text);
      assert.is(found.length, 1);
      assert.is((await server.dav('DELETE', name)).status, 204, name);
    }
  });

  (protection ? test : test.skip)(
    'what cannot be removed in the middle of a tree is named, and the rest goes',
    async () => {
      const [protect, release] = protection as [string[], string[]];
      const run = ([program = '', ...args]: string[], path: string) =>
        assert.is(spawnSync(program, [...args, server.disk(path)]).status, 0, program);
      run(protect, 'd/e');
      try {
        const answer = await server.dav('DELETE', 'd');
        assert.is(answer.status, 207);
        const failed = multistatus(answer.text).map(({ href, status }) => [href, status]);
        assert.equal(failed, [[at('d/e/deep.txt'), 403]]);
        assert.not.ok(await exists('d/inner.txt'));
        assert.is(await text('d/e/deep.txt'), 'deep');
        const moved = await server.dav('COPY', 'a.txt', { destination: at('d') });
        assert.is(moved.status, 207);
      } finally {
        run(release, 'd/e');
      }
    },
  );

  test('the routes carry the word of the brand', async () => {
    const branded = await davServer({ dialect }, { brand: { word: 'acme', title: 'Acme' } });
    try {
      const url = `${branded.app.url}/acme/static-webdav/b/`;
      const refused = await send(url, 'OPTIONS');
      assert.is(refused.headers['www-authenticate'], 'Basic realm="Acme Static WebDAV"');
      const found = await send(url, 'PROPFIND', { authorization: branded.authorization });
      assert.is(multistatus(found.text)[0]?.href, '/acme/static-webdav/b/');
    } finally {
      await branded.app.stop();
    }
  });

  test.run();
}

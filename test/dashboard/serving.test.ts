// proof only: 5
/** What is sent at `/svc/dashboard/`: files, headers, the page's own addresses, and who is sent there from `/`. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join, resolve } from 'node:path';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { buildDashboard } from '../../plugins/dashboard/build.mjs';
import { suite } from '../runner/suite.ts';

const built = resolve(import.meta.dirname, '../../plugins/dashboard/public');
const assets = join(built, 'assets');
const OTHER = 'https://eu.example.net';
const HOME = '/svc/dashboard/';
const LARGEST_FIRST_SCRIPT = 90 * 1024;

let app: TestApp;
const test = suite('dashboard serving');

test.before(async () => {
  await buildDashboard();
  const config = { dashboard: { servers: [OTHER, 'http://127.0.0.1:2299'] } };
  app = await bootForTest(
    ['token', 'server-info', 'static-bucket', 'static-bucket-file', 'dashboard'],
    config,
  );
});
test.after(() => app.stop());

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: Buffer;
}

/** Without the client's own ideas about codings and paths. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((done, fail) => {
    request(`${app.url}${path}`, { method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        done({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(parts),
        }),
      );
    })
      .on('error', fail)
      .end();
  });
}

/** The script that draws the frame. */
const entry = () => readdirSync(assets).find((name) => /^first-.*\.js$/.test(name))!;
const navigation = { accept: 'text/html,*/*;q=0.8', 'sec-fetch-mode': 'navigate' };
const oldNavigation = { accept: 'text/html,*/*;q=0.8', 'upgrade-insecure-requests': '1' };

test('every address that names no file is the page', async () => {
  for (const path of ['', 'agent/0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411/charts?range=1h', 'x.y/z']) {
    const { status, headers, body } = await get(HOME + path);
    assert.is(status, 200, path);
    assert.match(String(headers['content-type']), 'text/html');
    assert.is(headers['cache-control'], 'no-store');
    assert.match(body.toString(), `<base href="${HOME}">`);
  }
});

test('scripts come from the server alone, inline styles carry the nonce of this answer, connections go to the listed servers', async () => {
  const [first, second] = [await get(HOME), await get(HOME)];
  const policy = String(first.headers['content-security-policy']).split('; ');
  assert.ok(policy.includes("script-src 'self'"));
  assert.ok(policy.includes("default-src 'none'"));
  assert.ok(
    policy.includes(
      `connect-src 'self' ${OTHER} wss://eu.example.net http://127.0.0.1:2299 ws://127.0.0.1:2299`,
    ),
  );
  const nonceOf = ({ headers }: Answer) =>
    /'nonce-([\w-]+)'/.exec(String(headers['content-security-policy']))?.[1];
  const nonce = nonceOf(first)!;
  assert.ok(nonce.length >= 20);
  assert.is.not(nonce, nonceOf(second));
  assert.match(first.body.toString(), `nonce="${nonce}"`);
  assert.not.match(first.body.toString(), '__NONCE__');
  assert.not.match(first.body.toString(), /<script(?![^>]* src=)/);
  assert.not.match(first.body.toString(), /https?:\/\/(?!eu\.example|127)/);
});

test('a file with a digest in its name comes in the best coding, for a year', async () => {
  const path = `${HOME}assets/${entry()}`;
  const plain = readFileSync(join(assets, entry()));
  const cases: [accepted: string, coding: string | undefined, read: (body: Buffer) => Buffer][] = [
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
    ['identity', undefined, (body) => body],
  ];
  for (const [accepted, coding, read] of cases) {
    const { status, headers, body } = await get(path, { 'accept-encoding': accepted });
    assert.is(status, 200);
    assert.is(headers['content-encoding'], coding, accepted);
    assert.ok(read(body).equals(plain), accepted);
    assert.is(headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.match(String(headers['content-type']), /javascript/);
    assert.is(headers['vary'], 'Accept-Encoding');
  }
  assert.is((await get(path, {}, 'HEAD')).body.length, 0);
});

test('what a browser has already is 304, with what its copy goes by (RFC 9110 §13.1 and §15.4.5)', async () => {
  for (const name of [`assets/${entry()}`, 'favicon.svg'])
    for (const coding of ['identity', 'gzip', 'br']) {
      const ask = (headers: Record<string, string>, method = 'GET') =>
        get(HOME + name, { 'accept-encoding': coding, ...headers }, method);
      const { headers } = await ask({});
      const tag = String(headers['etag']);
      const modified = String(headers['last-modified']);
      const cases: [condition: Record<string, string>, status: number][] = [
        [{ 'if-none-match': tag }, 304],
        [{ 'if-none-match': `W/${tag}` }, 304],
        [{ 'if-none-match': `"other", W/"more" ,${tag}` }, 304],
        [{ 'if-none-match': '*' }, 304],
        [{ 'if-modified-since': modified }, 304],
        [{ 'if-none-match': '"other"', 'if-modified-since': modified }, 200],
        [{ 'if-none-match': 'other' }, 200],
        [{ 'if-modified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 200],
        [{ 'if-match': '"other"' }, 412],
        [{ 'if-match': tag }, 200],
      ];
      for (const [condition, status] of cases)
        for (const method of ['GET', 'HEAD']) {
          const what = `${name} ${coding} ${method} ${JSON.stringify(condition)}`;
          const answer = await ask(condition, method);
          assert.is(answer.status, status, what);
          for (const field of ['etag', 'cache-control', 'vary'])
            assert.is(answer.headers[field], headers[field], `${what}: ${field}`);
          if (status !== 200) assert.is(answer.body.length, 0, what);
        }
    }
});

test('what is not a file of the build is the page, or 404 below assets/', async () => {
  for (const path of ['index', 'index.html/', 'assets', '.built', 'index.html'])
    assert.match((await get(HOME + path)).body.toString(), `<base href="${HOME}">`, path);
  for (const path of ['assets/', 'assets/index', 'assets/.x', 'assets//x.js', 'assets/%00'])
    assert.is((await get(HOME + path)).status, 404, path);
});

test('a range is not looked at, however bad it is', async () => {
  const path = `${HOME}assets/${entry()}`;
  const whole = readFileSync(join(assets, entry())).length;
  for (const range of [
    'bytes=5-2',
    'bytes=0-9',
    'bytes=99999999-',
    'bytes=-0',
    'bytes=0-1,3-4',
    'x',
    'bytes=',
  ]) {
    const { status, body } = await get(path, { range });
    assert.equal([status, body.length], [200, whole], range);
  }
});

test('a file that vanishes while the server runs is 404, and the server goes on', async () => {
  const name = 'vanishing-12345678.js';
  writeFileSync(join(assets, name), 'export {};\n');
  const away = readdirSync(assets).find((file) => /^zh-.*\.js$/.test(file))!;
  const kept = [away, `${away}.br`, `${away}.gz`];
  mkdirSync(join(app.dir, 'away'));
  for (const file of kept) renameSync(join(assets, file), join(app.dir, 'away', file));
  try {
    assert.is((await get(`${HOME}assets/${away}`)).status, 404);
    assert.is((await get(`${HOME}assets/${name}`)).status, 200);
    rmSync(join(assets, name));
    assert.is((await get(`${HOME}assets/no-such-file.js`)).status, 404);
    assert.is((await get(`${HOME}assets/..%2findex.html`)).status, 404);
    assert.is((await get(HOME)).status, 200);
  } finally {
    for (const file of kept) renameSync(join(app.dir, 'away', file), join(assets, file));
    rmSync(join(assets, name), { force: true });
  }
  assert.is((await get(`${HOME}assets/${away}`)).status, 200);
});

test('other methods are refused, and the address without its slash leads to the one with it', async () => {
  assert.is((await get(HOME, {}, 'PUT')).status, 405);
  const { status, headers } = await get('/svc/dashboard?x=1');
  assert.equal([status, headers['location']], [302, `${HOME}?x=1`]);
});

test('a browser that opens / is sent to the page; every other client gets the page of the protocol', async () => {
  for (const headers of [navigation, oldNavigation]) {
    const { status, headers: given } = await get('/', headers);
    assert.equal([status, given['location']], [302, HOME]);
  }
  const others = [
    {},
    { accept: '*/*' },
    { accept: 'text/html' },
    { ...navigation, 'sec-fetch-mode': 'cors' },
  ];
  for (const headers of others) {
    const { status, body } = await get('/', headers as Record<string, string>);
    assert.is(status, 200);
    assert.match(body.toString(), 'UUID: <span>');
  }
  assert.is((await get('/svc/rpc', navigation)).status, 200);
});

test('where a root bucket stands, a browser gets that', async () => {
  const token = app.superToken;
  await app.call('static-bucket_create', [token, 'site', 'site', true, false]);
  const index = Buffer.from('<p>mine</p>').toString('base64');
  await app.call('static-bucket-file_upload', [token, 'site', 'index.html', null, index]);
  const { status, body } = await get('/', navigation);
  assert.equal([status, body.toString()], [200, '<p>mine</p>']);
  assert.is((await get(HOME, navigation)).status, 200);
  await app.call('static-bucket_delete', [token, 'site']);
});

test('the first script is at most 90 kB, and what the page loads at once is listed in it', () => {
  const html = readFileSync(join(built, 'index.html'), 'utf8');
  const first = [...html.matchAll(/\.\/(assets\/[\w.-]+\.js)/g)].map(([, path]) => path!);
  for (const name of ['index', 'start', 'app', 'first'])
    assert.ok(
      first.some((path) => path.startsWith(`assets/${name}-`)),
      name,
    );
  const sizes = first.map((path) => gzipSync(readFileSync(join(built, path)), { level: 9 }).length);
  const sum = sizes.reduce((a, b) => a + b, 0);
  assert.ok(sum <= LARGEST_FIRST_SCRIPT, `${sum} bytes: ${first.join(' ')}`);
});

test('under another brand the page has that name and lives at its path', async () => {
  const branded = await bootForTest(['token', 'server-info', 'dashboard'], {
    brand: { word: 'acme', title: 'Acme & Co' },
  });
  try {
    const body = await (await branded.fetch('/acme/dashboard/x')).text();
    assert.match(body, '<base href="/acme/dashboard/">');
    assert.match(body, '<meta name="svc-title" content="Acme &#38; Co">');
  } finally {
    await branded.stop();
  }
});

test.run();

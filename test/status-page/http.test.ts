// `/svc/status/<slug>` over HTTP: caching, methods, policies, languages, bounds, and that texts stay texts.
import type { App } from '@svc/kernel';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import {
  agent,
  DAY,
  MINUTE,
  PLUGINS,
  PNG,
  probe,
  seedAgent,
  seedPings,
  TARGETS,
  uuidOf,
} from './kit.ts';

const test = suite('status page: HTTP');
let app: TestApp;
const call = (method: string, params: object) =>
  app.call(`status-page_${method}`, { token: app.superToken, ...params });
const get = (path: string, init?: RequestInit) => app.fetch(`/svc/status/${path}`, init);
test.before(async () => {
  app = await bootForTest(PLUGINS, {}, { clock: true });
  await seedAgent(app, { uuid: uuidOf(1) });
  await seedPings(app, uuidOf(1), TARGETS[0], [
    [1, 10],
    [2, 11],
    [3, 12],
  ]);
  const entries = [agent(1, 'web-1'), probe(0, 'Uplink')];
  await call('create', { slug: 'main', page: { title: 'Main', entries, logo: PNG } });
});
test.after(() => app.stop());

test('answers may be kept until the page is read again, and are not sent twice', async () => {
  for (const path of [
    'main',
    'main/feed.xml',
    'main/feed.json',
    'main/badge.svg',
    'main/badge/1.svg',
    'main/latency/2.svg',
    'main?range=90d',
    'main/latency/2.svg?range=90d',
    'main/logo',
    'main/icon.svg',
  ]) {
    const first = await get(path);
    const body = Buffer.from(await first.arrayBuffer());
    assert.is(first.status, 200, path);
    assert.match(
      first.headers.get('cache-control')!,
      /^public, max-age=(?:[1-9]|[12]\d|30)$/,
      path,
    );
    assert.match(first.headers.get('vary')!, /accept-encoding, accept-language/);
    assert.is(first.headers.get('x-content-type-options'), 'nosniff');
    const etag = first.headers.get('etag')!;
    for (const field of [etag, `"x", W/${etag}`, '*']) {
      const second = await get(path, { headers: { 'if-none-match': field } });
      assert.equal([second.status, await second.text()], [304, ''], `${path} ${field}`);
      assert.is(second.headers.get('etag'), etag);
    }
    assert.is.not(
      first.headers.get('connection'),
      'close',
      'the connection serves the next reader',
    );
    const head = await get(path, { method: 'HEAD' });
    assert.equal([head.status, await head.text()], [200, ''], path);
    for (const range of ['bytes=0-3', 'bytes=5-2', 'bytes=-0', 'bytes=999999-', 'rubbish']) {
      const ranged = await get(path, { headers: { range } });
      const got = Buffer.from(await ranged.arrayBuffer());
      assert.equal([ranged.status, got.equals(body)], [200, true], `${path} ${range}`);
    }
  }
});

test('what is not there is 404, and other methods are 405', async () => {
  for (const path of [
    'nobody',
    'nobody/feed.xml',
    'main/x',
    'main/incident/0',
    'main/badge/none.svg',
    'main/latency/1.svg',
    '_',
    '_/page.css/x',
    '%00',
    'main/%2e%2e/x',
    'Main',
  ]) {
    const answer = await get(path);
    assert.equal([answer.status, await answer.text()], [404, 'This page does not exist.\n'], path);
  }
  for (const path of ['main', 'main/feed.xml', '_/page.js'])
    for (const method of ['POST', 'PUT', 'DELETE', 'PROPFIND', 'OPTIONS']) {
      const answer = await get(path, { method });
      assert.equal(
        [answer.status, answer.headers.get('allow')],
        [405, 'GET, HEAD'],
        `${path} ${method}`,
      );
    }
});

test('nothing but its own sheet, script and pictures works on a page', async () => {
  const answer = await get('main');
  const policy = answer.headers.get('content-security-policy')!;
  assert.match(
    policy,
    /^default-src 'none'; script-src 'self'; style-src 'self' 'sha256-[^']{44}';/,
  );
  const html = await answer.text();
  assert.not.match(html, /https?:\/\/|<script>| on\w+=|style="/);
  for (const [, path] of html.matchAll(/(?:href|src)="\/svc\/status\/(_[^"?]*)/g)) {
    const asset = await get(path!);
    assert.match(asset.headers.get('cache-control')!, /immutable/);
  }
  for (const path of ['main/badge.svg', 'main/logo', 'main/latency/2.svg'])
    assert.match(
      (await get(path)).headers.get('content-security-policy')!,
      /default-src 'none'; .*sandbox/,
    );
});

test('the language is that of the address, then of the page, then of the browser', async () => {
  const langOf = async (slug: string, header: string, query = '') =>
    /<html lang="([^"]*)"/.exec(
      await (await get(`${slug}${query}`, { headers: { 'accept-language': header } })).text(),
    )?.[1];
  await call('create', { slug: 'fixed', page: { title: 'x', entries: [], language: 'zh-CN' } });
  const rows: [slug: string, header: string, query: string, language: string][] = [
    ['main', '', '', 'en'],
    ['main', 'zh-CN,zh;q=0.9,en;q=0.8', '', 'zh-CN'],
    ['main', 'de, en;q=0.5, zh-TW;q=0.7', '', 'zh-CN'],
    ['main', 'zh;q=0, fr', '', 'en'],
    ['main', `${'x,'.repeat(5_000)}zh`, '', 'en'],
    ['main', 'zh', '?lang=en', 'en'],
    ['main', 'en', '?lang=zh-CN', 'zh-CN'],
    ['main', 'en', '?lang=<b>', 'en'],
    ['fixed', 'en', '', 'zh-CN'],
  ];
  for (const [slug, header, query, language] of rows)
    assert.is(
      await langOf(slug, header, query),
      language,
      `${slug} ${header.slice(0, 40)} ${query}`,
    );
  assert.match(await (await get('main?lang=zh-CN')).text(), /所有系统运行正常/);
});

test('a thousand readers cost one reading, and the next one comes after refresh_s', async () => {
  await app.clock.advance(31_000);
  const kernel = app.kernel as App;
  const { db } = kernel.kernelOf('status-page')!;
  let reads = 0;
  const { jsonArray } = db;
  (db as any).jsonArray = (...given: Parameters<typeof jsonArray>) => {
    reads++;
    return jsonArray.apply(db, given);
  };
  const tags = await Promise.all(
    Array.from({ length: 200 }, async () => (await get('main')).headers.get('etag')),
  );
  assert.is(new Set(tags).size, 1);
  const once = reads;
  assert.ok(once > 0 && once <= 6, `${once}`);
  await get('main/feed.json');
  await app.clock.advance(29_000);
  assert.is((await get('main')).headers.get('etag'), tags[0]);
  assert.is(reads, once);
  await app.clock.advance(2_000);
  await get('main');
  // What a probe measured in steps that have ended is kept.
  assert.ok(reads > once && reads <= 2 * once, `${reads} of ${once}`);
  (db as any).jsonArray = jsonArray;
});

test('while the database is away the last state is shown with its time, then none', async () => {
  const { db } = (app.kernel as App).kernelOf('status-page')!;
  const before = await (await get('main')).text();
  const { jsonArray } = db;
  (db as any).jsonArray = () => Promise.reject(new Error('the secret cause'));
  await app.clock.advance(60_000);
  const stale = await get('main');
  assert.equal([stale.status, await stale.text()], [200, before]);
  await app.clock.advance(700_000);
  const away = await get('main');
  assert.equal([away.status, away.headers.get('retry-after')], [503, '5']);
  assert.not.match(await away.text(), /secret/);
  (db as any).jsonArray = jsonArray;
  await app.clock.advance(3_000);
  assert.is((await get('main')).status, 200);
});

test('no page is larger than 30 kB, whatever it shows', async () => {
  const slug = 'a'.repeat(40);
  const now = app.clock.now();
  for (let n = 100; n < 140; n++) {
    // Five days each with no trouble, some and much, so that bars are in many pieces also where days are joined.
    const away = Object.fromEntries(
      Array.from({ length: 90 }, (_, ago) => [ago, (Math.ceil(ago / 5) % 3) * 40 * MINUTE]),
    );
    await seedAgent(app, { uuid: uuidOf(n), goneSince: now - 400 * DAY, away, first: 84 });
    await seedPings(
      app,
      uuidOf(n),
      't',
      // Two and a half hours each of none, answered, partly lost and lost: as many pieces as a bar can have.
      Array.from({ length: 288 }, (_, i): [number, number | null] => {
        const kind = i < 30 ? 3 : Math.floor(i / 30) % 4;
        return [i * 5, kind === 3 || (kind === 2 && i % 3 === 0) ? null : 1234 + i];
      }).filter((_, i) => i < 30 || Math.floor(i / 30) % 4 > 0),
    );
  }
  for (const probes of [0, 20, 40]) {
    const entries = Array.from({ length: 40 }, (_, n) => ({
      name: `${'&'.repeat(15)}${n}`,
      group: `g${n}`,
      key: `${'k'.repeat(17)}${100 + n}`,
      agent: uuidOf(100 + n),
      ...(n < probes && { probe: { type: 'ping', target: 't' } }),
    }));
    const page = {
      title: '&'.repeat(20),
      entries,
      logo: PNG,
      accent: '#123456',
      banner: '#654321',
    };
    await call(probes === 0 ? 'create' : 'update', { slug, page });
    if (probes === 0)
      for (let n = 0; n < 12; n++)
        await call('incident_add', {
          slug,
          incident: { title: '&'.repeat(120), text: '&'.repeat(790), begins_at: now - n },
        });
    // Where the hours of trouble stand in the cells of a bar changes with the time.
    for (let minutes = 0; minutes < 60; minutes += 10) {
      for (const query of ['lang=en', 'lang=zh-CN', 'lang=zh-CN&range=30d']) {
        const bytes = (await (await get(`${slug}?${query}`)).arrayBuffer()).byteLength;
        assert.ok(bytes > 10_000 && bytes <= 30_000, `${probes} probes, ${query}: ${bytes}`);
      }
      await app.clock.advance(10 * MINUTE);
    }
  }
});

test('no text of an operator becomes markup: page, feeds and pictures keep their skeleton', async () => {
  const nasty = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          '<',
          '>',
          '&',
          '"',
          "'",
          '<b>',
          '</title>',
          '-->',
          ']]>',
          '<script>',
          '&#60;',
          '{name}',
          '{time}',
          '=',
          '/',
          '`',
          ' onload=x ',
          '‮',
          '字',
        ),
        fc.string({ maxLength: 3, unit: 'grapheme' }),
      ),
      { minLength: 1, maxLength: 8 },
    )
    .map((parts) => parts.join('').replace(/[\p{Cc}\ufffe\uffff\ud800-\udfff]/gu, ''))
    .filter((text) => text.trim() !== '' && [...text].length <= 40);
  const skeleton = (text: string) =>
    (text.match(/<[^>]*>/g) ?? []).map((tag) =>
      tag.replace(/(?:aria-label|content|textLength|x|width|d|alt)="[^"]*"/g, ''),
    );
  const elements = (xml: string) => {
    const names: string[] = [];
    const parser = new SaxesParser();
    parser.on('opentag', ({ name }) => void names.push(name));
    parser.write(xml).close();
    return names;
  };
  const paths = ['', '/feed.xml', '/badge.svg', '/badge/1.svg', '/incident/'];
  let id = 0;
  const shown = async (text: string) => {
    const entries = [{ ...agent(1, text), group: text }, probe(0, text, text)];
    await call('update', { slug: 'fuzz', page: { title: text, description: text, entries } });
    await call('incident_update', { slug: 'fuzz', id, incident: { title: text, text } });
    return Promise.all(
      paths.map(async (path) => (await get(`fuzz${path}${path.endsWith('t/') ? id : ''}`)).text()),
    );
  };
  await call('create', { slug: 'fuzz', page: { title: 'x', entries: [] } });
  ({ id } = await call('incident_add', { slug: 'fuzz', incident: { title: 'x' } }));
  const plain = await shown('plain');
  await fc.assert(
    fc.asyncProperty(nasty, async (text) => {
      for (const [at, answer] of (await shown(text)).entries()) {
        if (/\.(?:xml|svg)$/.test(paths[at]!)) assert.equal(elements(answer), elements(plain[at]!));
        else assert.equal(skeleton(answer), skeleton(plain[at]!));
        assert.not.match(answer, /<script>/);
      }
    }),
    { numRuns: 40 },
  );
});

test.run();

// proof: 5
// static-http.md §A4 and RFC 9110 §13, §14: conditional requests and ranges.

import * as fc from 'fast-check';
import * as assert from 'uvu/assert';
import { parseRange, type Wanted } from '../../plugin-sdk/src/http/range.ts';
import { loop, oneDialect } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { MTIME_S, rawGet, type StaticServer, staticServer } from './static-kit.ts';

const SMALL = '0123456789';
const LARGE = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 251));
const ETAG = `"${MTIME_S}-10"`;
const at = (seconds: number) => new Date((MTIME_S + seconds) * 1000).toUTCString();

/** The two older forms of an HTTP date (RFC 9110 §5.6.7). */
const parts = (seconds: number) =>
  at(seconds).split(/[ ,]+/) as [string, string, string, string, string];
const rfc850 = (seconds: number) => {
  const [, day, month, year, time] = parts(seconds);
  return `${new Date((MTIME_S + seconds) * 1000).toLocaleDateString('en-US', { weekday: 'long', timeZone: 'UTC' })}, ${day}-${month}-${year.slice(2)} ${time} GMT`;
};
const asctime = (seconds: number) => {
  const [weekday, day, month, year, time] = parts(seconds);
  return `${weekday} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`;
};

/** `Range` fields for ten bytes: a slice `[from, to]` (206), `'whole'` (200) or `'no'` (416). */
// biome-ignore format: one case per line
const fields: [field: string, expected: [from: number, to: number] | 'whole' | 'no'][] = [
  ['bytes=0-0', [0, 1]], ['bytes=0-9', [0, 10]], ['bytes=0-', [0, 10]], ['bytes=3-5', [3, 6]], ['bytes=9-9', [9, 10]], ['bytes=9-', [9, 10]], ['bytes=4-100', [4, 10]],
  ['bytes=-1', [9, 10]], ['bytes=-5', [5, 10]], ['bytes=-10', [0, 10]], ['bytes=-11', [0, 10]], ['bytes=-99999999999999999999999', [0, 10]],
  ['BYTES=1-2', [1, 3]], ['Bytes=1-2', [1, 3]], ['bytes= 1-2 ', [1, 3]], ['bytes=,1-2,', [1, 3]], ['bytes=00001-0002', [1, 3]], ['bytes=0-99999999999999999999999999', [0, 10]],
  ['bytes=10-', 'no'], ['bytes=10-10', 'no'], ['bytes=11-12', 'no'], ['bytes=99999999999999999999999999-', 'no'], ['bytes=-0', 'no'], ['bytes=-000', 'no'],
  ['bytes=5-2', 'whole'], ['bytes=99999999999999999999-99999999999999999998', 'whole'], ['bytes=', 'whole'], ['bytes=-', 'whole'], ['bytes', 'whole'], ['', 'whole'], ['bytes=,', 'whole'], ['bytes=a-b', 'whole'], ['bytes=1-b', 'whole'], ['bytes=0x1-2', 'whole'], ['bytes=1.5-2', 'whole'], ['bytes=+1-2', 'whole'], ['bytes=1--2', 'whole'], ['bytes=--1', 'whole'], ['bytes=1 - 2', 'whole'], ['bytes=1-2-3', 'whole'], ['bytes =1-2', 'whole'], ['bytes:1-2', 'whole'],
  ['items=0-1', 'whole'], ['bytes=0-1,3-4', 'whole'], ['bytes=0-1, 20-', 'whole'], [`bytes=0-${'9'.repeat(300)}`, 'whole'], [`bytes=${'0-1,'.repeat(60)}`, 'whole'], ['none', 'whole'],
];

const rules = suite('range parser');

rules('the table', () => {
  for (const [field, expected] of fields) {
    const wanted: Wanted =
      typeof expected === 'string'
        ? expected === 'no'
          ? 'unsatisfiable'
          : 'whole'
        : { from: expected[0], to: expected[1] };
    assert.equal(parseRange(field, 10), wanted, field);
  }
});

rules('an empty file has no byte to ask for', () => {
  assert.is(parseRange('bytes=0-', 0), 'unsatisfiable');
  assert.is(parseRange('bytes=0-0', 0), 'unsatisfiable');
  assert.is(parseRange('bytes=-0', 0), 'unsatisfiable');
  assert.is(parseRange('bytes=-5', 0), 'whole', 'satisfiable, yet no 206 could say it');
});

rules('property: a slice lies in the file, is not empty, and is what the numbers say', async () => {
  const size = fc.nat({ max: 2 ** 40 });
  const position = fc.oneof(fc.nat({ max: 30 }), fc.nat({ max: 2 ** 41 }));
  await fc.assert(
    fc.property(size, position, fc.option(position), (bytes, first, last) => {
      const wanted = parseRange(`bytes=${first}-${last ?? ''}`, bytes);
      if (last !== null && last < first) assert.is(wanted, 'whole');
      else if (first >= bytes) assert.is(wanted, 'unsatisfiable');
      else assert.equal(wanted, { from: first, to: Math.min((last ?? bytes) + 1, bytes) });
    }),
    { numRuns: loop(500, 5_000) },
  );
});

rules('property: the last n bytes', async () => {
  await fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2 ** 40 }),
      fc.integer({ min: 1, max: 2 ** 41 }),
      (size, length) => {
        const kept = Math.min(length, size);
        assert.equal(parseRange(`bytes=-${length}`, size), { from: size - kept, to: size });
      },
    ),
  );
});

rules('property: no text makes it throw or leave the file', async () => {
  const piece = fc.constantFrom(
    'bytes',
    '=',
    '-',
    ',',
    ' ',
    '0',
    '9',
    '18446744073709551616',
    '\t',
    'x',
    '-0',
    '1-1',
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 10 }).map((pieces) => `bytes=${pieces.join('')}`),
  );
  await fc.assert(
    fc.property(text, fc.nat({ max: 100 }), (field, size) => {
      const wanted = parseRange(field, size);
      if (typeof wanted !== 'string')
        assert.ok(0 <= wanted.from && wanted.from < wanted.to && wanted.to <= size);
    }),
    { numRuns: loop(1_000, 10_000) },
  );
});

rules.run();

for (const dialect of oneDialect) {
  const test = suite(`static-http ranges and conditions (${dialect})`);
  let server: StaticServer;

  test.before(async () => {
    server = await staticServer({ dialect });
    await server.bucket('b', { cors: true });
    await server.put('b/ten.bin', SMALL);
    await server.put('b/large.bin', LARGE);
    await server.put('b/empty.bin', '');
    await server.put('b/dir/none.txt', '');
  });
  test.after(() => server.app.stop());

  const get = (name: string, headers: Record<string, string> = {}, method = 'GET') =>
    server.raw(rawGet(`/svc/static/b/${name}`, headers, method));

  test('every form of Range: 206, 416, or the whole file', async () => {
    for (const [range, expected] of fields) {
      const { status, headers, body } = await get('ten.bin', { range });
      assert.is(headers['access-control-allow-origin'], '*');
      if (expected === 'no') {
        assert.equal(
          [status, headers['content-range'], body.length],
          [416, 'bytes */10', 0],
          range,
        );
        continue;
      }
      const [from, to] = expected === 'whole' ? [0, 10] : expected;
      assert.is(body.toString(), SMALL.slice(from, to), range);
      assert.is(headers['content-length'], String(to - from));
      const content = expected === 'whole' ? undefined : `bytes ${from}-${to - 1}/10`;
      assert.equal([status, headers['content-range']], [content ? 206 : 200, content], range);
      assert.equal([headers['etag'], headers['accept-ranges']], [ETAG, 'bytes']);
    }
  });

  test('ranges of a file that is streamed, on both sides of a chunk', async () => {
    const edges = [0, 1, 131_071, 131_072, 131_073, 262_143, 262_144, 299_999];
    for (const from of edges) {
      for (const to of edges.filter((edge) => edge >= from)) {
        const { status, body } = await get('large.bin', { range: `bytes=${from}-${to}` });
        assert.is(status, 206);
        assert.ok(body.equals(LARGE.subarray(from, to + 1)), `${from}-${to}`);
      }
    }
    assert.ok((await get('large.bin')).body.equals(LARGE));
    const beyond = await get('large.bin', { range: 'bytes=300000-' });
    assert.equal([beyond.status, beyond.headers['content-range']], [416, 'bytes */300000']);
  });

  test('an empty file is served whole', async () => {
    for (const headers of [{}, { range: 'bytes=-5' }] as Record<string, string>[]) {
      const { status, headers: answered, body } = await get('empty.bin', headers);
      assert.equal([status, answered['content-length'], body.length], [200, '0', 0]);
    }
    assert.is((await get('empty.bin', { range: 'bytes=0-' })).status, 416);
  });

  test('HEAD ignores Range', async () => {
    const { status, headers } = await get('ten.bin', { range: 'bytes=0-1' }, 'HEAD');
    assert.equal(
      [status, headers['content-length'], headers['content-range']],
      [200, '10', undefined],
    );
  });

  test('If-Range: a strong tag or the exact date, else the whole file', async () => {
    // biome-ignore format: one case per line
    const cases: [ifRange: string, partial: boolean][] = [
      [ETAG, true], [` ${ETAG} `, true], ['"other"', false], [`W/${ETAG}`, false], [ETAG.replaceAll('"', ''), false],
      [at(0), true], [at(-1), false], [at(1), false], ['yesterday', false], [`${MTIME_S}`, false], ['*', false],
    ];
    for (const [ifRange, partial] of cases) {
      const { status, body } = await get('ten.bin', { range: 'bytes=2-3', 'if-range': ifRange });
      assert.equal([status, body.toString()], partial ? [206, '23'] : [200, SMALL], ifRange);
    }
    assert.is((await get('ten.bin', { 'if-range': ETAG })).status, 200);
  });

  test('If-None-Match and the dates, in the order of RFC 9110 §13.2.2', async () => {
    const other = '"1-1"';
    // biome-ignore format: one case per line
    const cases: [headers: Record<string, string>, status: number][] = [
      [{ 'if-none-match': ETAG }, 304], [{ 'if-none-match': `W/${ETAG}` }, 304], [{ 'if-none-match': '*' }, 304], [{ 'if-none-match': ` ${other} , ${ETAG},"x"` }, 304], [{ 'if-none-match': `${other},W/${ETAG}` }, 304],
      [{ 'if-none-match': other }, 200], [{ 'if-none-match': '' }, 200], [{ 'if-none-match': ETAG.replaceAll('"', '') }, 200], [{ 'if-none-match': `w/${ETAG}` }, 200], [{ 'if-none-match': ETAG.toUpperCase().slice(0, -2) }, 200],
      [{ 'if-modified-since': at(0) }, 304], [{ 'if-modified-since': at(1) }, 304], [{ 'if-modified-since': at(-1) }, 200], [{ 'if-modified-since': 'now' }, 200], [{ 'if-modified-since': rfc850(0) }, 304], [{ 'if-modified-since': rfc850(-1) }, 200], [{ 'if-modified-since': asctime(0) }, 304], [{ 'if-modified-since': asctime(-1) }, 200], [{ 'if-modified-since': '2040' }, 200], [{ 'if-modified-since': `${MTIME_S * 2}` }, 200],
      [{ 'if-none-match': other, 'if-modified-since': at(1) }, 200], [{ 'if-none-match': ETAG, 'if-modified-since': at(-1) }, 304],
      [{ 'if-match': ETAG }, 200], [{ 'if-match': '*' }, 200], [{ 'if-match': `${other}, ${ETAG}` }, 200], [{ 'if-match': other }, 412], [{ 'if-match': `W/${ETAG}` }, 412], [{ 'if-match': '' }, 412],
      [{ 'if-unmodified-since': at(0) }, 200], [{ 'if-unmodified-since': at(-1) }, 412], [{ 'if-unmodified-since': 'never' }, 200],
      [{ 'if-match': ETAG, 'if-unmodified-since': at(-1) }, 200], [{ 'if-match': other, 'if-none-match': ETAG }, 412], [{ 'if-match': ETAG, 'if-none-match': ETAG }, 304],
      [{ 'if-none-match': ETAG, range: 'bytes=0-1' }, 304], [{ 'if-match': other, range: 'bytes=0-1' }, 412], [{ 'if-match': ETAG, range: 'bytes=0-1' }, 206], [{ 'if-none-match': ETAG, range: 'bytes=50-' }, 304],
    ];
    for (const [headers, status] of cases) {
      for (const method of ['GET', 'HEAD']) {
        const expected = status === 206 && method === 'HEAD' ? 200 : status;
        const answer = await get('ten.bin', headers, method);
        assert.is(answer.status, expected, `${method} ${JSON.stringify(headers)}`);
        assert.is(answer.headers['etag'], ETAG);
        assert.is(answer.headers['access-control-allow-origin'], '*');
        if (status === 304 || status === 412) assert.is(answer.body.length, 0);
      }
    }
  });

  test('304 carries the tag and what caches need, nothing about a content', async () => {
    const { headers } = await get('ten.bin', { 'if-none-match': ETAG });
    const { date: _date, connection: _connection, ...rest } = headers;
    assert.equal(rest, {
      etag: ETAG,
      'last-modified': at(0),
      'cache-control': 'no-cache',
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
    });
  });

  test('A2 rows 5, 7 and 8: `*` matches what exists, a directory too', async () => {
    for (const path of ['dir', 'dir/']) {
      assert.is((await get(path, { 'if-none-match': '*' })).status, 304, path);
      assert.is((await get(path, { 'if-none-match': '"x"' })).status, 404);
      assert.is((await get(path, { 'if-none-match': '"x", *' })).status, 404, 'no list');
    }
    assert.is((await get('nothing', { 'if-none-match': '*' })).status, 404);
    assert.is((await get('../x', { 'if-none-match': '*' })).status, 400);
  });

  test.run();
}

// Results of an hour are packed without loss, and hostile bytes are refused (plugins/monitor/src/store/pack.ts).

import { randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import {
  decode,
  encode,
  HOUR_MS,
  MOST_RESULTS,
  type PackedResult,
  roundMs,
} from '../../plugins/monitor/src/store/pack.ts';
import { loop } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';

const test = suite('monitor: packed hours');
const RUNS = loop(200, 5_000);
const HOUR = 490_000;

const oneResult = fc.record({
  at: fc.integer({ min: 0, max: HOUR_MS - 1 }),
  ok: fc.constantFrom(true, true, true, false, null),
  ms: fc.option(fc.double({ min: 0, max: 2e9, noNaN: true }).map(roundMs)),
  code: fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 })),
  detail_id: fc.option(fc.integer({ min: 0, max: 2 ** 52 })),
});
const anyResults = fc
  .uniqueArray(oneResult, { maxLength: 300, selector: ({ at }) => at })
  .map((all) =>
    all.sort((a, b) => a.at - b.at).map((one) => ({ ...one, at: one.at + HOUR * HOUR_MS })),
  );

const steady = (count: number): PackedResult[] =>
  Array.from({ length: count }, (_, n) => ({
    at: HOUR * HOUR_MS + 7_123 + n * Math.floor((HOUR_MS - 8_000) / count),
    ok: n % 60 !== 59,
    ms: n % 60 === 59 ? null : roundMs(25 + (n % 7)),
    code: n % 60 === 59 ? null : 200,
    detail_id: n % 60 === 59 ? 17 : null,
  }));

test('what was packed is unpacked as it was', async () => {
  const property = fc.asyncProperty(anyResults, async (results) => {
    assert.equal(await decode(HOUR, await encode(HOUR, results)), results);
  });
  await fc.assert(property, { numRuns: RUNS });
});

test('an hour may be empty, or as full as it can be', async () => {
  for (const results of [[], steady(1), steady(MOST_RESULTS)])
    assert.equal(await decode(HOUR, await encode(HOUR, results)), results);
});

test('a time is stored with two digits at least, and stays what it was stored as', () => {
  const table = [
    [0, 0],
    [-3, 0],
    [0.123, 0.12],
    [0.994, 0.99],
    [0.996, 1],
    [4.56, 4.6],
    [9.94, 9.9],
    [9.96, 10],
    [25.4, 25],
    [1e12, 1e9],
  ] as const;
  for (const [ms, stored] of table) assert.is(roundMs(ms), stored, String(ms));
  const any = fc.double({ min: 0, max: 1e9, noNaN: true });
  fc.assert(
    fc.property(any, (ms) => {
      const stored = roundMs(ms);
      assert.is(roundMs(stored), stored);
      assert.ok(Math.abs(stored - ms) <= Math.max(0.0051, ms * 0.051));
    }),
  );
});

test('a steady check takes little more than a byte', async () => {
  const results = steady(180);
  const body = await encode(HOUR, results);
  assert.ok(body.length / results.length < 1.2, `${body.length} bytes`);
});

/** Unpacks bytes. @returns whether they were refused; what comes out otherwise has its bounds */
async function isRefused(bytes: Uint8Array): Promise<boolean> {
  try {
    const results = await decode(HOUR, bytes);
    assert.ok(results.length <= MOST_RESULTS);
    let last = HOUR * HOUR_MS - 1;
    for (const { at, ms } of results) {
      assert.ok(at > last && at < (HOUR + 1) * HOUR_MS);
      assert.ok(ms === null || ms >= 0);
      last = at;
    }
    return false;
  } catch (error) {
    assert.ok(error instanceof Error && !(error instanceof assert.Assertion), String(error));
    return true;
  }
}

test('other bytes are refused, or give results within the bounds', async () => {
  const body = await encode(HOUR, steady(180));
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.uint8Array({ maxLength: 300 }).map((content) => Buffer.from([2, ...content])),
    fc
      .uint8Array({ maxLength: 300 })
      .map((content) => Buffer.concat([Buffer.of(1), deflateRawSync(content)])),
    fc.tuple(fc.nat(body.length - 1), fc.nat(255)).map(([at, value]) => {
      const changed = Buffer.from(body);
      changed[at] = value;
      return changed;
    }),
  );
  await fc.assert(
    fc.asyncProperty(bytes, async (some) => void (await isRefused(some))),
    { numRuns: RUNS },
  );
});

const hostile: [name: string, bytes: () => Uint8Array][] = [
  ['nothing', () => Buffer.alloc(0)],
  ['a version of the future', () => Buffer.of(9, 0, 0)],
  [
    'a bomb of zeros',
    () => Buffer.concat([Buffer.of(1), deflateRawSync(Buffer.alloc(64 * 2 ** 20))]),
  ],
  ['noise of a megabyte', () => Buffer.concat([Buffer.of(2), randomBytes(2 ** 20)])],
  ['more results than an hour has', () => Buffer.of(2, 0x81, 0x80, 0x01, 0)],
  ['a number without an end', () => Buffer.of(2, ...new Array(40).fill(255))],
  ['a run that is longer than its column', () => Buffer.of(2, 3, 1, 0, 0, 0xff, 0x7f)],
];
for (const [name, bytes] of hostile)
  test(`${name} is refused`, async () => assert.ok(await isRefused(bytes())));

test('a body that is cut, or has more at its end, is refused', async () => {
  const plain = await encode(HOUR, steady(2));
  assert.is(plain[0], 2);
  assert.ok(await isRefused(plain.subarray(0, plain.length - 1)));
  assert.ok(await isRefused(Buffer.concat([plain, Buffer.of(0)])));
  const deflated = await encode(HOUR, steady(180));
  assert.is(deflated[0], 1);
  assert.ok(await isRefused(deflated.subarray(0, deflated.length - 3)));
});

test.run();

// terminal.md §6: the bound of one frame, however the bytes are cut into pieces.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { watchFrames } from '../../kernel/src/ws/frames.ts';

const test = suite('terminal: frames');
const LIMIT = 70_000;

/** A frame of this many bytes, written as RFC 6455 §5.2 says. */
function frame(length: number, masked: boolean): Buffer {
  const bit = masked ? 0x80 : 0;
  const head =
    length < 126
      ? Buffer.from([0x82, bit | length])
      : length < 65_536
        ? Buffer.from([0x82, bit | 126, length >> 8, length & 255])
        : Buffer.concat([Buffer.from([0x82, bit | 127]), Buffer.alloc(8)]);
  if (length >= 65_536) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, Buffer.alloc(masked ? 4 : 0, 0xff), Buffer.alloc(length, 0xff)]);
}

const length = fc.oneof(
  fc.constantFrom(0, 1, 125, 126, 127, 65_535, 65_536, LIMIT - 1, LIMIT, LIMIT + 1),
  fc.integer({ min: 0, max: 300 }),
);

test('the first frame above the limit is found as soon as its header is there, once, and no other', () => {
  fc.assert(
    fc.property(
      fc.array(length, { maxLength: 8 }),
      fc.boolean(),
      fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 5 }),
      (lengths, masked, cuts) => {
        const bytes = Buffer.concat(lengths.map((each) => frame(each, masked)));
        let found = 0;
        const watch = watchFrames(LIMIT, () => found++);
        for (let at = 0, n = 0; at < bytes.length; n++) {
          const size = cuts[n % cuts.length]!;
          watch(bytes.subarray(at, at + size));
          at += size;
        }
        assert.is(found, lengths.some((each) => each > LIMIT) ? 1 : 0);
      },
    ),
    { numRuns: 300 },
  );
});

test('one byte at a time', () => {
  let found = 0;
  const watch = watchFrames(LIMIT, () => found++);
  const bytes = Buffer.concat([frame(0, true), frame(200, true), frame(LIMIT, true)]);
  for (let at = 0; at < bytes.length; at++) watch(bytes.subarray(at, at + 1));
  assert.is(found, 0);
  for (const byte of frame(LIMIT + 1, true).subarray(0, 14)) watch(Buffer.from([byte]));
  assert.is(found, 1);
});

test.run();

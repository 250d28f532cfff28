import http from 'node:http';
import { createRequire } from 'node:module';
import * as assert from 'uvu/assert';
import { mask, quickMasks, unmask } from '../../server/bin/masks.js';
import { suite } from '../runner/suite.ts';

const test = suite('masks');
const KEY = Uint8Array.of(0x37, 0xfa, 0x21, 0x3d);
const LENGTHS = [0, 1, 31, 32, 33, 34, 35, 36, 127, 1000];

/** RFC 6455 §5.3, literally. */
const masked = (bytes: Uint8Array) => bytes.map((byte, at) => byte ^ (KEY[at % 4] as number));

const sample = (length: number) => Buffer.from(Array.from({ length }, (_, at) => at * 7));

test('takes masks off wherever a message lies in memory, and touches nothing beside it', () => {
  for (const length of LENGTHS)
    for (let offset = 0; offset < 8; offset++) {
      const around = Buffer.alloc(offset + length + 8);
      const bytes = around.subarray(offset, offset + length);
      bytes.set(masked(sample(length)));
      unmask(bytes, KEY);
      assert.ok(bytes.equals(sample(length)), `${length} bytes at ${offset}`);
      assert.ok(around.subarray(offset + length).every((byte) => byte === 0));
    }
});

test('masks into a part of a buffer', () => {
  for (const length of LENGTHS) {
    const output = Buffer.alloc(length + 20);
    mask(sample(length), KEY, output, 7, length);
    assert.ok(output.subarray(7, 7 + length).equals(masked(sample(length))), `${length} bytes`);
    assert.ok(output.subarray(7 + length).every((byte) => byte === 0));
  }
});

test('ws uses them where Node has none of its own', () => {
  quickMasks();
  const own = http as unknown as { websocketUnmask: typeof unmask };
  const before = own.websocketUnmask;
  const asked: number[] = [];
  own.websocketUnmask = (bytes, key) => {
    asked.push(bytes.length);
    before(bytes, key);
  };
  const require = createRequire(import.meta.url);
  const path = require.resolve('ws').replace(/[^/\\]+$/, 'lib/buffer-util.js');
  const loaded = require.cache[path];
  delete require.cache[path];
  try {
    const bytes = Buffer.from(masked(sample(100)));
    require(path).unmask(bytes, KEY);
    assert.ok(bytes.equals(sample(100)));
    assert.equal(asked, [100]);
  } finally {
    own.websocketUnmask = before;
    if (loaded) require.cache[path] = loaded;
    else delete require.cache[path];
  }
});

test.run();

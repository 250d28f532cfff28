/** What script-quickjs takes from its libraries beyond their documentation: an update that changes it fails here. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import * as assert from 'uvu/assert';
import {
  bufferLength,
  fixedMemory,
  openQuickJs,
  STREAM_IS_READ,
} from '../plugins/script-quickjs/src/thread/quirks.ts';
import { wasm } from '../plugins/script-quickjs/src/wasm.ts';
import { suite } from './runner/suite.ts';

const require = createRequire(new URL('../plugins/script-quickjs/src/index.ts', import.meta.url));
const test = suite('script-quickjs: inside of libraries');
/** 16 MiB, which the module demands. */
const PAGES = 256;
const SIZE = PAGES * 65_536;

async function open(onRefusal = () => {}) {
  const path = require.resolve('@jitl/quickjs-wasmfile-release-sync/wasm');
  const memory = fixedMemory(PAGES, onRefusal);
  const opened = await openQuickJs(await wasm.compile(await readFile(path)), memory);
  return { ...opened, memory, context: opened.quickJs.newContext() };
}

test('an instance lives in the memory that it was given, and its allocator can be used', async () => {
  const { allocator, context, memory } = await open();
  const at = allocator._malloc(1_000_000);
  assert.ok(at > 0 && at < SIZE);
  allocator._free(at);
  assert.is(memory.buffer.byteLength, SIZE);
  context.dispose();
});

test('what does not fit is asked for, refused as address 0, and told', async () => {
  let refused = 0;
  const { allocator, context, memory } = await open(() => void refused++);
  assert.is(refused, 0);
  assert.is(allocator._malloc(SIZE), 0);
  assert.ok(refused > 0);
  assert.is(memory.buffer.byteLength, SIZE);
  context.dispose();
});

test('a script that fills its memory gets an error, and its engine goes on', async () => {
  let refused = 0;
  const { context } = await open(() => void refused++);
  const source = 'const all = []; for (;;) all.push(new Uint8Array(65536))';
  const filled = context.evalCode(`try { ${source} } catch { 'full' }`);
  assert.is(context.dump(context.unwrapResult(filled)), 'full');
  assert.ok(refused > 0);
});

test('the length of an ArrayBuffer is read without a copy', async () => {
  const { context } = await open();
  const made = context.unwrapResult(context.evalCode('new ArrayBuffer(12345)'));
  assert.is(bufferLength(context, made), 12_345);
  made.dispose();
  context.dispose();
});

test('a stream of the polyfill says that it was read from', async () => {
  const { ReadableStream } = require('web-streams-polyfill');
  const isRead = new Function(`return ${STREAM_IS_READ}`)();
  const stream = new ReadableStream({
    pull: (controller: { enqueue(chunk: unknown): void }) => controller.enqueue(new Uint8Array(1)),
  });
  const reader = stream.getReader();
  assert.is(isRead(stream), false);
  await reader.read();
  reader.releaseLock();
  assert.is(isRead(stream), true);
});

test('the libraries of first use have the entries that the prelude reads', () => {
  for (const path of [require.resolve('buffer/'), require.resolve('web-streams-polyfill')])
    assert.match(path, /\.js$/);
  const within = createRequire(require.resolve('buffer/'));
  for (const name of ['base64-js', 'ieee754']) assert.ok(within.resolve(name), name);
});

test.run();

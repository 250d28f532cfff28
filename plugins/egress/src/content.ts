import type { IncomingMessage } from 'node:http';
import { Duplex, pipeline, Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/** Creates the stream that decodes a content which begins with these bytes. */
type Unpack = (first: Buffer) => Transform;

/** Content of a response without its transfer encodings; fails past `most` bytes, compressed ones included. */
export function decoded(answer: IncomingMessage, most: number): Readable {
  const codings = String(answer.headers['content-encoding'] ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity')
    .reverse();
  const stages = codings.slice(0, 3).map(decoder);
  const known = stages.filter((stage) => stage !== undefined);
  const out = bounded(most);
  const parts = known.length === codings.length ? known : [];
  // Errors reach the reader of `out`; a reader that has gone is not told.
  pipeline([answer, ...parts, out], () => undefined);
  return out;
}

/** Servers send `deflate` with and without its header. */
const unpackers: { readonly [coding: string]: Unpack } = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  br: () => createBrotliDecompress(),
  deflate: ([first = 0]) => ((first & 0x0f) === 0x08 ? createInflate() : createInflateRaw()),
};

function decoder(coding: string): Duplex | undefined {
  const unpack = Object.hasOwn(unpackers, coding) ? unpackers[coding] : undefined;
  return unpack && Duplex.from((packed: AsyncIterable<Buffer>) => unpacked(packed, unpack));
}

/** Decodes a body; an empty one is empty in every coding. A piece is unpacked when the reader takes it, not before. */
async function* unpacked(packed: AsyncIterable<Buffer>, unpack: Unpack): AsyncGenerator<Buffer> {
  const pieces = packed[Symbol.asyncIterator]();
  const { value: first, done } = await pieces.next();
  if (done) return;
  async function* all() {
    yield first;
    yield* { [Symbol.asyncIterator]: () => pieces };
  }
  // Its errors are those of the unpacking stream, which is read here.
  yield* pipeline(Readable.from(all()), unpack(first), () => undefined);
}

function bounded(most: number): Transform {
  let length = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      length += chunk.length;
      if (length > most) done(new Error(`the response is larger than ${most} bytes`));
      else done(null, chunk);
    },
  });
}

import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

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
  // Errors reach whoever reads `out`; a reader that has gone is not told.
  pipeline([answer, ...parts, out], () => undefined);
  return out;
}

function decoder(coding: string): Transform | undefined {
  if (coding === 'gzip' || coding === 'x-gzip') return createGunzip();
  if (coding === 'deflate') return inflate();
  return coding === 'br' ? createBrotliDecompress() : undefined;
}

/** Servers send `deflate` with and without its header. */
function inflate(): Transform {
  let inner: Transform | undefined;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (!inner) {
        inner = ((chunk[0] ?? 0) & 0x0f) === 0x08 ? createInflate() : createInflateRaw();
        inner.on('data', (data) => this.push(data));
        inner.on('error', (error) => this.destroy(error));
      }
      inner.write(chunk, () => done());
    },
    flush(done) {
      if (!inner) return done();
      inner.once('end', () => done());
      inner.end();
    },
    destroy(error, done) {
      inner?.destroy();
      done(error);
    },
  });
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

import type { Stats } from 'node:fs';
import type { OpenFile } from '@svc/plugin-static-bucket/api';
import { Refusal } from './answers.ts';
import type { DavRequest } from './request.ts';

const CHUNK_BYTES = 256 * 1024;

interface Place {
  readonly start: number;
  readonly end: number;
  readonly before: Stats | undefined;
}

/** The new content of a file: its bytes before `start`, the body, its bytes from `end` on. @throws Refusal 409 when it changed */
export async function* merged(
  request: DavRequest,
  body: AsyncIterable<Uint8Array>,
  { start, end, before }: Place,
): AsyncGenerator<Uint8Array, void> {
  const old = before ? await request.files.open(request.path) : undefined;
  try {
    if (old && (old.stat.size !== before?.size || old.stat.ino !== before.ino))
      throw new Refusal(409);
    if (old) yield* slice(old, 0, start);
    yield* body;
    if (old) yield* slice(old, end, old.stat.size);
  } finally {
    await old?.close();
  }
}

async function* slice(file: OpenFile, from: number, to: number): AsyncGenerator<Uint8Array, void> {
  const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  for (let at = from; at < to; ) {
    const chunk = buffer.subarray(0, Math.min(buffer.length, to - at));
    if ((await file.fill(chunk, at)) < chunk.length) throw new Refusal(409);
    at += chunk.length;
    yield chunk;
  }
}

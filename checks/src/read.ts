import type { Readable } from 'node:stream';

export interface ReadOptions {
  readonly most: number;
  /** Tells whether to stop; the bytes before `from` were there at the last question. */
  readonly isEnough?: (bytes: Buffer, from: number) => boolean;
}

/** Bytes that were read, and whether reading ended with the stream, before there was enough. */
export interface Read {
  readonly bytes: Buffer;
  readonly ended: boolean;
}

/** Reads a stream until there is enough of it, `most` bytes or its end, and pauses it. @throws Error of the stream */
export function readFrom(
  stream: Readable,
  { most, isEnough = () => false }: ReadOptions,
): Promise<Read> {
  const { promise, resolve, reject } = Promise.withResolvers<Read>();
  let held = Buffer.allocUnsafe(Math.min(most, 2_048));
  let length = 0;
  const take = (chunk: Buffer) => {
    const from = length;
    length = Math.min(most, from + chunk.length);
    if (length > held.length) {
      const larger = Buffer.allocUnsafe(Math.min(most, Math.max(length, 2 * held.length)));
      held.copy(larger, 0, 0, from);
      held = larger;
    }
    chunk.copy(held, from, 0, length - from);
    if (length === most || isEnough(held.subarray(0, length), from)) finish(false);
  };
  const finish = (ended: boolean) => {
    stream.off('data', take).off('end', end).off('close', end).off('error', reject);
    stream.pause();
    resolve({ bytes: held.subarray(0, length), ended });
  };
  const end = () => finish(true);
  stream.on('data', take).once('end', end).once('close', end).once('error', reject);
  // It may have ended before somebody listened.
  if (stream.destroyed || stream.readableEnded) end();
  else stream.resume();
  return promise;
}

import type { ServerResponse } from 'node:http';
import type { Clock } from '../clock.ts';
import type { OpenFile } from './open-file.ts';

/** Memory of one download, besides the socket's own buffer. */
const CHUNK_BYTES = 128 * 1024;

/** A download ended early. The connection is closed, so that the client sees an incomplete answer. */
export class Cut extends Error {
  override readonly name = 'Cut';
}

export interface Pace {
  readonly clock: Clock;
  /** A client must take one chunk in this time. */
  readonly stall_ms: number;
  /** Called when the client has taken what was sent. */
  readonly moved?: () => void;
}

/**
 * Sends bytes `from` up to `to` of an open file. Each chunk is read when the one before has been sent.
 * @throws Cut when the file shrinks or changes, and when the client leaves or stalls; file system errors
 */
export async function sendFile(
  response: ServerResponse,
  file: OpenFile,
  { from, to }: { readonly from: number; readonly to: number },
  pace: Pace,
): Promise<void> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, to - from));
  for (let at = from; at < to; ) {
    const chunk = buffer.subarray(0, Math.min(buffer.length, to - at));
    if ((await file.fill(chunk, at)) < chunk.length) throw new Cut('the file shrank');
    at += chunk.length;
    // An answer with parts of two versions must not look complete.
    if (at === to && !(await file.isUnchanged())) throw new Cut('the file changed');
    await written(response, chunk, pace);
  }
}

/** Resolves when the bytes have left for the operating system. */
export function written(response: ServerResponse, chunk: Uint8Array, pace: Pace): Promise<void> {
  return settled(response, pace, (done) => response.write(chunk, done));
}

/** Resolves when an ended response has left for the operating system. @throws Cut */
export function finished(response: ServerResponse, pace: Pace): Promise<void> {
  return settled(response, pace, (done) => {
    if (response.writableFinished) done();
    else response.once('finish', () => done());
  });
}

function settled(
  response: ServerResponse,
  { clock, stall_ms, moved }: Pace,
  start: (done: (error?: Error | null) => void) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: Error | null) => {
      cancel();
      response.off('close', gone);
      if (error) reject(error instanceof Cut ? error : new Cut(error.message, { cause: error }));
      else {
        moved?.();
        resolve();
      }
    };
    const gone = () => done(new Cut('the client has gone'));
    const cancel = clock.timeout(() => done(new Cut('the client is too slow')), stall_ms);
    if (response.destroyed) {
      gone();
      return;
    }
    response.once('close', gone);
    start(done);
  });
}

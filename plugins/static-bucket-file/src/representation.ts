import type { OpenFile, Representation } from '@svc/plugin-static-bucket/api';
import { type Encoding, isCompressible } from './encodings.ts';

/** Files up to this size are read whole, and may be kept in memory. */
const SMALL_BYTES = 64 * 1024;
const ATTEMPTS = 3;

export const CORS = ['access-control-allow-origin', '*'] as const;

export interface Facts {
  /** Media type of the file itself, not of its encoding. */
  readonly type: string;
  readonly encoding?: Encoding;
  readonly cors: boolean;
  /** Entity tag with quotes, as the file server makes it. */
  readonly etag: string;
}

/** The representation of one file, or of a pre-compressed file next to it. */
export function representationOf(
  file: OpenFile,
  body: Uint8Array | OpenFile,
  { type, encoding, cors, etag }: Facts,
): Representation {
  const { size, mtimeMs } = file.stat;
  const mtime_ms = Math.max(0, Math.floor(mtimeMs));
  // Each encoding is a representation of its own and needs its own strong tag.
  const tag = encoding ? `${etag.slice(0, -1)}-${encoding}"` : etag;
  return {
    size,
    mtime_ms,
    etag: tag,
    common: [
      'etag',
      tag,
      'last-modified',
      new Date(mtime_ms).toUTCString(),
      // With `last-modified` alone, browsers would use an old file for days.
      'cache-control',
      'no-cache',
      ...(isCompressible(type) ? ['vary', 'accept-encoding'] : []),
      ...(cors ? CORS : []),
    ],
    entity: [
      'content-type',
      type,
      ...(encoding ? ['content-encoding', encoding] : []),
      'accept-ranges',
      'bytes',
    ],
    body,
  };
}

/**
 * Reads and closes a small file, up to three times when it changes meanwhile. A large file stays open and is the body.
 * @throws Error when the file keeps changing
 */
export async function contentOf(
  opened: OpenFile,
  openAgain: () => Promise<OpenFile>,
): Promise<{ readonly file: OpenFile; readonly body: Uint8Array | OpenFile }> {
  let file = opened;
  for (let attempt = 1; file.stat.size > SMALL_BYTES || attempt <= ATTEMPTS; attempt++) {
    if (file.stat.size > SMALL_BYTES) return { file, body: file };
    const body = await readAndClose(file);
    if (body) return { file, body };
    file = await openAgain();
  }
  await file.close();
  throw new Error('the file keeps changing');
}

/** @returns undefined when the file changed meanwhile */
async function readAndClose(file: OpenFile): Promise<Uint8Array | undefined> {
  try {
    const bytes = Buffer.allocUnsafeSlow(file.stat.size);
    const whole = (await file.fill(bytes, 0)) === bytes.length;
    return whole && (await file.isUnchanged()) ? bytes : undefined;
  } finally {
    await file.close();
  }
}

import type { FileHandle } from 'node:fs/promises';
import { UserError } from '@svc/plugin-sdk';

const BLOCK = 512;
/** Names, and sizes up to this, fit the plain header; others have a record of the POSIX form (pax) before it. */
const NAME_BYTES = 100;
const PLAIN_SIZE = 8 ** 11;
/** Name and size of a part are all that such a record holds. */
const MAX_RECORD_BYTES = 64 * 1024;
const MAX_PARTS = 10_000_000;

/** Fields of a header: offset and length (POSIX.1-1988, ustar). */
const NAME = [0, NAME_BYTES] as const;
const SIZE = [124, 12] as const;
const CHECKSUM = [148, 8] as const;
const TYPE_AT = 156;

/** The header of a file in a tar archive, with the blocks that come before it. */
export function tarHeader(name: string, size: number): Buffer {
  const isPlain = Buffer.byteLength(name) <= NAME_BYTES && /^[\x20-\x7e]*$/.test(name);
  if (isPlain && size < PLAIN_SIZE) return header(name, size, '0');
  const records = [record('path', name), record('size', String(size))].join('');
  const extra = Buffer.from(records);
  const short = name.replace(/[^\x20-\x7e]/g, '_').slice(0, NAME_BYTES);
  return Buffer.concat([
    header('pax', extra.length, 'x'),
    extra,
    tarPadding(extra.length),
    header(short, size < PLAIN_SIZE ? size : 0, '0'),
  ]);
}

/** Fills the last block of a file. */
export const tarPadding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
/** The end of an archive. */
export const TAR_END = Buffer.alloc(2 * BLOCK);

function header(name: string, size: number, type: '0' | 'x'): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0, 'ascii');
  block.write('0000600\0', 100, 'ascii');
  block.write('0000000\0'.repeat(2), 108, 'ascii');
  block.write(`${octal(size, 11)}\0${octal(Date.now() / 1000, 11)}\0`, SIZE[0], 'ascii');
  block.write(type, TYPE_AT, 'ascii');
  block.write('ustar\x0000', 257, 'latin1');
  block.write(`${octal(sumOf(block), 6)}\0 `, CHECKSUM[0], 'latin1');
  return block;
}

const octal = (value: number, digits: number) =>
  Math.floor(value).toString(8).padStart(digits, '0');

/** The checksum counts its own field as blanks. */
function sumOf(block: Buffer): number {
  const [from, length] = CHECKSUM;
  const filled = Buffer.from(block).fill(' ', from, from + length);
  return filled.reduce((sum, byte) => sum + byte, 0);
}

/** `LENGTH key=value\n`, where the length counts its own digits. */
function record(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  const digits = String(bytes + String(bytes).length).length;
  return `${bytes + digits}${rest}`;
}

/** Entry of a file in an archive. */
export interface TarEntry {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
}

/** The files of an archive. @throws UserError that names the file behind which it is damaged */
export async function readTar(file: FileHandle): Promise<TarEntry[]> {
  const found: TarEntry[] = [];
  const { size: end } = await file.stat();
  let extra: Record<string, string> = {};
  for (let at = 0; at < end; ) {
    const block = await readAt(file, at, BLOCK);
    const damaged = () =>
      new UserError(`the archive is damaged behind '${found.at(-1)?.name ?? 'its beginning'}'`);
    if (block.length < BLOCK) throw damaged();
    if (block.every((byte) => byte === 0)) return found;
    if (parseInt(textIn(block, CHECKSUM), 8) !== sumOf(block)) throw damaged();
    const size = Number(extra['size'] ?? parseInt(textIn(block, SIZE), 8));
    const offset = at + BLOCK;
    at = offset + size + tarPadding(size).length;
    if (!(size >= 0) || at > end || found.length > MAX_PARTS) throw damaged();
    if (block[TYPE_AT] === 'x'.charCodeAt(0)) {
      if (size > MAX_RECORD_BYTES) throw damaged();
      extra = recordsIn(await readAt(file, offset, size));
    } else {
      found.push({ name: extra['path'] ?? textIn(block, NAME), offset, size });
      extra = {};
    }
  }
  throw new UserError(`the archive ends too early, behind '${found.at(-1)?.name ?? ''}'`);
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}

const textIn = (block: Buffer, [from, length]: readonly [number, number]): string =>
  block.toString('latin1', from, from + length).replace(/\0.*$/s, '');

/** Records follow each other by their lengths: a name may hold the end of a line. */
function recordsIn(bytes: Buffer): Record<string, string> {
  const found: Record<string, string> = {};
  for (let at = 0; at < bytes.length; ) {
    const length = parseInt(bytes.toString('latin1', at, at + 8), 10);
    const [, key, value] =
      /^\d+ (\w+)=(.*)\n$/s.exec(bytes.toString('utf8', at, at + length)) ?? [];
    if (key === undefined || value === undefined) return found;
    found[key] = value;
    at += length;
  }
  return found;
}

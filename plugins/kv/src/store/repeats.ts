import { RpcError } from '@svc/plugin-sdk';
import type { Item } from '../patterns.ts';

/** Items of a call, each once, and the places of these items in the order of the call. */
export interface Distinct {
  readonly items: readonly Item[];
  readonly order: readonly number[];
}

/** Front ends may ask for one pattern thousands of times: it is looked up once. */
export function distinctOf(asked: readonly Item[]): Distinct {
  const namespaces = new Map<string, Map<string, number>>();
  const items: Item[] = [];
  const order = asked.map((item) => {
    const { namespace, key } = item;
    const places = namespaces.get(namespace) ?? new Map<string, number>();
    if (places.size === 0) namespaces.set(namespace, places);
    const place = places.get(key);
    if (place !== undefined) return place;
    places.set(key, items.length);
    return items.push(item) - 1;
  });
  return { items, order };
}

/** Rows and repeats that are copied before other calls get their turn. */
const SLICE = 5_000;
const COMMA = 0x2c;
const ZERO = 0x30;
const [OPEN, CLOSE] = [Buffer.from('['), Buffer.from(']')];

/**
 * A JSON array of the rows of each item, repeated as the call asked.
 * @param rows as bytes of a JSON array: of each row the place of its item, its length in bytes, and the row
 * @throws RpcError -32008 past `maxBytes`
 */
export async function repeated(
  rows: Buffer,
  { items, order }: Distinct,
  maxBytes: number,
): Promise<Uint8Array> {
  const found = await rowsOf(rows, items.length);
  const answers = found.map((pieces) => joined(pieces));
  const asked = order.map((place) => answers[place] as Buffer).filter(({ length }) => length > 0);
  const size = asked.reduce((sum, { length }) => sum + length + 1, 1);
  if (size > maxBytes) throw RpcError.responseTooBig(maxBytes);
  if (asked.length === 0) return Buffer.concat([OPEN, CLOSE]);
  const answer = Buffer.allocUnsafe(size);
  let at = OPEN.copy(answer);
  for (const [count, piece] of asked.entries()) {
    at += piece.copy(answer, at);
    answer[at++] = COMMA;
    if (count % SLICE === SLICE - 1) await new Promise(setImmediate);
  }
  CLOSE.copy(answer, at - 1);
  return answer;
}

async function rowsOf(bytes: Buffer, count: number): Promise<Buffer[][]> {
  const found: Buffer[][] = Array.from({ length: count }, () => []);
  let at = OPEN.length;
  const number = () => {
    let value = 0;
    for (; bytes[at] !== COMMA; at++) value = value * 10 + (bytes[at] as number) - ZERO;
    at++;
    return value;
  };
  for (let rows = 1; at < bytes.length - 1; rows++) {
    const place = number();
    const length = number();
    found[place]?.push(bytes.subarray(at, at + length));
    at += length + 1;
    if (rows % SLICE === 0) await new Promise(setImmediate);
  }
  return found;
}

function joined(pieces: readonly Buffer[]): Buffer {
  const separated = pieces.flatMap((piece, at) => (at === 0 ? [piece] : [SEPARATOR, piece]));
  return Buffer.concat(separated);
}
const SEPARATOR = Buffer.from(',');

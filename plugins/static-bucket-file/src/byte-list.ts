import { setImmediate as nextTurn } from 'node:timers/promises';
import { RpcError } from '@svc/plugin-sdk';
import type { RawJson } from '@svc/plugin-sdk/json';

/** Characters that are read in one turn of the event loop, a few milliseconds. */
const PIECE = 256 * 1024;

/** The bytes of a file as a JSON list of integers from 0 to 255: at once where the list is short. @throws RpcError -32602 */
export function bytesOfList({ text: given }: RawJson): Uint8Array | (() => Promise<Uint8Array>) {
  const text = String(given);
  const work = pieces(text);
  if (text.length > PIECE) return () => inTurns(work);
  return Buffer.concat([...work]);
}

async function inTurns(work: Iterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (const part of work) {
    parts.push(part);
    await nextTurn();
  }
  return Buffer.concat(parts);
}

function* pieces(text: string): Generator<Uint8Array, void> {
  const start = text.search(/\S/);
  if (text[start] !== '[') throw noBytes();
  const end = text.lastIndexOf(']');
  for (let from = start + 1; from < end; ) {
    const comma = text.indexOf(',', from + PIECE);
    const to = comma < 0 ? end : comma;
    yield bytesIn(`[${text.slice(from, to)}]`);
    from = to + 1;
  }
}

function bytesIn(text: string): Uint8Array {
  try {
    const values: unknown[] = JSON.parse(text);
    if (values.every(isByte)) return Uint8Array.from(values);
  } catch (cause) {
    // The whole is JSON, so a piece that is none was cut inside of an element that is no integer.
    if (!(cause instanceof SyntaxError)) throw cause;
  }
  throw noBytes();
}

const isByte = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 255;

const noBytes = () =>
  RpcError.params('invalid type: expected a list of integers from 0 to 255, at body');

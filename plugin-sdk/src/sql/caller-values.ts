import { setImmediate as nextTurn } from 'node:timers/promises';
import { RpcError } from '../errors.ts';
import { Cursor, OPEN_LIST, OPEN_OBJECT, type Place, QUOTE, type Span } from '../json/cursor.ts';
import { parseSpelledJson } from '../json/exact.ts';
import { RawJson, stringifyExact } from '../json/raw.ts';
import { stringPieces } from '../json/string-pieces.ts';
import type { CallerValue } from './statements.ts';

const LEAST = -(2n ** 63n);
const MOST = 2n ** 63n - 1n;
/** Integer beyond which a value is bound as a real. */
const MOST_UNSIGNED = 2n ** 64n - 1n;

/** Parameters of a statement at most: no database takes more. */
const MOST_VALUES = 65_535;
/** Members and elements of one document: more would hold the event loop. */
const MOST_PARTS = 50_000;
/** Bytes that are read in one turn of the event loop, a few milliseconds. */
const PIECE = 64 * 1024;

/**
 * The `params` of a call with SQL (db.md §4.6, "Binding of JSON values") for `Database.execute`.
 * @throws RpcError 108 when they are no list or too many, or hold an integer that signed 64 bit cannot hold
 */
export async function callerValues(sent: RawJson | null | undefined): Promise<CallerValue[]> {
  const text = sent ? String(sent.text) : '[]';
  if (text.length <= PIECE) return valuesIn(text);
  await nextTurn();
  const cursor = new Cursor(text);
  if (cursor.space() !== OPEN_LIST) throw noList();
  const values: CallerValue[] = [];
  const add = async (more: readonly CallerValue[]) => {
    for (const value of more) values.push(value);
    if (values.length > MOST_VALUES) throw tooMany(`${MOST_VALUES} params`);
    await nextTurn();
  };
  const elements = (place: Place) => valuesIn(`[${cursor.text(place)}]`);
  /** Elements that are parsed together. */
  let run: Place | undefined;
  for (const span of cursor.items()) {
    if (!span) {
      await nextTurn();
      continue;
    }
    refuseLarge(span, cursor.bytes[span.start]);
    const isLong = span.end - span.start > PIECE;
    if (isLong) await nextTurn();
    if (isLong && cursor.bytes[span.start] === QUOTE) {
      if (run) await add(elements(run));
      await add([await longString(cursor.bytes, span)]);
      run = undefined;
      continue;
    }
    run = { start: run?.start ?? span.start, end: span.end };
    if (run.end - run.start <= PIECE) continue;
    await add(elements(run));
    run = undefined;
  }
  if (run) await add(elements(run));
  return values;
}

async function longString(bytes: Buffer, place: Place): Promise<string> {
  let made = '';
  for (const piece of stringPieces(bytes, place)) {
    made += JSON.parse(piece);
    await nextTurn();
  }
  return made;
}

/** @throws RpcError 108 for a list or object that holds more than may be bound */
function refuseLarge({ values }: Span, opening: number | undefined): void {
  const isDocument = opening === OPEN_LIST || opening === OPEN_OBJECT;
  if (isDocument && values - 1 > MOST_PARTS)
    throw tooMany(`${MOST_PARTS} values in one document; send a larger one as a string`);
}

const noList = () => RpcError.invalid('params must be an array or null');
const tooMany = (most: string) => RpcError.invalid(`params may hold at most ${most}`);

function valuesIn(text: string): CallerValue[] {
  const values = parseSpelledJson(text, (token) => {
    if (!Number.isFinite(Number(token))) throw RpcError.params('number out of range');
    return new RawJson(token);
  });
  if (!Array.isArray(values)) throw noList();
  return values.map(callerValue);
}

function callerValue(value: unknown): CallerValue {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (typeof value === 'bigint') return integer(value);
  if (typeof value !== 'object' || value === null) return value as CallerValue;
  // `1.0` and `1e3`: reals whose value is an integer.
  if (value instanceof RawJson) return Number(value.text);
  return new RawJson(sortedText(value));
}

function integer(value: bigint): bigint | number {
  if (value >= LEAST && value <= MOST) return value;
  if (value > MOST && value <= MOST_UNSIGNED) {
    throw RpcError.invalid(`the integer ${value} does not fit signed 64 bit`);
  }
  const real = Number(value);
  if (!Number.isFinite(real)) throw RpcError.params('number out of range');
  return real;
}

const SURROGATE = /[\ud800-\udfff]/;
/** The order of UTF-16 is that of bytes where no name has a surrogate. */
const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** JSON with members sorted by name, in byte order. */
function sortedText(value: unknown): string {
  if (typeof value !== 'object' || value === null || value instanceof RawJson)
    return stringifyExact(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(sortedText).join(',')}]`;
  const names = Object.keys(value).sort();
  if (names.some((name) => SURROGATE.test(name))) names.sort(byBytes);
  const members = value as Readonly<Record<string, unknown>>;
  // As text: JavaScript would put members that look like numbers first.
  return `{${names.map((name) => `${JSON.stringify(name)}:${sortedText(members[name])}`).join(',')}}`;
}

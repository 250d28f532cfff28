import {
  parseSpelledJson,
  RawJson,
  RpcError,
  type SqlValue,
  stringifyExact,
} from '@svc/plugin-sdk';

const LEAST = -(2n ** 63n);
const MOST = 2n ** 63n - 1n;
/** A greater integer is bound as a real. */
const MOST_UNSIGNED = 2n ** 64n - 1n;

/**
 * Placeholder values of a call (db.md §4.6, "Binding of JSON values"); integers as BigInt, reals as numbers.
 * @throws RpcError 108 when the value is no list, or holds an integer that SQLite cannot hold
 */
export function bindValues(sent: RawJson | null | undefined): SqlValue[] {
  if (!sent) return [];
  const values = parseSpelledJson(String(sent.text), (token) => {
    if (!Number.isFinite(Number(token))) throw RpcError.params('number out of range');
    return new RawJson(token);
  });
  if (!Array.isArray(values)) throw RpcError.invalid('params must be an array or null');
  return values.map(bound);
}

function bound(value: unknown): SqlValue {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (typeof value === 'bigint') return integer(value);
  // `1.0` and `1e3`: reals whose value is an integer.
  if (value instanceof RawJson) return Number(value.text);
  return stringifyExact(sorted(value)) ?? 'null';
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

/** Members sorted by name, in byte order. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof RawJson) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).map(([name, member]) => ({
    name,
    bytes: Buffer.from(name),
    text: stringifyExact(sorted(member)) ?? 'null',
  }));
  entries.sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  // As text: JavaScript would put members that look like numbers first.
  const members = entries.map(({ name, text }) => `${JSON.stringify(name)}:${text}`);
  return new RawJson(`{${members.join(',')}}`);
}

/** JSON text of one row. */
export function rowText(row: { readonly [column: string]: unknown }): string {
  const members: string[] = [];
  for (const column in row) members.push(`${JSON.stringify(column)}:${cellText(row[column])}`);
  return `{${members.join(',')}}`;
}

/** JSON text of one stored value, by its storage class (db.md §4.6, "Result values"). */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return realText(value);
  if (typeof value === 'string') return JSON.stringify(value);
  return bytesText(value as Uint8Array);
}

/** `2.0` keeps its fraction; a number that JSON cannot write is null. */
function realText(value: number): string {
  if (!Number.isFinite(value)) return 'null';
  const text = Object.is(value, -0) ? '-0' : String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The JSON value that the bytes spell, else lower-case hex. */
function bytesText(bytes: Uint8Array): string {
  try {
    const text = utf8.decode(bytes);
    if (isPortable(JSON.parse(text))) return text;
  } catch {
    // Not UTF-8, or not JSON: both mean "show the bytes".
  }
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
  return `"${hex}"`;
}

const MAX_DEPTH = 128;
const half = /\p{Surrogate}/u;

/** Strict readers refuse a whole answer for one number that no double holds, half a surrogate pair or deep nesting. */
function isPortable(value: unknown, depth = 0): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'string') return !half.test(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth === MAX_DEPTH) return false;
  const members = Array.isArray(value) ? value : [...Object.keys(value), ...Object.values(value)];
  return members.every((member) => isPortable(member, depth + 1));
}

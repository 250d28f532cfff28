import type { CallerValue } from './database.ts';
import { RpcError } from './errors.ts';
import { parseSpelledJson, RawJson, stringifyExact } from './json.ts';

const LEAST = -(2n ** 63n);
const MOST = 2n ** 63n - 1n;
/** A greater integer is bound as a real. */
const MOST_UNSIGNED = 2n ** 64n - 1n;

/**
 * The `params` of a call with SQL (db.md §4.6, "Binding of JSON values") for `Database.execute`.
 * @throws RpcError 108 when they are no list, or hold an integer that signed 64 bit cannot hold
 */
export function callerValues(sent: RawJson | null | undefined): CallerValue[] {
  if (!sent) return [];
  const values = parseSpelledJson(String(sent.text), (token) => {
    if (!Number.isFinite(Number(token))) throw RpcError.params('number out of range');
    return new RawJson(token);
  });
  if (!Array.isArray(values)) throw RpcError.invalid('params must be an array or null');
  return values.map(callerValue);
}

function callerValue(value: unknown): CallerValue {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (typeof value === 'bigint') return integer(value);
  if (typeof value !== 'object' || value === null) return value as CallerValue;
  // `1.0` and `1e3`: reals whose value is an integer.
  if (value instanceof RawJson) return Number(value.text);
  return new RawJson(stringifyExact(sorted(value)) as string);
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
    text: stringifyExact(sorted(member)),
  }));
  entries.sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  // As text: JavaScript would put members that look like numbers first.
  const members = entries.map(({ name, text }) => `${JSON.stringify(name)}:${text}`);
  return new RawJson(`{${members.join(',')}}`);
}

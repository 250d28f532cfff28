import { parseSpelledJson, RawJson, RpcError, stringifyExact } from '@svc/plugin-sdk';

const LEAST = -(2n ** 63n);
const MOST = 2n ** 64n - 1n;

/** U+0000 as `JSON.stringify` escapes it, and half a surrogate pair. */
const zero = /(?:^|[^\\])(?:\\\\)*\\u0000/;
const half = /(?:^|[^\\])(?:\\\\)*\\ud[89a-f]/;

/**
 * A value's text as it is stored: compact, of equal member names the last one, 64-bit integers exact, `1.0` still `1.0`.
 * @throws RpcError -32602 for a number that no double holds, and half a surrogate pair
 */
export function valueText(sent: string): string {
  const plain = JSON.stringify(JSON.parse(sent)) as string;
  const text = plain === sent ? plain : exactText(sent);
  if (text.includes('\\ud') && half.test(text)) {
    throw RpcError.params('value holds half of a surrogate pair');
  }
  return text;
}

/** True when a stored text holds U+0000. */
export const holdsZero = (text: string): boolean => text.includes('\\u0000') && zero.test(text);

function exactText(sent: string): string {
  const value = parseSpelledJson(sent, (token) => new RawJson(floatText(Number(token))));
  return stringifyExact(clamped(value)) as string;
}

/** A double spelled so that it stays one: `1.0`, not `1`. */
function floatText(value: number): string {
  if (!Number.isFinite(value)) throw RpcError.params('number out of range');
  const text = Object.is(value, -0) ? '-0' : String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** Integers beyond 64 bits become doubles (kv.md §1.3). */
function clamped(value: unknown): unknown {
  if (typeof value === 'bigint' && (value < LEAST || value > MOST)) {
    return new RawJson(floatText(Number(value)));
  }
  if (typeof value !== 'object' || value === null || value instanceof RawJson) return value;
  if (Array.isArray(value)) return value.map(clamped);
  // Entries rather than assignment: a member may be called `__proto__`.
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, clamped(member)] as const),
  );
}

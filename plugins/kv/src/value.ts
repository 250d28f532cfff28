import { RpcError, respellJson } from '@svc/plugin-sdk';

const LEAST = -(2n ** 63n);
const MOST = 2n ** 64n - 1n;

/** U+0000 as `JSON.stringify` escapes it, and half a surrogate pair. */
const zero = /(?:^|[^\\])(?:\\\\)*\\u0000/;
const half = /(?:^|[^\\])(?:\\\\)*\\ud[89a-f]/;

/**
 * Checks a value without making its stored form, which takes longer and waits until the caller's right is known.
 * @returns whether the value is stored as it was sent
 * @throws RpcError -32602 for a number that no double holds, and for half a surrogate pair
 */
export function checkValue(sent: string): boolean {
  const value: unknown = JSON.parse(sent);
  const plain = JSON.stringify(value);
  refuseHalf(plain);
  if (plain === sent) return true;
  if (!holds(value)) throw RpcError.params('number out of range');
  return false;
}

/** @throws RpcError -32602 for a text of `JSON.stringify` that holds half of a surrogate pair */
export function refuseHalf(plain: string): void {
  if (plain.includes('\\ud') && half.test(plain))
    throw RpcError.params('value holds half of a surrogate pair');
}

/** A value's text as it is stored: compact, of equal member names the last one, 64-bit integers exact, `1.0` still `1.0`. */
export const valueText = (sent: string): string => respellJson(sent, spelled);

/** True when a stored text holds U+0000. */
export const holdsZero = (text: string): boolean => text.includes('\\u0000') && zero.test(text);

/** False when a number in it is too large for a double. */
const holds = (value: unknown): boolean => {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(holds);
};

/** Integers of 64 bits stay as they are; longer ones become a double (kv.md §1.3), written so that it stays one: `1.0`, not `1`. */
function spelled(token: string): string {
  if (/^-?\d+$/.test(token)) {
    const value = BigInt(token);
    if (value >= LEAST && value <= MOST) return value.toString();
  }
  const value = Number(token);
  const text = Object.is(value, -0) ? '-0' : String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

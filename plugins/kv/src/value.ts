import { RpcError } from '@svc/plugin-sdk';
import { respellJson } from '@svc/plugin-sdk/json';

const LEAST = -(2n ** 63n);
const MOST = 2n ** 64n - 1n;

/** U+0000 as `JSON.stringify` escapes it. */
const ZERO = '\\u0000';
const BACKSLASH = 92;
/** Half a surrogate pair as `JSON.stringify` escapes it. */
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

/** Tells whether U+0000 begins in this part of a stored text. */
export function zeroAt(text: string, from = 0, to = text.length): boolean {
  const part = text.slice(from, to + ZERO.length - 1);
  for (let at = part.indexOf(ZERO); at >= 0; at = part.indexOf(ZERO, at + 1)) {
    let before = from + at;
    while (text.charCodeAt(before - 1) === BACKSLASH) before--;
    // Behind an odd number of backslashes, this one is itself escaped.
    if ((from + at - before) % 2 === 0) return true;
  }
  return false;
}

/** Tells whether no number in a value is too large for a double. */
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

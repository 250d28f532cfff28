import type { Fault } from '../hooks.ts';
import { Cursor } from './cursor.ts';
import { hasLongInteger } from './exact.ts';

const HALF = /\\u[dD][89a-fA-F]/;
/** Whole pairs and other escapes are passed over. */
const ESCAPES = /\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F])|.)/g;
const LARGE_EXPONENT = /[eE]\+?\d{3}/;

/** Tells whether a string in this JSON text holds half of a surrogate pair, which neither UTF-8 nor a database can hold. */
export function holdsHalfPair(text: string): boolean {
  // Most texts have no escape of this form, and looking for two characters costs next to nothing.
  if (!text.includes('\\u') || !HALF.test(text)) return false;
  for (const [, half] of text.matchAll(ESCAPES)) if (half !== undefined) return true;
  return false;
}

/**
 * Tells whether a number in this JSON text is too large for a double (`1e400`), also one that a repeated name hides. The text
 * has passed `JSON.parse`.
 */
export function holdsInfinity(text: string): boolean {
  if (!LARGE_EXPONENT.test(text) && !hasLongInteger(text)) return false;
  const cursor = new Cursor(text);
  for (let place = cursor.number(); place; place = cursor.number())
    if (!Number.isFinite(Number(cursor.text(place)))) return true;
  return false;
}

export const faultOf = (text: string): Fault | undefined =>
  holdsHalfPair(text) ? 'half pair' : holdsInfinity(text) ? 'infinity' : undefined;

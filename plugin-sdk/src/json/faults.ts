import type { Fault } from '../hooks.ts';
import { hasLongInteger } from './exact.ts';

const HALF = /\\u[dD][89a-fA-F]/;
/** Whole pairs and other escapes are passed over. */
const ESCAPES = /\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F])|.)/g;
const LARGE_EXPONENT = /[eE]\+?\d{3}/;
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** Tells whether a string in this JSON text holds half of a surrogate pair, which neither UTF-8 nor a database can hold. */
export function holdsHalfPair(text: string): boolean {
  // Most texts have no escape of this form, and looking for two characters costs next to nothing.
  if (!text.includes('\\u') || !HALF.test(text)) return false;
  for (const [, half] of text.matchAll(ESCAPES)) if (half !== undefined) return true;
  return false;
}

/** Tells whether a number in this JSON text is too large for a double (`1e400`), also one that a repeated name hides. */
export function holdsInfinity(text: string): boolean {
  if (!LARGE_EXPONENT.test(text) && !hasLongInteger(text)) return false;
  for (const [token] of text.matchAll(STRING_OR_NUMBER))
    if (token[0] !== '"' && !Number.isFinite(Number(token))) return true;
  return false;
}

export const faultOf = (text: string): Fault | undefined =>
  holdsHalfPair(text) ? 'half pair' : holdsInfinity(text) ? 'infinity' : undefined;

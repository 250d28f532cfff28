import { codeOf } from './code-of.ts';

/** Postgres' codes for a text that it cannot hold, as a value or inside JSON. */
const UNHOLDABLE = new Set(['22021', '22P05']);
const ZERO = /\b0x00\b|\\u0000/;

/** Tells whether an error of Postgres, anywhere in the chain of causes, says that a text holds U+0000. */
export function isZeroText(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const { message, detail = '' } = at as Error & { readonly detail?: string };
    if (UNHOLDABLE.has(codeOf(at)) && ZERO.test(`${message} ${detail}`)) return true;
  }
  return false;
}

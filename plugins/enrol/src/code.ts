import { createHash, randomInt } from 'node:crypto';

const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';
/** Characters of a code, 140 bits: no one guesses one. */
const LENGTH = 24;

/** Creates a code of letters and digits only: it stands in a line for a shell. */
export const newCode = (): string =>
  Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');

/** Returns what is stored of a code, in the form that secrets of tokens have (auth.md §2). */
export const hashOf = (salt: string, code: string): string =>
  createHash('sha256').update(salt).update(code).digest('hex');

/** Tells whether a text may be a code; any other text costs no lookup in the database. */
export const isCode = (text: string): boolean => /^[A-Za-z0-9]{24}$/.test(text);

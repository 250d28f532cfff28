import { createHash, hash, randomInt, timingSafeEqual } from 'node:crypto';
import { RpcError } from '@svc/plugin-sdk';

/** Parsed credential string (auth.md §1). */
export interface Credential {
  readonly mode: 'token' | 'account';
  /** Token key or username. */
  readonly name: string;
  /** Secret or password. */
  readonly secret: string;
}

const FORMAT = "Invalid token format: must be 'key:secret' or 'username|password'";

/** 101 for text that is no credential; `what` names the parameter. */
export const malformed = (what = 'token') => RpcError.parse(`Failed to parse ${what}: ${FORMAT}`);
/** Error 101 with the shorter text of `token_change_password` and `token_roll_token_secret`. */
export const malformedPlain = (reason: string) => RpcError.parse(reason);

/** Splits at the first `:`, or at the first `|` where there is no `:` at all; undefined where there is neither. */
export function parseCredential(text: string): Credential | undefined {
  return cut(text, ':', 'token') ?? cut(text, '|', 'account');
}

function cut(text: string, separator: string, mode: Credential['mode']): Credential | undefined {
  const at = text.indexOf(separator);
  if (at < 0) return undefined;
  return { mode, name: text.slice(0, at), secret: text.slice(at + 1) };
}

/** Stored form of a secret or plain password: 64 lower-case hex digits (auth.md §2). */
export const hashOf = (salt: string, value: string): string => hash('sha256', salt + value, 'hex');

const ZERO = Buffer.alloc(32);
const hexDigest = /^[0-9a-f]{64}$/i;

/** Bytes of a stored hash; undefined when it is not 64 hex digits. */
export const digestBytes = (stored: string): Buffer | undefined =>
  hexDigest.test(stored) ? Buffer.from(stored, 'hex') : undefined;

/** Compares in constant time; false without stored bytes, after the same work. */
export function matchesDigest(salt: string, value: string, stored: Buffer | undefined): boolean {
  const given = createHash('sha256').update(salt).update(value).digest();
  return timingSafeEqual(given, stored ?? ZERO) && stored !== undefined;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Random text, uniform over letters and digits, from the secure generator. */
export const randomText = (length: number): string =>
  Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

/** Form of the keys of all versions. */
export const KEY = /^[A-Za-z0-9]{16}$/;
/** Tells whether a text has the form of a new key: no name may, so that none is ever a token's key, even with two servers. */
export const looksLikeKey = (text: string): boolean =>
  KEY.test(text) && /[A-Z]/.test(text) && /[a-z]/.test(text) && /[0-9]/.test(text);
/** Draws a new key; one in fifteen texts is drawn again. */
export function newKey(): string {
  for (;;) {
    const key = randomText(16);
    if (looksLikeKey(key)) return key;
  }
}
export const newSecret = () => randomText(32);

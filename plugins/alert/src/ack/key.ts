import { createHash, randomBytes } from 'node:crypto';
import type { AckLink } from './store.ts';

/** 144 bits: no one guesses one. */
const BYTES = 18;
const LASTS_MS = 86_400_000;

/** Returns what is stored of a key. A key is random, so its plain digest tells nothing. */
export const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');

/** Tells whether a text may be a key; any other text costs no look-up in the database. */
export const isKey = (text: string): boolean => /^[A-Za-z0-9_-]{24}$/.test(text);

/** Makes a key that acknowledges one episode of an alert, for a day. */
export function newLink(
  alert: { readonly id: number; readonly episode: number },
  now: number,
): { readonly key: string; readonly link: AckLink } {
  const key = randomBytes(BYTES).toString('base64url');
  const { id: alert_id, episode } = alert;
  return {
    key,
    link: { hash: hashOf(key), alert_id, episode, isUsed: false, ends_at: now + LASTS_MS },
  };
}

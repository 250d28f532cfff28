import { parseSlowHash, type SlowHash } from '../passwords/slow-hash.ts';
import type { Subject, TokenPrincipal } from '../records/principal.ts';
import { type Credential, digestBytes } from './credential.ts';

/** A secret or password of a token as long as it is the right one. */
export interface Secret {
  readonly token: Subject;
  /** The caller that it shows. */
  readonly principal: TokenPrincipal;
  /** How it is given. */
  readonly mode: Credential['mode'];
  /** As in the database. */
  readonly stored: string;
  /** 32 bytes, a slow hash, or undefined for what can never match. */
  readonly hash: Buffer | SlowHash | undefined;
  /** Another form of the same value, about to take the place of `stored`: a reader of the table may find it first. */
  becoming?: string;
  readonly live: boolean;
  /** A digest of the right value, keyed with this process, as soon as it was given once: it is known by that again. */
  right?: string;
  /** Address of the last login. */
  from?: string;
  /** Addresses of logins in this period (`Login.noteAgain`). */
  noted?: Set<string> | undefined;
  period?: number;
  /** When the log was last told that it is guessed at, by the monotonic clock. */
  warnedAt?: number;
  /** Hears of an address that it is used from. */
  saw?(address: string): void;
}

/** A secret or password that stands in the token's own record. */
export interface OwnSecret extends Secret {
  stored: Secret['stored'];
  hash: Secret['hash'];
  live: Secret['live'];
}

export function secretOf(token: Subject, stored: string): OwnSecret {
  return ownSecret(token, 'token', stored, digestBytes(stored));
}

export function passwordOf(token: Subject, stored: string | null): OwnSecret | undefined {
  if (stored === null) return undefined;
  const hash = digestBytes(stored) ?? parseSlowHash(stored);
  return hash && ownSecret(token, 'account', stored, hash);
}

const ownSecret = (
  token: Subject,
  mode: Secret['mode'],
  stored: string,
  hash: Secret['hash'],
): OwnSecret => ({
  token,
  get principal() {
    return token.principal;
  },
  mode,
  stored,
  hash,
  live: true,
});

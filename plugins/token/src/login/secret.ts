import { parseSlowHash, type SlowHash } from '../passwords/slow-hash.ts';
import type { Subject, TokenPrincipal } from '../records/principal.ts';
import { type Credential, digestBytes } from './credential.ts';

/** Current secret or password of a token. */
export interface Secret {
  readonly token: Subject;
  /** Principal that it authenticates. */
  readonly principal: TokenPrincipal;
  /** Mode of login that accepts it. */
  readonly mode: Credential['mode'];
  /** Form in the database. */
  readonly stored: string;
  /** 32 bytes, a slow hash, or undefined for what can never match. */
  readonly hash: Buffer | SlowHash | undefined;
  /** Another form of the same value, about to replace `stored`: a reader of the table may find it first. */
  replacement?: string;
  readonly live: boolean;
  /** Digest of the verified value, keyed with this process: later logins are recognized by it. */
  verifiedDigest?: string;
  /** Address of the last login. */
  lastAddress?: string;
  /** Addresses of logins in this period (`Authenticator.startPeriod`). */
  recordedAddresses?: Set<string> | undefined;
  recordedPeriod?: number;
  /** Time of the last warning that it is guessed at, by the monotonic clock. */
  warnedAt?: number;
  /** Called with the address of a use. */
  onUse?(address: string): void;
}

/** Secret or password in the token's own record. */
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

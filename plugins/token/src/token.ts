import type { Clock, Permission, Principal, Requirement, Scope } from '@svc/plugin-sdk';
import type { Limit, Time, TokenRecord } from './api.ts';
import { type Credential, digestBytes } from './credential.ts';
import { Entry } from './entry.ts';
import type { GrantPool } from './grants.ts';
import { holdersOf } from './holders.ts';
import { loadLimits } from './limits.ts';
import { changeOfForm, parseSlowHash, type SlowHash } from './password.ts';
import { TokenPrincipal } from './principal.ts';
import { SUPER_ID, type TokenRow } from './store.ts';
import type { Vocabulary } from './vocabulary.ts';

/** What a deleted or expired token does not keep. */
export const GONE = {
  token_hash: '',
  password_hash: null,
  time_stamp_from: null,
  time_stamp_to: null,
  username: null,
  parent: null,
};

/** A secret or password of a token as long as it is the right one. */
export interface Secret {
  readonly token: Token;
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
  /** A digest of the right value, keyed with this process, as soon as it was given once. */
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
interface OwnSecret extends Secret {
  stored: Secret['stored'];
  hash: Secret['hash'];
  live: Secret['live'];
}

/** What a token needs from around it. */
export interface TokenContext {
  readonly vocabulary: Vocabulary;
  readonly grants: GrantPool;
  readonly clock: Clock;
  /** True when what created this token is gone, and what hangs on it is suspended. */
  readonly isOrphan: (token: Token) => boolean;
  /** A stored limit that could not be read whole (auth.md §5.3). */
  readonly complain: (id: number, problem: string) => void;
}

/** One record in memory, with its limits parsed and its hashes decoded (auth.md §8). */
export class Token implements TokenRecord {
  readonly id: number;
  readonly super: boolean;
  #row: TokenRow;
  #entries: readonly Entry[];
  #secret: OwnSecret;
  #password: OwnSecret | undefined;
  #principal: TokenPrincipal | undefined;
  #ghost: Token | undefined;
  readonly #context: TokenContext;

  constructor(row: TokenRow, context: TokenContext) {
    this.id = row.id;
    this.super = row.id === SUPER_ID;
    this.#row = row;
    this.#context = context;
    this.#entries = this.#read(row.token_limit);
    this.#secret = secretOf(this, row.token_hash);
    this.#password = passwordOf(this, row.password_hash);
  }

  /** As in the database. */
  get row(): TokenRow {
    return this.#row;
  }
  get key() {
    return this.#row.token_key;
  }
  get username() {
    return this.#row.username;
  }
  get timestamp_from() {
    return this.#row.time_stamp_from;
  }
  get timestamp_to() {
    return this.#row.time_stamp_to;
  }
  /** Last millisecond of its validity; null: no end. */
  get lasts(): Time {
    return this.super ? null : this.#row.time_stamp_to;
  }
  /** Key of the token that created this one. */
  get parent() {
    return this.#row.parent;
  }
  get entries(): readonly Entry[] {
    return this.#entries;
  }
  get limits(): readonly Limit[] {
    return this.#entries.map(({ scopes, permissions }) => ({ scopes, permissions }));
  }
  get secret() {
    return this.#secret;
  }
  /** undefined: the record cannot log in as an account. */
  get password() {
    return this.#password;
  }

  /** The same object for every call, until a secret, password or name changes. */
  get principal(): TokenPrincipal {
    this.#principal ??= new TokenPrincipal(this, this.#context.clock);
    return this.#principal;
  }

  /** Inclusive at both ends; the Super Token is always in time (auth.md §6.4). */
  validity(): 'ok' | 'early' | 'late' {
    const { time_stamp_from: from, parent } = this.#row;
    if (this.super) return 'ok';
    if (from !== null && this.#context.clock.now() < from) return 'early';
    return this.isPast() || (parent !== null && this.#context.isOrphan(this)) ? 'late' : 'ok';
  }

  /** The end of its own validity is over. */
  isPast(): boolean {
    const to = this.lasts;
    return to !== null && this.#context.clock.now() > to;
  }

  /** With the same rights, without end and without credentials: for what a token left behind. */
  get ghost(): Token {
    this.#ghost ??= new Token({ ...this.#row, ...GONE }, this.#context);
    return this.#ghost;
  }

  /** Every scope × permission pair by some single entry (auth.md §6.3). */
  covers({ scopes, permissions }: Pick<Requirement, 'scopes' | 'permissions'>): boolean {
    const [scope, permission] = [scopes[0], permissions[0]];
    if (!scope || !permission) return true;
    if (scopes.length === 1 && permissions.length === 1)
      return this.#entries.some((entry) => entry.covers(scope, permission));
    const held = holdersOf(this.#entries, permissions, (entry, wanted) => entry.holds(wanted));
    return scopes.every((each) =>
      held.every(({ entries }) => entries.some((entry) => entry.coversScope(each))),
    );
  }

  scopes(permission: Permission): readonly Scope[] {
    const holding = this.#entries.filter((entry) => entry.holds(permission));
    return holding.flatMap((entry) => entry.scopes);
  }

  /**
   * Takes over what the database holds now. A new secret, password, key or username ends the principal, new limits do
   * not; nor does another form of the same password, made by this server or by one that names it (`changeOfForm`).
   */
  update(row: TokenRow, samePassword?: string): void {
    const old = this.#row;
    this.#row = row;
    this.#ghost = undefined;
    if (row.token_limit !== old.token_limit) this.#entries = this.#read(row.token_limit);
    const secret = row.token_hash !== old.token_hash || row.token_key !== old.token_key;
    const password = row.password_hash !== old.password_hash || row.username !== old.username;
    const ended = [
      secret && this.#takeSecret(row),
      password && this.#takePassword(row, this.#isSame(old, samePassword)),
    ];
    if (ended.includes(true)) this.endPrincipal();
    else if (row.time_stamp_to !== old.time_stamp_to) this.#rearm();
  }

  /** The record has gone, or may have: nothing authenticates as it any more. */
  end(): void {
    this.#secret.live = false;
    if (this.#password) this.#password.live = false;
    this.endPrincipal();
  }

  #takeSecret(row: TokenRow): true {
    this.#secret.live = false;
    this.#secret = secretOf(this, row.token_hash);
    return true;
  }

  /** The new stored form of the password is one of the old password. */
  #isSame({ username, password_hash: before }: TokenRow, samePassword?: string): boolean {
    if (username !== this.username) return false;
    const { password_hash: now } = this.#row;
    return now === this.#password?.becoming || samePassword === changeOfForm(before, now);
  }

  /** @returns true when the old password stopped being right */
  #takePassword(row: TokenRow, same: boolean): boolean {
    const next = passwordOf(this, row.password_hash);
    if (same && next && this.#password) {
      this.#password.stored = next.stored;
      this.#password.hash = next.hash;
      return false;
    }
    if (this.#password) this.#password.live = false;
    this.#password = next;
    return true;
  }

  /** Sessions end; the credential stays what it is. */
  endPrincipal(): void {
    this.#principal?.revoke();
    this.#principal = undefined;
  }

  /** An expired principal stays ended, so a later end of validity takes a new one. */
  #rearm(): void {
    if (this.#principal?.ended.aborted) this.#principal = undefined;
    else this.#principal?.watchExpiry();
  }

  #read(stored: string): Entry[] {
    const { vocabulary, grants, complain } = this.#context;
    const limits = loadLimits(stored, vocabulary, (problem) => complain(this.id, problem));
    return limits.map(
      ({ scopes, permissions }) => new Entry(scopes, grants.take(permissions), vocabulary),
    );
  }
}

/** The token behind a principal of this plugin; undefined for any other, and for one that was revoked. */
export function tokenOf(caller: Principal): Token | undefined {
  return caller instanceof TokenPrincipal && !caller.revoked ? caller.token : undefined;
}

function secretOf(token: Token, stored: string): OwnSecret {
  return ownSecret(token, 'token', stored, digestBytes(stored));
}

function passwordOf(token: Token, stored: string | null): OwnSecret | undefined {
  if (stored === null) return undefined;
  const hash = digestBytes(stored) ?? parseSlowHash(stored);
  return hash && ownSecret(token, 'account', stored, hash);
}

const ownSecret = (
  token: Token,
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

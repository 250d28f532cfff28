import type { Clock, Permission, Principal, Requirement, Scope } from '@svc/plugin-sdk';
import type { Limit, Time } from '../api.ts';
import { type OwnSecret, passwordOf, secretOf } from '../login/secret.ts';
import { formChangeDigest } from '../passwords/slow-hash.ts';
import { Entry } from '../rights/entry.ts';
import { groupByEntries } from '../rights/granting-entries.ts';
import type { GrantPool } from '../rights/grants.ts';
import { loadLimits } from '../rights/limits.ts';
import type { Vocabulary } from '../rights/vocabulary.ts';
import type { Session } from '../sessions/session.ts';
import { type Subject, TokenPrincipal } from './principal.ts';
import { SUPER_ID, type TokenRow } from './store.ts';
import type { Ancestor } from './store-reads.ts';

/** Columns without credentials, for the remaining rights of a deleted or expired token. */
export const WITHOUT_CREDENTIALS = {
  token_hash: '',
  password_hash: null,
  time_stamp_from: null,
  time_stamp_to: null,
  username: null,
  parent: null,
};

/** Services and callbacks that a token uses. */
export interface TokenContext {
  readonly vocabulary: Vocabulary;
  readonly grants: GrantPool;
  readonly clock: Clock;
  /** `[token] on_delete = "suspend"` */
  readonly suspendsDependents: () => boolean;
  /** Puts it back into the cache, which may have evicted it while it is still in use. */
  readonly retain: (token: Token) => void;
  /** Called for a stored limit that cannot be read as a whole (auth.md §5.3). */
  readonly reportProblem: (id: number, problem: string) => void;
}

/** One record in memory, with its limits parsed and its hashes decoded (auth.md §8). */
export class Token implements Subject {
  readonly id: number;
  readonly super: boolean;
  /** Sessions by key, including ended ones. */
  readonly sessions = new Map<string, Session>();
  /** Locations of successful logins, with their times in Unix ms; the oldest first. */
  readonly locations = new Map<string, number>();
  #row: TokenRow;
  #ancestors: readonly Ancestor[];
  #entries: readonly Entry[];
  #secret: OwnSecret;
  #password: OwnSecret | undefined;
  #principal: TokenPrincipal | undefined;
  #rightsOnly: Token | undefined;
  readonly #context: TokenContext;

  /** `ancestors`: the nearest first. */
  constructor(row: TokenRow, ancestors: readonly Ancestor[], context: TokenContext) {
    this.id = row.id;
    this.#ancestors = ancestors;
    this.super = row.id === SUPER_ID;
    this.#row = row;
    this.#context = context;
    this.#entries = this.#parseEntries(row.token_limit);
    this.#secret = secretOf(this, row.token_hash);
    this.#password = passwordOf(this, row.password_hash);
  }

  /** Form in the database. */
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
  get validUntil(): Time {
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

  /** Principal of every call, until a secret, password or name changes. */
  get principal(): TokenPrincipal {
    this.#principal ??= new TokenPrincipal(this, this.#context.clock);
    return this.#principal;
  }

  /** Validity at this moment, inclusive at both ends; the Super Token is always valid (auth.md §6.4). */
  validity(): 'ok' | 'early' | 'late' {
    const { time_stamp_from: from } = this.#row;
    if (this.super) return 'ok';
    if (from !== null && this.#context.clock.now() < from) return 'early';
    return this.#isPast(this.validUntil) || this.#isOrphan() ? 'late' : 'ok';
  }

  /** Tells whether an ancestor is deleted or expired, and its dependents are suspended. */
  #isOrphan(): boolean {
    if (this.#ancestors.length === 0 || !this.#context.suspendsDependents()) return false;
    return this.#ancestors.some(({ id, valid_until }) => id === null || this.#isPast(valid_until));
  }

  #isPast(last: Time): boolean {
    return last !== null && this.#context.clock.now() > last;
  }

  /** Marks the ancestor with this record id as deleted. @returns whether it was one */
  loseAncestor(id: number): boolean {
    if (!this.#ancestors.some((above) => above.id === id)) return false;
    this.#ancestors = this.#ancestors.map((above) =>
      above.id === id ? { ...above, id: null } : above,
    );
    return true;
  }

  /** Estimated bytes in memory: parsed limits take some times their text. */
  get weight(): number {
    return (
      3_000 +
      this.#row.token_limit.length * 4 +
      this.sessions.size * 1_000 +
      this.locations.size * 100
    );
  }

  /** Tells whether anybody listens for its end. */
  hasListeners(): boolean {
    if (this.#principal?.hasListeners) return true;
    for (const { currentPrincipal } of this.sessions.values())
      if (currentPrincipal?.hasListeners) return true;
    return false;
  }

  retain(): void {
    this.#context.retain(this);
  }

  /** Cancels its timers, on leaving the cache. */
  disarm(): void {
    this.#principal?.disarm();
    for (const { currentPrincipal } of this.sessions.values()) currentPrincipal?.disarm();
  }

  /** Token with the same rights, without expiry and without credentials: for its dependents. */
  get rightsOnly(): Token {
    this.#rightsOnly ??= new Token({ ...this.#row, ...WITHOUT_CREDENTIALS }, [], this.#context);
    return this.#rightsOnly;
  }

  /** Tells whether each scope × permission pair is granted by a single entry (auth.md §6.3). */
  covers({ scopes, permissions }: Pick<Requirement, 'scopes' | 'permissions'>): boolean {
    const [scope, permission] = [scopes[0], permissions[0]];
    if (!scope || !permission) return true;
    if (scopes.length === 1 && permissions.length === 1)
      return this.#entries.some((entry) => entry.covers(scope, permission));
    const held = groupByEntries(this.#entries, permissions, (entry, wanted) =>
      entry.coversPermission(wanted),
    );
    return scopes.every((each) =>
      held.every(({ entries }) => entries.some((entry) => entry.coversScope(each))),
    );
  }

  scopes(permission: Permission): readonly Scope[] {
    const holding = this.#entries.filter((entry) => entry.coversPermission(permission));
    return holding.flatMap((entry) => entry.scopes);
  }

  /**
   * Updates it from its row. A new secret, password, key or username ends the principal, new limits do
   * not; nor does another form of the same password, made by this server or by one that names it (`formChangeDigest`).
   */
  update(row: TokenRow, ancestors: readonly Ancestor[], samePassword?: string): void {
    const old = this.#row;
    this.#row = row;
    this.#ancestors = ancestors;
    this.#rightsOnly = undefined;
    if (row.token_limit !== old.token_limit) this.#entries = this.#parseEntries(row.token_limit);
    const secret = row.token_hash !== old.token_hash || row.token_key !== old.token_key;
    const password = row.password_hash !== old.password_hash || row.username !== old.username;
    const ended = [
      secret && this.#replaceSecret(row),
      password && this.#replacePassword(row, this.#isSamePassword(old, samePassword)),
    ];
    if (ended.includes(true)) this.endPrincipal();
    else if (row.time_stamp_to !== old.time_stamp_to) this.#rearm();
  }

  /** Ends all credentials: the record is deleted, or may be. */
  end(): void {
    this.#secret.live = false;
    if (this.#password) this.#password.live = false;
    this.endPrincipal();
  }

  #replaceSecret(row: TokenRow): true {
    this.#secret.live = false;
    this.#secret = secretOf(this, row.token_hash);
    return true;
  }

  /** Tells whether the new stored form is one of the old password. */
  #isSamePassword({ username, password_hash: before }: TokenRow, samePassword?: string): boolean {
    if (username !== this.username) return false;
    const { password_hash: now } = this.#row;
    return now === this.#password?.replacement || samePassword === formChangeDigest(before, now);
  }

  /** Takes over the stored password. @returns true when the old password became invalid */
  #replacePassword(row: TokenRow, same: boolean): boolean {
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

  /** Ends the principal and its sessions; the credential stays valid. */
  endPrincipal(): void {
    this.#principal?.revoke();
    this.#principal = undefined;
  }

  /** Applies a new end of validity; an expired principal stays ended, so it is replaced. */
  #rearm(): void {
    if (this.#principal?.hasEnded) this.#principal = undefined;
    else this.#principal?.rearm();
  }

  #parseEntries(stored: string): Entry[] {
    const { vocabulary, grants, reportProblem } = this.#context;
    const limits = loadLimits(stored, vocabulary, (problem) => reportProblem(this.id, problem));
    return limits.map(
      ({ scopes, permissions }) => new Entry(scopes, grants.intern(permissions), vocabulary),
    );
  }
}

/** Token of a principal of this plugin; undefined for any other, and for a revoked one. */
export function tokenOf(caller: Principal): Token | undefined {
  if (!(caller instanceof TokenPrincipal) || caller.revoked) return undefined;
  return caller.token instanceof Token ? caller.token : undefined;
}

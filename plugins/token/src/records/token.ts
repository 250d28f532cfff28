import type { Clock, Permission, Principal, Requirement, Scope } from '@svc/plugin-sdk';
import type { Limit, Time } from '../api.ts';
import { type OwnSecret, passwordOf, secretOf } from '../login/secret.ts';
import { changeOfForm } from '../passwords/slow-hash.ts';
import { Entry } from '../rights/entry.ts';
import { holdersOf } from '../rights/granting-entries.ts';
import type { GrantPool } from '../rights/grants.ts';
import { loadLimits } from '../rights/limits.ts';
import type { Vocabulary } from '../rights/vocabulary.ts';
import type { Session } from '../sessions/session.ts';
import { type Subject, TokenPrincipal } from './principal.ts';
import { SUPER_ID, type TokenRow } from './store.ts';
import type { Above } from './store-reads.ts';

/** What a deleted or expired token does not keep. */
export const GONE = {
  token_hash: '',
  password_hash: null,
  time_stamp_from: null,
  time_stamp_to: null,
  username: null,
  parent: null,
};

/** What a token needs from around it. */
export interface TokenContext {
  readonly vocabulary: Vocabulary;
  readonly grants: GrantPool;
  readonly clock: Clock;
  /** `[token] on_delete = "suspend"` */
  readonly suspends: () => boolean;
  /** Somebody uses it at this moment, after the cache may have let it go. */
  readonly keep: (token: Token) => void;
  /** A stored limit that could not be read whole (auth.md §5.3). */
  readonly complain: (id: number, problem: string) => void;
}

/** One record in memory, with its limits parsed and its hashes decoded (auth.md §8). */
export class Token implements Subject {
  readonly id: number;
  readonly super: boolean;
  /** By key: those that can be logged in with, and may be over. */
  readonly sessions = new Map<string, Session>();
  /** From where it has logged in, and when, Unix ms; the oldest first. */
  readonly places = new Map<string, number>();
  #row: TokenRow;
  #above: readonly Above[];
  #entries: readonly Entry[];
  #secret: OwnSecret;
  #password: OwnSecret | undefined;
  #principal: TokenPrincipal | undefined;
  #ghost: Token | undefined;
  readonly #context: TokenContext;

  /** `above`: the tokens that it hangs on, the nearest first. */
  constructor(row: TokenRow, above: readonly Above[], context: TokenContext) {
    this.id = row.id;
    this.#above = above;
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
    const { time_stamp_from: from } = this.#row;
    if (this.super) return 'ok';
    if (from !== null && this.#context.clock.now() < from) return 'early';
    return this.#isPast(this.lasts) || this.#isOrphan() ? 'late' : 'ok';
  }

  /** What created this token is gone, and what hangs on it is suspended. */
  #isOrphan(): boolean {
    if (this.#above.length === 0 || !this.#context.suspends()) return false;
    return this.#above.some(({ id, lasts }) => id === null || this.#isPast(lasts));
  }

  #isPast(last: Time): boolean {
    return last !== null && this.#context.clock.now() > last;
  }

  /** The token with this record id has gone. @returns whether it was above this one */
  outlives(id: number): boolean {
    if (!this.#above.some((above) => above.id === id)) return false;
    this.#above = this.#above.map((above) => (above.id === id ? { ...above, id: null } : above));
    return true;
  }

  /** What it takes in memory, bytes: parsed limits take some times their text. */
  get weight(): number {
    return (
      3_000 + this.#row.token_limit.length * 4 + this.sessions.size * 1_000 + this.places.size * 100
    );
  }

  /** Somebody waits for its end. */
  isWatched(): boolean {
    if (this.#principal?.isWatched) return true;
    for (const { known } of this.sessions.values()) if (known?.isWatched) return true;
    return false;
  }

  keep(): void {
    this.#context.keep(this);
  }

  /** Leaves the cache: nothing of the process holds it any more. */
  rest(): void {
    this.#principal?.rest();
    for (const { known } of this.sessions.values()) known?.rest();
  }

  /** With the same rights, without end and without credentials: for what a token left behind. */
  get ghost(): Token {
    this.#ghost ??= new Token({ ...this.#row, ...GONE }, [], this.#context);
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
  update(row: TokenRow, above: readonly Above[], samePassword?: string): void {
    const old = this.#row;
    this.#row = row;
    this.#above = above;
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
    if (this.#principal?.isOver) this.#principal = undefined;
    else this.#principal?.rearm();
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
  if (!(caller instanceof TokenPrincipal) || caller.revoked) return undefined;
  return caller.token instanceof Token ? caller.token : undefined;
}

import {
  type Origin,
  type Permission,
  type Principal,
  type Requirement,
  type Scope,
  service,
} from '@svc/plugin-sdk';

/** One entry of a token's limits in wire form: every permission holds in every scope of the entry (auth.md §5). */
export interface Limit {
  readonly scopes: readonly Scope[];
  readonly permissions: readonly Permission[];
}

/** Unix ms, or null for "no bound"; BigInt only where a double cannot hold the value. */
export type Time = number | bigint | null;

/** What other plugins may know of a token; no hash, no secret. */
export interface TokenRecord {
  readonly key: string;
  readonly username: string | null;
  /** As parsed: unknown permissions are left out (auth.md §5.3). */
  readonly limits: readonly Limit[];
  readonly timestamp_from: Time;
  readonly timestamp_to: Time;
}

/** Questions about the token behind a caller, answered from memory: whoever holds a caller holds its token. */
export interface Tokens {
  /** undefined for callers that are no token: the server itself, or another plugin's principals. */
  record(caller: Principal): TokenRecord | undefined;
  /** Inclusive at both ends (auth.md §6.4); always `ok` for the Super Token and for callers that are no token. */
  validity(caller: Principal): 'ok' | 'early' | 'late';
  /** The scopes of every entry that holds this permission, in stored order; empty when none does. Asks neither `super` nor validity. */
  scopes(caller: Principal, permission: Permission): readonly Scope[];
  /** HTTP Basic: `user` and `password` in token mode, then in account mode (auth.md §9). */
  basic(user: string, password: string, origin: Origin): Promise<Principal | undefined>;
}
export const Tokens = service<Tokens>('token');

/** A secret for one purpose; times in Unix ms, inclusive. */
export interface Pass {
  readonly key: string;
  readonly secret: string;
  readonly ends_at: number;
}

/**
 * Secrets for places where a credential would be seen, such as an address. A pass is good for one purpose and for ten minutes; it is no
 * credential. It stands for the token or session of the caller who made it, and is good no longer than that.
 */
export interface Passes {
  /** Of more than a hundred of one token the oldest ends. @throws RpcError 103; 108 for callers that are no token */
  make(caller: Principal, purpose: string): Promise<Pass>;
  /** The caller who made this pass, `key:secret`; undefined where it is no pass for the purpose. @throws RpcError 103 */
  maker(pass: string, purpose: string): Promise<Principal | undefined>;
}
export const Passes = service<Passes>('token.passes');

/**
 * Things of one kind that hang on tokens: jobs, workers, routes, buckets. Each of these rows keeps the key of the token that
 * last wrote it (`Owners.of`).
 */
export interface Dependents {
  /** One word in the singular, as `token_dependents` shows it: `job`. Two plugins do not share one. */
  readonly kind: string;
  /** Names of what the token with this key wrote last, sorted; at most some thousands. Reads the database, so only for seldom questions. */
  list(owner: string): Promise<readonly string[]>;
  /**
   * Ends what runs for this owner now. Called on every server when a token was deleted there or elsewhere, and only with
   * `on_delete = "suspend"`; may be called twice. Nothing has to be stored: before each start `Owners.isSuspended` says no.
   */
  suspend?(owner: string): void | Promise<void>;
}

/** What an owner must be allowed to do. */
export type Wanted = Pick<Requirement, 'scopes' | 'permissions'>;

/** `super`: the Super Token, the server itself, or a row from before owners were kept. */
export type OwnerState = 'super' | 'valid' | 'expired' | 'deleted';

/**
 * Questions about the token that wrote something, by its stored key instead of its credential. An owner is a token key, or
 * null for no restriction. Answers come from memory, or from the table where that has none: ask again each time instead of
 * keeping them.
 */
export interface Owners {
  /** From the hook `prepare` on. @throws Error when the kind is taken */
  register(dependents: Dependents): void;
  /** The key of the token that has this username. */
  keyOf(username: string): Promise<string | undefined>;
  /** What to store in the column `owner` of a row that this caller writes: null for the Super Token and the server itself. */
  of(caller: Principal): string | null;
  state(owner: string | null): Promise<OwnerState>;
  /**
   * True when nothing of this owner may start or be served any more: its token, or the one that created it, is deleted or
   * expired, or it may not do one of `wanted` any more, and the operator chose `on_delete = "suspend"`. Never for null.
   */
  isSuspended(owner: string | null, wanted?: readonly Wanted[]): boolean | Promise<boolean>;
  /**
   * A caller with exactly the owner's rights, for `kernel.call` and `kernel.auth.allows`: those of its token now, or, with
   * `on_delete = "keep"`, the last ones of a token that was deleted or has expired. null: the server itself.
   * undefined: suspended, or no such token is known any more, so that nothing is allowed.
   */
  principal(owner: string | null): Promise<Principal | undefined>;
  /** True when that caller exists and may do this. */
  may(owner: string | null, wanted: Wanted): Promise<boolean>;
}
export const Owners = service<Owners>('token.owners');

/** The clear values of a Super Token made by this start, for the program that starts the server; they are kept nowhere else (auth.md §4). */
export const SuperTokenCreated = service<{ token: string; password: string } | undefined>(
  'token.first',
);

export { FailureCounts } from './login/failure-counts.ts';
export { networkOf } from './login/network.ts';

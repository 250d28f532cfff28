import {
  type Permission,
  type Principal,
  type Requirement,
  type Scope,
  service,
} from '@svc/plugin-sdk';
import type { Origin } from '@svc/plugin-sdk/http';

/** One entry of a token's limits in wire form: every permission holds in every scope of the entry (auth.md §5). */
export interface Limit {
  readonly scopes: readonly Scope[];
  readonly permissions: readonly Permission[];
}

/** Unix ms, or null for "no bound"; BigInt only where a double cannot hold the value. */
export type Time = number | bigint | null;

/** Record of a token for other plugins; no hash, no secret. */
export interface TokenRecord {
  readonly key: string;
  readonly username: string | null;
  /** Parsed limits: unknown permissions are left out (auth.md §5.3). */
  readonly limits: readonly Limit[];
  readonly timestamp_from: Time;
  readonly timestamp_to: Time;
}

/** Facts about the token of a caller, answered from memory: a caller keeps its token there. */
export interface Tokens {
  /** Record of the caller's token; undefined for the server itself and other plugins' principals. */
  record(caller: Principal): TokenRecord | undefined;
  /** Validity, inclusive at both ends (auth.md §6.4); always `ok` for the Super Token and for callers that are no token. */
  validity(caller: Principal): 'ok' | 'early' | 'late';
  /** Scopes of every entry that holds this permission, in stored order; empty when none does. Ignores `super` and validity. */
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
 * Secrets for where a credential would be visible, such as an address. A pass is valid for one purpose and for ten minutes; it is no
 * credential. It stands for the token or session of the caller who made it, and is valid no longer than that.
 */
export interface Passes {
  /** Makes a pass; of more than a hundred of one token the oldest ends. @throws RpcError 103; 108 for callers that are no token */
  make(caller: Principal, purpose: string): Promise<Pass>;
  /** Caller who made this pass, `key:secret`; undefined where it is no pass for the purpose. @throws RpcError 103 */
  maker(pass: string, purpose: string): Promise<Principal | undefined>;
}
export const Passes = service<Passes>('token.passes');

/**
 * Rows of one kind that depend on tokens: jobs, workers, routes, buckets. Each of these rows stores the key of the token that
 * last wrote it (`Owners.of`).
 */
export interface Dependents {
  /** One word in the singular, as `token_dependents` shows it: `job`. Two plugins do not share one. */
  readonly kind: string;
  /** Names of what the token with this key wrote last, sorted; at most some thousands. Reads the database, so only for infrequent calls. */
  list(owner: string): Promise<readonly string[]>;
  /**
   * Ends what runs for this owner now. Called on every server when a token was deleted there or elsewhere, and only with
   * `on_delete = "suspend"`; may be called twice. Nothing has to be stored: before each start `Owners.isSuspended` says no.
   */
  suspend?(owner: string): void | Promise<void>;
}

/** Rights that an owner must have. */
export type Wanted = Pick<Requirement, 'scopes' | 'permissions'>;

/** `super`: the Super Token, the server itself, or a row from before owners were recorded. */
export type OwnerState = 'super' | 'valid' | 'expired' | 'deleted';

/**
 * Rights of the token that wrote a row, by its stored key instead of its credential. An owner is a token key, or
 * null for no restriction. Answers come from memory, or from the table where that has none: ask again each time instead of
 * storing them.
 */
export interface Owners {
  /** Registers a kind, in the hook `prepare` or later. @throws Error when the kind is taken */
  register(dependents: Dependents): void;
  /** Key of the token that has this username. */
  keyOf(username: string): Promise<string | undefined>;
  /** Value for the column `owner` of a row that this caller writes: null for the Super Token and the server itself. */
  of(caller: Principal): string | null;
  state(owner: string | null): Promise<OwnerState>;
  /**
   * Tells whether nothing of this owner may start or be served any more: its token, or the one that created it, is deleted or
   * expired, or it may not do one of `wanted` any more, and the operator chose `on_delete = "suspend"`. Never for null.
   */
  isSuspended(owner: string | null, wanted?: readonly Wanted[]): boolean | Promise<boolean>;
  /**
   * A caller with exactly the owner's rights, for `kernel.call` and `kernel.auth.allows`: those of its token now, or, with
   * `on_delete = "keep"`, the last ones of a token that was deleted or has expired. null: the server itself.
   * undefined: suspended, or no such token is recorded any more, so that nothing is allowed.
   */
  principal(owner: string | null): Promise<Principal | undefined>;
  /** Tells whether that caller exists and may do this. */
  may(owner: string | null, wanted: Wanted): Promise<boolean>;
}
export const Owners = service<Owners>('token.owners');

/** Clear values of a Super Token made by this start, for the program that starts the server; they are stored nowhere else (auth.md §4). */
export const SuperTokenCreated = service<{ token: string; password: string } | undefined>(
  'token.first',
);

/** @deprecated until 0.12: `countedAs` of `@svc/plugin-admission/api` */
export { countedAs as networkOf } from '@svc/plugin-admission/api';
export { AttemptThrottle, type AttemptWords } from './login/attempt-throttle.ts';
export { FailureCounts } from './login/failure-counts.ts';

import { type Origin, type Permission, type Principal, type Scope, service } from '@svc/plugin-sdk';

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

/** Questions about the token behind a caller, answered from memory. */
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

/** The clear values of a Super Token made by this start, for the program that starts the server; they are kept nowhere else (auth.md §4). */
export const SuperTokenCreated = service<{ token: string; password: string } | undefined>(
  'token.first',
);

import { setImmediate } from 'node:timers/promises';
import { BoundedCache } from '@svc/plugin-sdk/util';
import { SUPER_ID, type TokenRow } from './store.ts';
import type { Ancestor } from './store-reads.ts';
import { Token, type TokenContext } from './token.ts';

/** Most bytes of all records in memory, whatever the table holds (auth.md §8). */
const MAX_BYTES = 48 * 2 ** 20;
const MAX_RECORDS = 50_000;

export interface RecordsContext extends Omit<TokenContext, 'retain'> {
  /** Called when a token enters the cache. */
  readonly onCached: (token: Token) => void;
  /** Called when a token leaves the cache, or is deleted. */
  readonly onEvicted: (token: Token) => void;
}

/** Row with its ancestors. */
export interface FoundToken {
  readonly row: TokenRow;
  readonly ancestors: readonly Ancestor[];
}

/**
 * Cache of records by id, key and username: those used last, those with listeners, and the Super Token. Changes also reach
 * evicted tokens that are still referenced.
 */
export class Records {
  readonly #cached: BoundedCache<number, Token>;
  readonly #byKey = new Map<string, Token>();
  readonly #byUsername = new Map<string, Token>();
  readonly #alive = new Map<number, WeakRef<Token>>();
  readonly #collected = new FinalizationRegistry<number>((id) => {
    if (!this.#alive.get(id)?.deref()) this.#alive.delete(id);
  });
  readonly #context: TokenContext;
  readonly #onCached: (token: Token) => void;
  readonly #onEvicted: (token: Token) => void;
  /** Records read in this turn of the event loop: they are not evicted before their caller gets them. */
  readonly #justRead = new Set<Token>();
  #super: Token | undefined;
  #state = 0;

  constructor({ onCached, onEvicted, ...context }: RecordsContext) {
    this.#onCached = onCached;
    this.#onEvicted = onEvicted;
    this.#context = { ...context, retain: (token) => this.#retain(token) };
    this.#cached = new BoundedCache({
      most: MAX_RECORDS,
      bytes: MAX_BYTES,
      weigh: ({ weight }) => weight,
      keeps: (token) => token.super || this.#justRead.has(token) || token.hasListeners(),
      left: (_id, token) => this.#evict(token),
    });
  }

  /** Number of changes: what failed before one may succeed after it. */
  get state(): number {
    return this.#state;
  }

  get super(): Token | undefined {
    return this.#super;
  }

  /** Number and estimated bytes of the records in memory. */
  get size(): { readonly records: number; readonly bytes: number } {
    return { records: this.#cached.size, bytes: this.#cached.bytes };
  }

  /** Returns the cached one. */
  byKey = (key: string): Token | undefined => this.#touch(this.#byKey.get(key));
  byUsername = (username: string): Token | undefined => this.#touch(this.#byUsername.get(username));

  /** Returns the cached one, or one that is still referenced. */
  alive = (id: number): Token | undefined => this.#alive.get(id)?.deref();

  /** Record ids of all live tokens, which changes must reach. */
  ids(): number[] {
    return [...this.#alive].flatMap(([id, token]) => (token.deref() ? [id] : []));
  }

  /** Counts a change of the table. */
  changed(): void {
    this.#state++;
  }

  /** Caches a row of the table. `samePassword`: see `Token.update`. */
  put({ row, ancestors }: FoundToken, samePassword?: string): Token {
    const existing = this.alive(row.id);
    if (existing) {
      this.#unindex(existing);
      existing.update(row, ancestors, samePassword);
    }
    const token = existing ?? this.#create(row, ancestors);
    this.#holdThisTurn(token);
    this.#cache(token);
    return token;
  }

  /** Makes a token without a record: the last rights of a deleted one. */
  rightsOnly(row: TokenRow): Token {
    return new Token(row, [], this.#context);
  }

  /** Weighs a token again after a change of its sessions. */
  weigh(token: Token): void {
    if (this.#cached.has(token.id)) this.#cached.set(token.id, token);
  }

  /** Drops a record that is deleted, or may be. @returns its token, where it was in memory */
  drop(id: number): Token | undefined {
    this.#state++;
    const token = this.alive(id);
    if (!token) return undefined;
    this.#alive.delete(id);
    this.#cached.delete(id);
    this.#unindex(token);
    if (token === this.#super) this.#super = undefined;
    token.end();
    this.#onEvicted(token);
    return token;
  }

  /** Ends the principals of tokens below a deleted record, where they are suspended. */
  endOrphansOf(id: number): void {
    for (const token of this.#all())
      if (token.loseAncestor(id) && token.validity() === 'late') token.endPrincipal();
  }

  /** Yields keys of tokens with a parent that are expired, or have an expired ancestor. */
  *expiredChildren(): Generator<string> {
    for (const token of this.#all())
      if (token.parent !== null && token.validity() === 'late') yield token.key;
  }

  /** Ends the sessions of tokens whose ancestors are deleted or expired. */
  endOrphans(): void {
    for (const token of this.#all())
      if (token.parent !== null && token.validity() === 'late') token.endPrincipal();
  }

  *#all(): Generator<Token> {
    for (const reference of this.#alive.values()) {
      const token = reference.deref();
      if (token) yield token;
    }
  }

  #create(row: TokenRow, ancestors: readonly Ancestor[]): Token {
    const token = new Token(row, ancestors, this.#context);
    this.#alive.set(row.id, new WeakRef(token));
    this.#collected.register(token, row.id);
    return token;
  }

  #holdThisTurn(token: Token): void {
    if (this.#justRead.size === 0) void setImmediate().then(() => this.#justRead.clear());
    this.#justRead.add(token);
  }

  #touch(token: Token | undefined): Token | undefined {
    if (token) this.#cached.get(token.id);
    return token;
  }

  #cache(token: Token): void {
    this.#byKey.set(token.key, token);
    if (token.username !== null) this.#byUsername.set(token.username, token);
    if (token.id === SUPER_ID) this.#super = token;
    this.#onCached(token);
    this.#cached.set(token.id, token);
  }

  /** Puts a token back into the cache, unless its record is deleted. */
  #retain(token: Token): void {
    if (!this.#cached.has(token.id) && this.alive(token.id) === token) this.#cache(token);
  }

  #evict(token: Token): void {
    this.#unindex(token);
    token.disarm();
    this.#onEvicted(token);
  }

  #unindex(token: Token): void {
    if (this.#byKey.get(token.key) === token) this.#byKey.delete(token.key);
    const { username } = token;
    if (username !== null && this.#byUsername.get(username) === token)
      this.#byUsername.delete(username);
  }
}

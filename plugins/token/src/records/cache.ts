import { setImmediate } from 'node:timers/promises';
import { BoundedCache } from '@svc/plugin-sdk';
import { SUPER_ID, type TokenRow } from './store.ts';
import type { Above } from './store-reads.ts';
import { Token, type TokenContext } from './token.ts';

/** What the records in memory may take together, whatever the table holds (auth.md §8). */
const BYTES = 48 * 2 ** 20;
const MOST = 50_000;

export interface RecordsContext extends Omit<TokenContext, 'keep'> {
  /** This token came into the cache. */
  readonly came: (token: Token) => void;
  /** This token left the cache, or is gone. */
  readonly left: (token: Token) => void;
}

/** A row, and the tokens that it hangs on. */
export interface FoundToken {
  readonly row: TokenRow;
  readonly above: readonly Above[];
}

/**
 * The records that are in memory, by id, key and username: those that were used last, those that somebody waits on, and
 * the Super Token. What the cache let go and somebody still holds hears of changes as well.
 */
export class Records {
  readonly #held: BoundedCache<number, Token>;
  readonly #byKey = new Map<string, Token>();
  readonly #byUsername = new Map<string, Token>();
  readonly #alive = new Map<number, WeakRef<Token>>();
  readonly #collected = new FinalizationRegistry<number>((id) => {
    if (!this.#alive.get(id)?.deref()) this.#alive.delete(id);
  });
  readonly #context: TokenContext;
  readonly #came: (token: Token) => void;
  readonly #left: (token: Token) => void;
  /** Read in this turn of the event loop: whoever asked for one has it before the next ones make it go. */
  readonly #fresh = new Set<Token>();
  #super: Token | undefined;
  #state = 0;

  constructor({ came, left, ...context }: RecordsContext) {
    this.#came = came;
    this.#left = left;
    this.#context = { ...context, keep: (token) => this.#keep(token) };
    this.#held = new BoundedCache({
      most: MOST,
      bytes: BYTES,
      weigh: ({ weight }) => weight,
      keeps: (token) => token.super || this.#fresh.has(token) || token.isWatched(),
      left: (_id, token) => this.#letGo(token),
    });
  }

  /** Counts changes: what failed before one may succeed after it. */
  get state(): number {
    return this.#state;
  }

  get super(): Token | undefined {
    return this.#super;
  }

  /** Records in memory, and what they weigh. */
  get size(): { readonly records: number; readonly bytes: number } {
    return { records: this.#held.size, bytes: this.#held.bytes };
  }

  /** Where it is in memory. */
  byKey = (key: string): Token | undefined => this.#used(this.#byKey.get(key));
  byUsername = (username: string): Token | undefined => this.#used(this.#byUsername.get(username));

  /** Where it is in memory, or still held by somebody. */
  alive = (id: number): Token | undefined => this.#alive.get(id)?.deref();

  /** Record ids of everything that a change must reach. */
  ids(): number[] {
    return [...this.#alive].flatMap(([id, token]) => (token.deref() ? [id] : []));
  }

  /** Something changed in the table. */
  changed(): void {
    this.#state++;
  }

  /** Takes over what the table holds. `samePassword`: see `Token.update`. */
  put({ row, above }: FoundToken, samePassword?: string): Token {
    const known = this.alive(row.id);
    if (known) {
      this.#unindex(known);
      known.update(row, above, samePassword);
    }
    const token = known ?? this.#made(row, above);
    this.#freshen(token);
    this.#hold(token);
    return token;
  }

  /** A token without a record: the last rights of one that was deleted. */
  ghost(row: TokenRow): Token {
    return new Token(row, [], this.#context);
  }

  /** The sessions of a token have changed, and with them its weight. */
  weigh(token: Token): void {
    if (this.#held.has(token.id)) this.#held.set(token.id, token);
  }

  /** The record is gone, or may be. @returns its token, where somebody held it */
  drop(id: number): Token | undefined {
    this.#state++;
    const token = this.alive(id);
    if (!token) return undefined;
    this.#alive.delete(id);
    this.#held.delete(id);
    this.#unindex(token);
    if (token === this.#super) this.#super = undefined;
    token.end();
    this.#left(token);
    return token;
  }

  /** The record is gone: what it created may be suspended. */
  orphan(id: number): void {
    for (const token of this.#all())
      if (token.outlives(id) && token.validity() === 'late') token.endPrincipal();
  }

  /** Keys of tokens with a parent whose time is over, or that of a token above them. */
  *lateChildren(): Generator<string> {
    for (const token of this.#all())
      if (token.parent !== null && token.validity() === 'late') yield token.key;
  }

  /** Ends the sessions of tokens whose parents are gone. */
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

  #made(row: TokenRow, above: readonly Above[]): Token {
    const token = new Token(row, above, this.#context);
    this.#alive.set(row.id, new WeakRef(token));
    this.#collected.register(token, row.id);
    return token;
  }

  #freshen(token: Token): void {
    if (this.#fresh.size === 0) void setImmediate().then(() => this.#fresh.clear());
    this.#fresh.add(token);
  }

  #used(token: Token | undefined): Token | undefined {
    if (token) this.#held.get(token.id);
    return token;
  }

  #hold(token: Token): void {
    this.#byKey.set(token.key, token);
    if (token.username !== null) this.#byUsername.set(token.username, token);
    if (token.id === SUPER_ID) this.#super = token;
    this.#came(token);
    this.#held.set(token.id, token);
  }

  /** Back into the cache, unless its record has gone. */
  #keep(token: Token): void {
    if (!this.#held.has(token.id) && this.alive(token.id) === token) this.#hold(token);
  }

  #letGo(token: Token): void {
    this.#unindex(token);
    token.rest();
    this.#left(token);
  }

  #unindex(token: Token): void {
    if (this.#byKey.get(token.key) === token) this.#byKey.delete(token.key);
    const { username } = token;
    if (username !== null && this.#byUsername.get(username) === token)
      this.#byUsername.delete(username);
  }
}

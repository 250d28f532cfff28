import { type GoneRow, type Marks, SUPER_ID, type TokenRow } from './store.ts';
import { GONE, Token, type TokenContext } from './token.ts';

/** Longest line of parents that is followed. */
const GENERATIONS = 32;

export interface RecordsContext extends Omit<TokenContext, 'isOrphan'> {
  /** `[token] on_delete = "suspend"` */
  readonly suspends: () => boolean;
  /** This token is not there any more. */
  readonly left: (token: Token) => void;
}

/** All records in memory, by id, key and username (auth.md §8). */
export class Records {
  readonly #byId = new Map<number, Token>();
  readonly #byKey = new Map<string, Token>();
  readonly #byUsername = new Map<string, Token>();
  /** By the key of the token that created them. */
  readonly #children = new Map<string, Set<Token>>();
  /** Deleted tokens on which something hangs, with their last rights. */
  readonly #gone = new Map<string, Token>();
  readonly #context: TokenContext;
  readonly #suspends: () => boolean;
  readonly #left: (token: Token) => void;
  #state = 0;

  constructor({ suspends, left, ...context }: RecordsContext) {
    this.#suspends = suspends;
    this.#left = left;
    this.#context = { ...context, isOrphan: (token) => suspends() && this.#isOrphan(token) };
  }

  /** Counts changes: what failed before one may succeed after it. */
  get state(): number {
    return this.#state;
  }

  get super(): Token | undefined {
    return this.#byId.get(SUPER_ID);
  }

  byId = (id: number): Token | undefined => this.#byId.get(id);
  byKey = (key: string): Token | undefined => this.#byKey.get(key);
  byUsername = (username: string): Token | undefined => this.#byUsername.get(username);

  childrenOf = (key: string): ReadonlySet<Token> => this.#children.get(key) ?? NONE;

  /** The rights of what a token wrote: its own, or the last ones of one that expired or was deleted. */
  owner(key: string): Token | undefined {
    const token = this.#byKey.get(key);
    if (!token) return this.#gone.get(key);
    return token.validity() === 'late' ? token.ghost : token;
  }

  addGone({ token_key, token_limit }: GoneRow): void {
    const row = { ...GONE, id: 0, token_key, token_limit };
    this.#gone.set(token_key, new Token(row, this.#context));
  }

  /** Ordered by id. */
  list(): Token[] {
    return [...this.#byId.values()].sort((a, b) => a.id - b.id);
  }

  /** True when a table with these marks may be the one in memory. */
  resembles({ total, newest, super_hash, super_password }: Marks): boolean {
    let latest = 0;
    for (const id of this.#byId.keys()) latest = Math.max(latest, id);
    const known = this.super?.row;
    return (
      total === this.#byId.size &&
      newest === latest &&
      super_hash === (known?.token_hash ?? null) &&
      super_password === (known?.password_hash ?? null)
    );
  }

  replaceAll(rows: readonly TokenRow[]): void {
    const left = new Set(rows.map(({ id }) => id));
    for (const id of [...this.#byId.keys()]) if (!left.has(id)) this.drop(id);
    for (const row of rows) this.apply(row);
  }

  /** `samePassword`: see `Token.update`. */
  apply(row: TokenRow, samePassword?: string): void {
    this.#state++;
    const known = this.#byId.get(row.id);
    if (known) {
      this.#unindex(known);
      known.update(row, samePassword);
    }
    const token = known ?? new Token(row, this.#context);
    this.#byId.set(token.id, token);
    this.#byKey.set(token.key, token);
    if (token.parent !== null) this.#siblings(token.parent).add(token);
    if (token.username !== null) this.#byUsername.set(token.username, token);
  }

  /** @returns the key that it had */
  drop(id: number): string | undefined {
    const token = this.#byId.get(id);
    if (!token) return undefined;
    this.#state++;
    this.#byId.delete(id);
    this.#unindex(token);
    token.end();
    if (this.#suspends()) for (const key of this.lineOf(token.key)) this.#endChildren(key);
    this.#left(token);
    return token.key;
  }

  /** Ends the sessions of tokens whose parents are gone. */
  endOrphans(): void {
    for (const parent of this.#children.keys()) this.#endChildren(parent);
  }

  /** This key, those of the tokens that it created, of theirs, and so on. */
  *lineOf(key: string): Generator<string> {
    const line = new Set([key]);
    for (const parent of line) {
      yield parent;
      for (const child of this.childrenOf(parent)) line.add(child.key);
    }
  }

  #endChildren(parent: string): void {
    for (const child of this.childrenOf(parent)) {
      if (child.validity() === 'late') child.endPrincipal();
    }
  }

  #isOrphan(token: Token): boolean {
    let { parent } = token;
    for (let generation = 0; parent !== null && generation < GENERATIONS; generation++) {
      const above = this.#byKey.get(parent);
      if (!above || above.isPast()) return true;
      parent = above.parent;
    }
    return false;
  }

  #siblings(parent: string): Set<Token> {
    const siblings = this.#children.get(parent) ?? new Set();
    this.#children.set(parent, siblings);
    return siblings;
  }

  #unindex(token: Token): void {
    if (this.#byKey.get(token.key) === token) this.#byKey.delete(token.key);
    const { username, parent } = token;
    const siblings = parent === null ? undefined : this.#children.get(parent);
    siblings?.delete(token);
    if (parent !== null && siblings?.size === 0) this.#children.delete(parent);
    if (username !== null && this.#byUsername.get(username) === token)
      this.#byUsername.delete(username);
  }
}

const NONE: ReadonlySet<Token> = new Set();

import { type Marks, SUPER_ID, type TokenRow } from './store.ts';
import { Token, type TokenContext } from './token.ts';

/** All records in memory, by id, key and username (auth.md §8). */
export class Records {
  readonly #byId = new Map<number, Token>();
  readonly #byKey = new Map<string, Token>();
  readonly #byUsername = new Map<string, Token>();
  readonly #context: TokenContext;
  #state = 0;

  constructor(context: TokenContext) {
    this.#context = context;
  }

  /** Counts changes: what failed before one may succeed after it. */
  get state(): number {
    return this.#state;
  }

  get super(): Token | undefined {
    return this.#byId.get(SUPER_ID);
  }

  byKey = (key: string): Token | undefined => this.#byKey.get(key);
  byUsername = (username: string): Token | undefined => this.#byUsername.get(username);

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
    if (token.username !== null) this.#byUsername.set(token.username, token);
  }

  drop(id: number): void {
    const token = this.#byId.get(id);
    if (!token) return;
    this.#state++;
    this.#byId.delete(id);
    this.#unindex(token);
    token.end();
  }

  #unindex(token: Token): void {
    if (this.#byKey.get(token.key) === token) this.#byKey.delete(token.key);
    const { username } = token;
    if (username !== null && this.#byUsername.get(username) === token)
      this.#byUsername.delete(username);
  }
}

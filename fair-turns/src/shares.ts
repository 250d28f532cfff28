/** Standing of a share among others: `weight` is above 0; `part` of a pool, above 0 and at most 1, is what it may hold. */
export interface Standing {
  readonly weight: number;
  readonly part: number;
}

export interface ShareRules {
  /** Places that any share may take while they are idle; read anew for each. */
  readonly most: () => number;
  /** Places beyond `most`, for shares that hold none: no matter what one share holds, others can begin. */
  readonly spare?: () => number;
  /** Default: weight 1, the whole pool. */
  readonly standing?: ((share: string) => Standing) | undefined;
}

/** Idle shares beyond this number are forgotten: they are served as new ones then. */
const REMEMBERED = 1_000;
const none = () => 0;
export const equal = (): Standing => ({ weight: 1, part: 1 });

/**
 * Counts the places of one pool by share (a token key, or an address), and says whose turn it is: the share that holds
 * least, then the one that was served least. For work that cannot be interrupted.
 */
export class Shares {
  readonly #rules: ShareRules;
  readonly #counts = new Map<string, { held: number; next: number }>();
  #used = 0;
  /** Virtual time: it moves on as shares are served (start-time fair queueing). */
  #time = 0;

  constructor(rules: ShareRules) {
    this.#rules = rules;
  }

  get used(): number {
    return this.#used;
  }

  held(share: string): number {
    return this.#counts.get(share)?.held ?? 0;
  }

  /** Tells whether there is a place for this share. */
  hasPlace(share: string): boolean {
    const { most, spare = none, standing = equal } = this.#rules;
    const held = this.held(share);
    if (held === 0) return this.#used < most() + spare();
    return this.#used < most() && held < standing(share).part * most();
  }

  /** Acquires a place when there is one for this share. */
  acquire(share: string): boolean {
    if (!this.hasPlace(share)) return false;
    const { standing = equal } = this.#rules;
    this.#time = this.#start(share);
    if (this.#counts.size >= REMEMBERED) this.#forget();
    const next = this.#time + 1 / standing(share).weight;
    this.#counts.set(share, { held: this.held(share) + 1, next });
    this.#used++;
    return true;
  }

  /** Releases a place that was acquired. */
  release(share: string): void {
    const count = this.#counts.get(share);
    if (!count || count.held === 0) throw new Error(`share '${share}' holds no place`);
    count.held--;
    this.#used--;
  }

  /** Sorts the waiting entries into the order in which they are to be served; those of one share stay as they are given. */
  order<T extends { readonly share: string }>(waiting: readonly T[]): T[] {
    if (waiting.every(({ share }) => share === waiting[0]?.share)) return [...waiting];
    const { standing = equal } = this.#rules;
    const held = new Map<string, number>();
    const ranked = waiting.map((one) => {
      const { share } = one;
      const before = held.get(share) ?? this.held(share);
      held.set(share, before + 1);
      return { one, rank: before / standing(share).weight, start: this.#start(share) };
    });
    ranked.sort((a, b) => a.rank - b.rank || a.start - b.start);
    return ranked.map(({ one }) => one);
  }

  #start(share: string): number {
    return Math.max(this.#time, this.#counts.get(share)?.next ?? 0);
  }

  #forget(): void {
    for (const [share, { held }] of this.#counts) if (held === 0) this.#counts.delete(share);
  }
}

import { hash } from 'node:crypto';
import {
  type Database,
  type HoldingChange,
  type HoldingKind,
  type HoldingLimits,
  type Holdings,
  type QueryBuilder,
  RpcError,
} from '@svc/plugin-sdk';
import { type Bound, demandWithin, isBeyond } from './limits.ts';
import type { Held, HoldingStore } from './store.ts';

/** One count of a change, and how it is taken. */
interface Counted extends Bound {
  count(on: QueryBuilder): Promise<Held>;
}

/** Counts what owners hold before and after each change, in its transaction. */
export class TokenHoldings implements Holdings {
  readonly #kinds = new Map<string, HoldingKind>();
  readonly #store: HoldingStore;
  readonly #db: Pick<Database, 'query' | 'transaction'>;

  constructor(store: HoldingStore, db: Pick<Database, 'query' | 'transaction'>) {
    this.#store = store;
    this.#db = db;
  }

  get kinds(): readonly HoldingKind[] {
    return [...this.#kinds.values()];
  }

  register(added: HoldingKind): void {
    const { kind } = added;
    if (this.#kinds.has(kind)) throw new Error(`'${kind}' is counted already`);
    this.#kinds.set(kind, added);
  }

  async within<T>(change: HoldingChange, work: (on: QueryBuilder) => Promise<T>): Promise<T> {
    const { what, limits, holder } = await this.#look(change);
    const { kind, owner } = change;
    const write = async (on: QueryBuilder) => {
      const written = await work(on);
      // An owner that was deleted meanwhile, and held nothing, is not remembered: the rows would count for nobody.
      if (owner !== null && !(await this.#store.isKnown(on, owner)))
        throw RpcError.denied('Invalid credentials');
      return written;
    };
    const counts = this.#counts(what, limits, { owner, holder });
    return this.#db.transaction(
      async (trx) => {
        if (counts.length === 0) return write(trx);
        // What is shared is counted by one change at a time, and the rest by one of its owner.
        const turn = limits.shared ? '' : (holder ?? '');
        await this.#store.takeTurn(trx, [numberOf(kind), numberOf(turn)]);
        const tried = await attempt(trx, counts, write);
        if ('written' in tried) return tried.written;
        // Beyond a limit it may be, if that is no more than before.
        const before = await all(counts, trx);
        for (const [at, bound] of counts.entries())
          demandWithin(what, bound, [before[at] as Held, tried.after[at] as Held]);
        return write(trx);
      },
      change.alone === undefined ? {} : { alone: change.alone },
    );
  }

  /** Before work that is in vain where there is no room for one more. @throws RpcError 108 */
  async demandRoom(change: HoldingChange): Promise<void> {
    const { what, limits, holder } = await this.#look(change);
    for (const bound of this.#counts(what, limits, { owner: change.owner, holder })) {
      const held = await bound.count(this.#db.query);
      demandWithin(what, bound, [held, { ...held, rows: held.rows + 1 }]);
    }
  }

  /** Where to see for whom rows count whose owner is about to be deleted; undefined: it holds nothing. */
  async heirOf(owner: string): Promise<string | undefined> {
    for (const { rows } of this.#kinds.values())
      if (await this.#store.holdsAny(rows, owner)) return this.#store.holderOf(owner);
    return undefined;
  }

  async #look({ kind, owner }: HoldingChange) {
    const what = this.#kinds.get(kind);
    if (!what) throw new Error(`'${kind}' is not registered`);
    const holder = owner === null ? null : await this.#store.holderOf(owner);
    return { what, limits: what.limits(), holder };
  }

  #counts(
    { rows }: HoldingKind,
    { shared, ...own }: HoldingLimits,
    { owner, holder }: { readonly owner: string | null; readonly holder: string | null },
  ): Counted[] {
    const isSuper = holder === null;
    const counts: Counted[] = [];
    if (!isSuper && (own.rows || own.bytes)) {
      const whose = holder === owner ? 'own' : 'created';
      const count = async (on: QueryBuilder) =>
        this.#store.ofFamily(on, rows, await this.#store.family(on, holder));
      counts.push({ whose, limits: own, count });
    }
    if (shared) {
      const whose = isSuper ? 'super' : 'shared';
      const count = (on: QueryBuilder) => this.#store.ofSuper(on, rows, isSuper);
      counts.push({ whose, limits: { rows: shared }, count });
    }
    return counts;
  }
}

/** Writes, and undoes that where a count is beyond its limit then. @returns what was written, or what was counted */
async function attempt<T>(
  trx: QueryBuilder,
  counts: readonly Counted[],
  write: (on: QueryBuilder) => Promise<T>,
): Promise<{ readonly written: T } | { readonly after: readonly Held[] }> {
  const beyond = new Error('beyond a limit');
  let after: Held[] = [];
  try {
    const written = await trx.transaction(async (on) => {
      const done = await write(on);
      after = await all(counts, on);
      if (counts.some((bound, at) => isBeyond(bound, after[at] as Held))) throw beyond;
      return done;
    });
    return { written };
  } catch (error) {
    if (error !== beyond) throw error;
    return { after };
  }
}

/** One after the other: they share a connection. */
async function all(counts: readonly Counted[], on: QueryBuilder): Promise<Held[]> {
  const held: Held[] = [];
  for (const each of counts) held.push(await each.count(on));
  return held;
}

/** 32 bits of a digest: two texts with the same ones only wait for each other. */
const numberOf = (text: string): number => hash('sha256', text, 'buffer').readInt32BE();

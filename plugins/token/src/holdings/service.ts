import { hash } from 'node:crypto';
import {
  type Database,
  type HoldingChange,
  type HoldingKind,
  type HoldingLimits,
  type Holdings,
  RpcError,
} from '@svc/plugin-sdk';
import type { QueryBuilder } from '@svc/plugin-sdk/sql';
import { type Bound, demandWithin, isBeyond } from './limits.ts';
import type { Held, HoldingStore } from './store.ts';

/** Bound of a change, with its count. */
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
    const { what, limits, holder } = await this.#resolve(change);
    const { kind, owner } = change;
    const write = async (on: QueryBuilder) => {
      const written = await work(on);
      // An owner that was deleted meanwhile, and held nothing, is not recorded: its rows would count for no owner.
      if (owner !== null && !(await this.#store.exists(on, owner)))
        throw RpcError.denied('Invalid credentials');
      return written;
    };
    const counts = this.#counts(what, limits, { owner, holder });
    return this.#db.transaction(
      async (trx) => {
        if (counts.length === 0) return write(trx);
        // Changes of shared bounds take turns, all others take turns for each owner.
        const lock = limits.shared ? '' : (holder ?? '');
        await this.#store.lock(trx, [numberOf(kind), numberOf(lock)]);
        const tried = await tryWrite(trx, counts, write);
        if ('written' in tried) return tried.written;
        // Beyond a limit a change is allowed where nothing grows.
        const before = await countAll(counts, trx);
        for (const [at, bound] of counts.entries())
          demandWithin(what, bound, [before[at] as Held, tried.after[at] as Held]);
        return write(trx);
      },
      change.alone === undefined ? {} : { alone: change.alone },
    );
  }

  /** Demands room for one more row, before expensive work. @throws RpcError 108 */
  async demandRoom(change: HoldingChange): Promise<void> {
    const { what, limits, holder } = await this.#resolve(change);
    for (const bound of this.#counts(what, limits, { owner: change.owner, holder })) {
      const held = await bound.count(this.#db.query);
      demandWithin(what, bound, [held, { ...held, rows: held.rows + 1 }]);
    }
  }

  /** Token for which the rows of an owner count after its deletion; undefined: it holds nothing. */
  async successorOf(owner: string): Promise<string | undefined> {
    for (const { rows } of this.#kinds.values())
      if (await this.#store.holdsAny(rows, owner)) return this.#store.holderOf(owner);
    return undefined;
  }

  async #resolve({ kind, owner }: HoldingChange) {
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
        this.#store.sumOfFamily(on, rows, await this.#store.family(on, holder));
      counts.push({ whose, limits: own, count });
    }
    if (shared) {
      const whose = isSuper ? 'super' : 'shared';
      const count = (on: QueryBuilder) => this.#store.sumOfSuper(on, rows, isSuper);
      counts.push({ whose, limits: { rows: shared }, count });
    }
    return counts;
  }
}

/** Writes, and rolls back where a count is beyond its limit then. @returns the written value, or the counts */
async function tryWrite<T>(
  trx: QueryBuilder,
  counts: readonly Counted[],
  write: (on: QueryBuilder) => Promise<T>,
): Promise<{ readonly written: T } | { readonly after: readonly Held[] }> {
  const beyond = new Error('beyond a limit');
  let after: Held[] = [];
  try {
    const written = await trx.transaction(async (on) => {
      const done = await write(on);
      after = await countAll(counts, on);
      if (counts.some((bound, at) => isBeyond(bound, after[at] as Held))) throw beyond;
      return done;
    });
    return { written };
  } catch (error) {
    if (error !== beyond) throw error;
    return { after };
  }
}

/** Counts one after the other: they share a connection. */
async function countAll(counts: readonly Counted[], on: QueryBuilder): Promise<Held[]> {
  const held: Held[] = [];
  for (const each of counts) held.push(await each.count(on));
  return held;
}

/** 32 bits of a digest: two texts with the same ones only wait for each other. */
const numberOf = (text: string): number => hash('sha256', text, 'buffer').readInt32BE();

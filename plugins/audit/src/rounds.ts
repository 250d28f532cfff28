import { setTimeout as delay } from 'node:timers/promises';
import type { Clock, Logger } from '@svc/plugin-sdk';
import type { Chain } from './chain.ts';
import type { ChainRow, Store } from './store.ts';

const DAY_MS = 86_400_000;
/** Time without an addition after which a chain belongs to a former server, or to a former start of one. */
const DEAD_MS = 7 * DAY_MS;
/** Longest pause between two statements, which leaves the writer to others for as long as the last one took. */
const MAX_PAUSE_MS = 100;

interface Options {
  readonly store: Store;
  readonly chain: Chain;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** ms. */
  readonly kept: () => number;
  /** Bytes. */
  readonly most: () => number;
  /** Called after a removal, which is recorded as well. */
  readonly removed: (target: string) => void;
}

/** Rows that may be removed next: those of the own chain up to a checkpoint, or another chain as a whole. */
type Candidate = { readonly at: number; readonly chain: ChainRow; readonly upTo?: number };

/** Removes whole segments, oldest first, by age and by size. A signed statement says how far it went. */
export class Rounds {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Runs one round; the next one completes an interrupted one. */
  async run(): Promise<void> {
    const { store, clock, kept, most } = this.#options;
    await this.#finish();
    const before = clock.now() - kept();
    for (;;) {
      const next = await this.#oldest();
      if (!next) return;
      const isOld = next.at < before;
      if (!isOld && (await store.bytes()) <= most()) return;
      await this.#remove(next, isOld ? 'older than keep_days' : 'over max_mb');
    }
  }

  async #oldest(): Promise<Candidate | undefined> {
    const { store, chain, clock } = this.#options;
    const own = await chain.row();
    const [segment] = await store.checkpoints(own.id, own.base + 1);
    const others = (await store.chains()).filter(({ id }) => id !== own.id);
    const found: Candidate[] = others
      .filter(({ at }) => at < clock.now() - DEAD_MS)
      .map((other) => ({ at: other.at, chain: other }));
    if (segment) found.push({ at: segment.at, chain: own, upTo: segment.seq });
    return found.sort((a, b) => a.at - b.at)[0];
  }

  async #remove({ chain: row, upTo }: Candidate, why: string): Promise<void> {
    const { chain, log, removed, store } = this.#options;
    const target = `rows ${row.base + 1} to ${upTo ?? row.seq} of chain ${row.chain}: ${why}`;
    if (upTo !== undefined) await chain.rebase(upTo);
    else await store.removeChain(row.id);
    removed(target);
    log.info('old rows of the audit were removed', { rows: target });
    await this.#finish();
  }

  /** Deletes the rows that signed statements declare removed, and those of former chains. */
  async #finish(): Promise<void> {
    const { store, chain } = this.#options;
    const chains = new Map((await store.chains()).map((row) => [row.id, row]));
    const own = await chain.row();
    for (const id of await store.chainsOfRows()) {
      if (!chains.has(id)) await this.#delete(id, Number.MAX_SAFE_INTEGER);
    }
    if (own.base > 0) await this.#delete(own.id, own.base);
  }

  async #delete(id: number, upTo: number): Promise<void> {
    const { signal, store } = this.#options;
    for (;;) {
      const since = performance.now();
      if (!(await store.removeRows(id, upTo))) break;
      await delay(Math.min(performance.now() - since, MAX_PAUSE_MS), undefined, { signal });
    }
    await store.removeCheckpoints(id, upTo);
  }
}

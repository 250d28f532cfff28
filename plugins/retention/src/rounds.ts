import { type Limits, RetentionLimits } from '@svc/plugin-kv/api';
import { type Kernel, sizeText } from '@svc/plugin-sdk';
import type { HistoryTable, Slice } from './api.ts';
import type { Policy } from './policy.ts';
import type { Turn } from './turn.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Age up to which rows stay, whatever the budget says. */
const YOUNGEST_MS = HOUR_MS;
/** Age at which the search for the beginning of the history starts where nothing else bounds it. */
const LONGEST_MS = 3_650 * DAY_MS;
/** A history longer than this loses whole days where these are partitions. */
const DAYS_MS = 7 * DAY_MS;
/** A step over the budget shortens the history by this factor. */
const SHORTER = 0.97;
/** Between two statements others have the writer for as long as the last one took, at most this. */
const MAX_PAUSE_MS = 100;

/** Tables and, for each, the agents whose rows stay. */
type Open = readonly { readonly table: HistoryTable; readonly except: readonly string[] }[];
type Span = Pick<Slice, 'from' | 'before' | 'lag_ms'>;

/** Brings the history within its limits. */
export class Rounds {
  readonly #kernel: Kernel<unknown>;
  readonly #tables: readonly HistoryTable[];
  readonly #turn: Turn;
  /** Reason why the last round could not keep the budget; undefined: it is kept. */
  excess: string | undefined;

  constructor(kernel: Kernel<unknown>, tables: readonly HistoryTable[], turn: Turn) {
    this.#kernel = kernel;
    this.#tables = tables;
    this.#turn = turn;
  }

  /** One round; nothing while it is another server's turn, or without any bound. A failure is logged. */
  async run(policy: Policy): Promise<void> {
    const { log, signal } = this.#kernel;
    if (policy.keep_ms === undefined && policy.budget === undefined) return;
    try {
      const open = await this.#open(policy);
      await this.#turn.hold(this.#kernel, MAX_PAUSE_MS, (proceed) =>
        this.#round(policy, open, proceed),
      );
    } catch (error) {
      // A stop in the middle is no failure: the next start goes on.
      if (!signal.aborted) log.error('old history could not be deleted', { error });
    }
  }

  async #round({ keep_ms, budget }: Policy, open: Open, proceed: Slice['proceed']): Promise<void> {
    const { clock, db, log } = this.#kernel;
    const remove = async (span: Span) => {
      let sum = 0;
      for (const { table, except } of open) {
        const gone = await table.remove({ ...span, except, proceed });
        if (gone > 0) log.debug('old history was deleted', { table: table.table, gone });
        sum += gone;
      }
      return sum;
    };
    const now = clock.now();
    if (keep_ms !== undefined) {
      await remove({ from: undefined, before: Math.floor(now - keep_ms), lag_ms: DAY_MS });
    }
    if (budget !== undefined) await this.#withinBudget(budget, spansOf(now, keep_ms), remove);
    while (await db.space?.giveBack()) await proceed();
  }

  /** The tables that no explicit limit takes care of as a whole; each hears how long its rows are kept. */
  async #open({ keep_ms }: Policy): Promise<Open> {
    const { signal, useOptional } = this.#kernel;
    const limitsOf = await useOptional(RetentionLimits)?.now(signal);
    return this.#tables.flatMap((table) => {
      const limits = table.kind && limitsOf?.(table.kind);
      const limited: Limits['limited'] = limits?.limited ?? new Set();
      const isClosed = limited === 'all' || table.limit_ms?.() !== undefined;
      table.keeps?.(isClosed || limited.size > 0 ? undefined : keep_ms);
      return isClosed ? [] : [{ table, except: [...limited] }];
    });
  }

  async #withinBudget(
    budget: number,
    spans: Iterable<Span>,
    remove: (span: Span) => Promise<number>,
  ): Promise<void> {
    const { db, log } = this.#kernel;
    const names = this.#tables.map(({ table }) => table);
    const measure = async () => (await db.space?.used(names, budget)) ?? 0;
    let used = await measure();
    for (const span of spans) {
      if (used <= budget) break;
      if ((await remove(span)) > 0) used = await measure();
    }
    if (used <= budget) {
      this.excess = undefined;
      return;
    }
    const text = `the history exceeds its budget: ${sizeText(used)} of ${sizeText(budget)} are in use; what is left has limits of its own (database_limit_*) or is less than an hour old`;
    if (this.excess === undefined) log.warn(text);
    this.excess = text;
  }
}

/** Ever later ends of the history that goes, the last one an hour ago. */
function* spansOf(now: number, keep_ms = LONGEST_MS): Generator<Span> {
  let from: number | undefined;
  let last = -Infinity;
  for (let kept = keep_ms; kept > YOUNGEST_MS; ) {
    kept = Math.max(kept * SHORTER, YOUNGEST_MS);
    const time = Math.floor(now - kept);
    const lag_ms = kept > DAYS_MS ? DAY_MS : 0;
    // With the rows that arrive at midnight or a little later, partitions can go as a whole.
    const before = lag_ms > 0 ? time - (time % DAY_MS) + HOUR_MS : time;
    if (before <= last) continue;
    yield { from, before, lag_ms };
    last = before;
    from = before - lag_ms;
  }
}

import { type BucketRow, type ReportBuckets, SUMMARY_COLUMNS } from '@svc/plugin-agent/api';
import type { Kernel } from '@svc/plugin-sdk';
import { Throttle } from '@svc/plugin-sdk/util';
import type { AgentState } from './agent-state.ts';
import type { Measured, Row } from './variables.ts';
import { MINUTES } from './windows.ts';

const MINUTE_MS = 60_000;
/** Aggregates of each field in a bucket, before the last values of all. */
const AGGREGATES = ['count', 'min', 'max', 'avg'] as const;
type Aggregate = (typeof AGGREGATES)[number];

/** Fills the minutes of windows from stored reports, once for each agent after a start, one agent at a time. */
export class Refill {
  readonly #kernel: Pick<Kernel, 'clock' | 'log' | 'signal'>;
  readonly #buckets: Pick<ReportBuckets, 'summary'>;
  readonly #wanted = new Set<AgentState>();
  readonly #warnings: Throttle;
  #running: Promise<void> | undefined;

  constructor(
    kernel: Pick<Kernel, 'clock' | 'log' | 'signal'>,
    buckets: Pick<ReportBuckets, 'summary'>,
  ) {
    this.#kernel = kernel;
    this.#buckets = buckets;
    this.#warnings = new Throttle(kernel.clock);
  }

  want(state: AgentState): void {
    if (state.isRefilled || state.minutes.size === 0) return;
    state.isRefilled = true;
    this.#wanted.add(state);
    this.#running ??= this.#run();
  }

  async settled(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    // A run that ended at once would leave `#running` set for good.
    await new Promise(setImmediate);
    for (const state of this.#wanted) {
      if (this.#kernel.signal.aborted) break;
      this.#wanted.delete(state);
      try {
        await this.#fill(state);
      } catch (error) {
        // Its windows have no value until they have filled themselves.
        const more = this.#warnings.pass();
        if (more !== undefined) this.#kernel.log.warn('windows could not be read', { error, more });
      }
    }
    this.#running = undefined;
  }

  async #fill(state: AgentState): Promise<void> {
    const { clock, signal } = this.#kernel;
    const measured = state.plan.windowed.filter(({ name }) => state.minutes.has(name));
    const fields = [...new Set(measured.flatMap(({ columns }) => columns))];
    // Reports are stored by the clock of their agent, minutes count by that of the server.
    const offset = Math.round(state.clock.usual ?? 0);
    const until = (Math.floor(clock.now() / MINUTE_MS) + 1) * MINUTE_MS;
    const from = until - MINUTES * MINUTE_MS;
    const ask = {
      id: state.agent.id,
      from: from - offset,
      to: until - offset,
      step: MINUTE_MS,
      signal,
    };
    const rows: BucketRow[] = [];
    for await (const some of this.#buckets.summary(ask, fields)) rows.push(...some);
    rows.sort((a, b) => a.at - b.at);
    for (const one of measured) {
      const stored = rows.flatMap((row) => minuteOf(one, row, { fields, from }) ?? []);
      state.minutes.get(one.name)?.refill(
        stored,
        stored.map(({ last }) => last),
      );
    }
  }
}

function minuteOf(
  { columns, read }: Measured,
  { at, values }: BucketRow,
  { fields, from }: { readonly fields: readonly string[]; readonly from: number },
) {
  const rowOf = (aggregate: Aggregate | 'last') => bucketAsRow(values, fields, aggregate);
  const [avg, last] = [read(rowOf('avg')), read(rowOf('last'))];
  const count = values[fields.indexOf(columns[0] ?? '') * AGGREGATES.length] ?? 0;
  if (avg === null || count === 0) return undefined;
  // Least and greatest of a share of two fields are not known: its average stands for them.
  const isPlain = columns.length === 1;
  const min = isPlain ? (read(rowOf('min')) ?? avg) : avg;
  const max = isPlain ? (read(rowOf('max')) ?? avg) : avg;
  return { minute: from / MINUTE_MS + at, count, sum: avg * count, min, max, last: last ?? avg };
}

/** Row of a summary that holds one aggregate of each field. */
export function bucketAsRow(
  values: readonly (number | null)[],
  fields: readonly string[],
  aggregate: Aggregate | 'last',
): Row {
  const row: (number | null)[] = [];
  for (const [index, field] of fields.entries()) {
    const place =
      aggregate === 'last'
        ? fields.length * AGGREGATES.length + index
        : index * AGGREGATES.length + AGGREGATES.indexOf(aggregate);
    row[SUMMARY_COLUMNS[field as keyof typeof SUMMARY_COLUMNS]] = values[place] ?? null;
  }
  return row;
}

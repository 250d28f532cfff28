import type { Clock, Kernel, Logger } from '@svc/plugin-sdk';
import type {
  NewestOfOwner,
  PartitionChange,
  PartitionView,
  TimePartition,
  TimePartitions,
} from '@svc/plugin-sdk/sql';
import { coveredTo, DAY_MS, missing, widthFor } from './partitions.ts';

const PERIOD_MS = 10 * 60_000;
/** Time after which a limit no longer counts, unless it was named again. */
const LIMIT_LIFE_MS = DAY_MS;

/** Origin of a limit on how long rows are kept. */
type Source = 'agents' | 'history';

/** Keeps the partitions of one table (README, "Postgres"). */
export interface Partitions {
  /** Says how long the rows that live longest are kept, ms; undefined: forever. Narrow partitions suit a short life. */
  keeps(source: Source, kept_ms: number | undefined): void;
  /** @returns how many; a partition that is in use elsewhere stays. @throws RpcError 103 */
  drop(which: Over): Promise<number>;
}

/** Condition under which partitions are dropped. */
export interface Over {
  /** Latest time at which such a partition may end. */
  readonly upTo: number;
  /** Holds for the newest row of every agent in them. */
  readonly goes: (newest: NewestOfOwner) => boolean;
  /** Time before which all their rows were stored; undefined: any. */
  readonly storedBefore?: number;
}

/** Partitions of a plain table: everything is left to the deletion of rows. */
export const PLAIN: Partitions = { keeps: () => undefined, drop: async () => 0 };

/** Makes the partitions of a table ahead of time, at the start and every ten minutes. `limit_ms`: that of the configuration. */
export function keepPartitions(
  kernel: Pick<Kernel, 'clock' | 'every' | 'hooks' | 'log'>,
  table: string,
  store: TimePartitions,
  limit_ms: () => number | undefined,
): Partitions {
  const { clock, every, hooks, log } = kernel;
  const keeper = { clock, log, table, store };
  const kept = new Map<Source, Kept>();
  hooks.start.tap(async () => {
    try {
      // How long rows are kept is not known yet, and there is time to wait for it unless nothing is left.
      const look = await makeAhead(keeper, DAY_MS, DAY_MS);
      if (!look) log.warn('the table is not partitioned by time', { table });
    } catch (error) {
      const text = 'partitions could not be made; rows have their place without them';
      log.warn(text, { table, error });
    }
  });
  every('make partitions', PERIOD_MS, async () => {
    const now = clock.now();
    const limits = [...kept.values(), { kept_ms: limit_ms(), at: now }];
    const shortest = shortestOf(limits, now - LIMIT_LIFE_MS);
    await makeAhead(keeper, widthFor(shortest), 7 * DAY_MS);
  });
  return {
    keeps: (source, kept_ms) => void kept.set(source, { kept_ms, at: clock.now() }),
    drop: (which) => dropAll(keeper, which),
  };
}

/** Time that rows are kept, ms, undefined: forever; and when that was said. */
interface Kept {
  readonly kept_ms: number | undefined;
  readonly at: number;
}

function shortestOf(kept: readonly Kept[], after: number): number | undefined {
  const named = kept.flatMap(({ kept_ms, at }) =>
    kept_ms === undefined || at < after ? [] : [kept_ms],
  );
  return named.length === 0 ? undefined : Math.min(...named);
}

interface Keeper {
  readonly clock: Clock;
  readonly log: Logger;
  readonly table: string;
  readonly store: TimePartitions;
}

/** Makes what is missing when less than `enough_ms` is there. @returns undefined for a plain table */
async function makeAhead(
  { clock, log, table, store }: Keeper,
  width: number,
  enough_ms: number,
): Promise<PartitionView | undefined> {
  const look = await store.look();
  const now = clock.now();
  if (!look || coveredTo(look.partitions) >= now + enough_ms) return look;
  const change = await store.change(async ({ partitions }) => ({
    drop: [],
    create: missing(partitions, now, width),
  }));
  log.debug('partitions were made', { table, count: change.create.length });
  return look;
}

/** @returns how many were dropped */
async function dropAll({ clock, log, table, store }: Keeper, which: Over): Promise<number> {
  const look = await store.look();
  // A clock that is ahead must not cost the empty ones that were made for later.
  const last = Math.min(which.upTo, clock.now());
  let dropped = 0;
  for (const one of look?.partitions ?? []) {
    if (one.to - 1 > last || !look || !(await isOver(look, one, which))) continue;
    try {
      if (!(await dropOne(store, one, which))) continue;
      log.info('a partition was dropped', { table, partition: one.name });
      dropped++;
    } catch (error) {
      // A long read uses it: its rows are deleted, and it goes in a later round.
      log.warn('a partition could not be dropped', { table, partition: one.name, error });
    }
  }
  return dropped;
}

/** Tells whether a partition is dropped. An empty one that covers all earlier times stays: it would only be made again. */
async function isOver(
  look: PartitionView,
  partition: TimePartition,
  { goes, storedBefore }: Over,
): Promise<boolean> {
  const rows = await look.newest(partition);
  if (partition.from === -Infinity && rows.length === 0) return false;
  if (!rows.every(goes)) return false;
  return (
    storedBefore === undefined || !(await look.reaches(partition, 'storage_time', storedBefore))
  );
}

const NOTHING: PartitionChange = { drop: [], create: [] };

/** Drops a partition after another check while nothing else writes: a late row may have arrived. */
async function dropOne(
  store: TimePartitions,
  { name, to }: TimePartition,
  which: Over,
): Promise<boolean> {
  const change = await store.change(async (look) => {
    const found = look.partitions.find((one) => one.name === name && one.to === to);
    return found && (await isOver(look, found, which)) ? without(look, found) : NOTHING;
  });
  return change.drop.length > 0;
}

/** Drops one partition. The first one, of all earlier times, takes over where the gap is at its end. */
async function without(look: PartitionView, gone: TimePartition): Promise<PartitionChange> {
  const [first, ...others] = look.partitions;
  const next = look.partitions[look.partitions.indexOf(gone) + 1];
  const past = { from: -Infinity, to: next?.from ?? gone.to };
  if (gone.from === -Infinity) return { drop: [gone], create: [past] };
  const grows = first?.from === -Infinity && others[0] === gone;
  if (!grows || (await look.newest(first)).length > 0) return { drop: [gone], create: [] };
  return { drop: [first, gone], create: [past] };
}

import type {
  Kernel,
  NewestOfOwner,
  PartitionChange,
  PartitionView,
  TimePartition,
  TimePartitions,
} from '@svc/plugin-sdk';
import { coveredTo, DAY_MS, missing, widthFor } from './partitions.ts';

const PERIOD_MS = 10 * 60_000;
/** A limit that was not named again for so long no longer counts. */
const LIMIT_LIFE_MS = DAY_MS;

/** Who knows how long rows are kept: the configuration, or the limits of agents. */
type Source = 'configuration' | 'agents';

/** Keeps the partitions of one table (README, "Postgres"). */
export interface Partitions {
  /** Says how long the rows that live longest are kept, ms; undefined: for ever. Narrow partitions suit a short life. */
  keeps(source: Source, kept_ms: number | undefined): void;
  /**
   * Drops partitions that end at `upTo` or before and in which `goes` holds for the newest row of every agent.
   * @returns how many; a partition that is in use elsewhere stays. @throws RpcError 103
   */
  drop(upTo: number, goes: (newest: NewestOfOwner) => boolean): Promise<number>;
}

/** A plain table: everything is left to the deletion of rows. */
export const PLAIN: Partitions = { keeps: () => undefined, drop: async () => 0 };

/** Makes the partitions of a table ahead of time, at the start and every ten minutes. */
export function keepPartitions(
  { clock, every, hooks, log }: Pick<Kernel, 'clock' | 'every' | 'hooks' | 'log'>,
  table: string,
  store: TimePartitions,
): Partitions {
  const kept = new Map<Source, { readonly kept_ms: number | undefined; readonly at: number }>();

  const shortest = (): number | undefined => {
    const after = clock.now() - LIMIT_LIFE_MS;
    const named = [...kept.values()].flatMap(({ kept_ms, at }) =>
      kept_ms === undefined || at < after ? [] : [kept_ms],
    );
    return named.length === 0 ? undefined : Math.min(...named);
  };
  const ahead = async (width: number, enough_ms: number) => {
    const look = await store.look();
    const now = clock.now();
    if (!look || coveredTo(look.partitions) >= now + enough_ms) return look;
    const change = await store.change(async ({ partitions }) => ({
      drop: [],
      create: missing(partitions, now, width),
    }));
    log.debug('partitions were made', { table, count: change.create.length });
    return look;
  };

  hooks.start.tap(async () => {
    try {
      // How long rows are kept is not known yet, and there is time to wait for it unless nothing is left.
      const look = await ahead(DAY_MS, DAY_MS);
      if (!look) log.warn('the table is not partitioned by time', { table });
    } catch (error) {
      log.warn('partitions could not be made; rows have their place without them', {
        table,
        error,
      });
    }
  });
  every('make partitions', PERIOD_MS, async () => {
    await ahead(widthFor(shortest()), 7 * DAY_MS);
  });

  const drop: Partitions['drop'] = async (upTo, goes) => {
    const look = await store.look();
    // A clock that is ahead must not cost the empty ones that were made for later.
    const last = Math.min(upTo, clock.now());
    let dropped = 0;
    for (const one of look?.partitions ?? []) {
      if (one.to - 1 > last || !look || !(await isOver(look, one, goes))) continue;
      try {
        if (!(await dropOne(store, one, goes))) continue;
        log.info('a partition was dropped', { table, partition: one.name });
        dropped++;
      } catch (error) {
        // A long read uses it: its rows are deleted, and it goes in a later round.
        log.warn('a partition could not be dropped', { table, partition: one.name, error });
      }
    }
    return dropped;
  };

  return { keeps: (source, kept_ms) => void kept.set(source, { kept_ms, at: clock.now() }), drop };
}

/** What covers all earlier times stays when it is empty: it would only be made again. */
async function isOver(
  look: PartitionView,
  partition: TimePartition,
  goes: (newest: NewestOfOwner) => boolean,
): Promise<boolean> {
  const rows = await look.newest(partition);
  if (partition.from === -Infinity && rows.length === 0) return false;
  return rows.every(goes);
}

const NOTHING: PartitionChange = { drop: [], create: [] };

/** Looks again while nothing else writes: a late row may have come. */
async function dropOne(
  store: TimePartitions,
  { name, to }: TimePartition,
  goes: (newest: NewestOfOwner) => boolean,
): Promise<boolean> {
  const change = await store.change(async (look) => {
    const found = look.partitions.find((one) => one.name === name && one.to === to);
    return found && (await isOver(look, found, goes)) ? without(look, found) : NOTHING;
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

import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Space, SqlValue } from '@svc/plugin-sdk/sql';

/** Pages of all tables together that are looked at: the error is some two per cent, and few pages are looked at as a whole. */
const SAMPLE_PAGES = 2_000;
/** Share of a full page that rows take: the rest is headers, line pointers and what no further row fits into. */
const FULL = 0.95;

type Read = <Row extends object>(sql: string, params?: readonly SqlValue[]) => Promise<Row[]>;

/** The tables that hold rows: for a partitioned one its partitions. */
const LEAVES = `select c.oid::regclass::text as name, pg_total_relation_size(c.oid) as total,
    pg_table_size(c.oid) as own, pg_relation_size(c.oid) / current_setting('block_size')::int as pages
  from pg_class c where c.relkind = 'r' and (c.oid in (select to_regclass(t) from g)
    or c.oid in (select inhrelid from pg_inherits where inhparent in (select to_regclass(t) from g)))`;

interface Leaf {
  readonly name: string;
  readonly total: number;
  readonly own: number;
  readonly pages: number;
}

/**
 * Sizes of relations. Deleted rows leave free places, which later rows take and which only dropped partitions give
 * back: above `enough` the rows of some pages tell how much of each table is in use.
 */
export const openSpace = (read: Read): Space => ({
  async used(tables, enough) {
    const given = 'with g (t) as (select value from json_array_elements_text(cast(? as json)))';
    const leaves = await read<Leaf>(`${given} ${LEAVES}`, [JSON.stringify(tables)]);
    const rough = leaves.reduce((sum, { total }) => sum + Number(total), 0);
    if (rough <= enough) return rough;
    const pages = leaves.reduce((sum, leaf) => sum + Number(leaf.pages), 0);
    const percent = Math.min(100, (100 * SAMPLE_PAGES) / pages);
    let used = 0;
    for (const leaf of leaves) used += leaf.pages > 0 ? await usedOf(leaf, percent, read) : 0;
    return Math.round(used);
  },

  /** Seen where the database runs on this machine and lets its user know its directory. */
  disk: async () => (await diskOf(read))?.size,
  free: async () => (await diskOf(read))?.free,

  giveBack: async () => false,
});

async function usedOf({ name, total, own }: Leaf, percent: number, read: Read): Promise<number> {
  // `name` comes quoted from the database.
  const [rows] = await read<{ bytes: number }>(
    `select coalesce(sum(pg_column_size(t.*)), 0) as bytes from ${name} t tablesample system (${percent.toFixed(6)})`,
  );
  const held = (Number(rows?.bytes ?? 0) * 100) / percent;
  return Number(total) * Math.min(1, held / FULL / Number(own));
}

interface Disk {
  readonly size: number;
  readonly free: number;
}

async function diskOf(read: Read): Promise<Disk | undefined> {
  const [found] = await read<{ directory: string }>(
    `select setting as directory from pg_settings
      where name = 'data_directory' and inet_client_addr() is not distinct from inet_server_addr()`,
  );
  return found && (await roomOf(found.directory));
}

async function roomOf(directory: string): Promise<Disk | undefined> {
  // It may be another user's own; the directory above lies on the same disk.
  for (const path of [directory, dirname(directory)]) {
    const found = await statfs(path).catch(() => undefined);
    if (found) return { size: found.blocks * found.bsize, free: found.bavail * found.bsize };
  }
  return undefined;
}

import type { Space } from '@svc/plugin-sdk/sql';
import type Sqlite from 'better-sqlite3';
import { pragmaNumber } from './pragma.ts';
import { diskBytes, freeBytes } from './reserve.ts';
import type { Writer } from './writer.ts';

/** Pages of one step: other writes wait some milliseconds for it. */
const STEP_PAGES = 128;
/** One of so many pages may stay free: the next rows take them. */
const SPARE = 32;
const INCREMENTAL = 2;

const USED = `select (p.page_count - f.freelist_count) * s.page_size as used
  from pragma_page_count p, pragma_freelist_count f, pragma_page_size s`;

/** The pages in use. Above `enough` those of other tables are left out, as far as `tableSizes` knows them; their indexes count. */
export const openSpace = (
  file: string,
  writer: Writer,
  read: (sql: string) => { used: number } | undefined,
): Space => ({
  async used(tables, enough) {
    const all = read(USED)?.used ?? 0;
    if (all <= enough) return all;
    const others = (await writer.sizes()).filter(({ name }) => !tables.includes(name));
    return others.reduce((left, { bytes }) => left - bytes, all);
  },
  disk: () => diskBytes(file),
  free: () => freeBytes(file),
  giveBack: () => writer.shrink(),
});

/**
 * Runs in the writer thread: moves some pages from the end of the file into free places and cuts the end off. A file that
 * was made without this option keeps its size. @returns whether there is more to do
 */
export function giveBack(db: Sqlite.Database): boolean {
  const number = (pragma: string) => pragmaNumber(db, pragma);
  if (number('auto_vacuum') !== INCREMENTAL) return false;
  const left = number('freelist_count') - Math.ceil(number('page_count') / SPARE);
  if (left <= 0) return false;
  db.pragma(`incremental_vacuum(${Math.min(left, STEP_PAGES)})`);
  if (left > STEP_PAGES) return true;
  // Only then is the file itself shorter; it waits for no reader.
  db.pragma('wal_checkpoint(PASSIVE)');
  return false;
}

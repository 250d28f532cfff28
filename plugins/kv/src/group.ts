import { RpcError } from '@svc/plugin-sdk';
import type { Fate, Row } from './store/writes.ts';

/** Most values of one commit, and about how many characters. */
const BATCH_ROWS = 256;
const BATCH_LENGTH = 2 ** 20;
/** Values that may wait, and their characters; beyond, callers are refused. */
const CAPACITY = 20_000;
const CAPACITY_LENGTH = 2 ** 26;
/** A batch that failed is tried value by value for this long; then the rest fails too. */
const RETRY_MS = 10_000;

interface Waiting {
  readonly row: Row;
  resolve(fate: Fate): void;
  reject(error: unknown): void;
}

/** Stores one value. @throws RpcError 103 */
export type SetValue = (row: Row) => Promise<Fate>;

/** Stores values of distinct keys in one commit. @returns what became of each */
export type StoreBatch = (rows: readonly Row[]) => Promise<readonly Fate[]>;

/**
 * Groups values that are set at the same time into one commit: the next batch leaves when the one before is stored, so
 * batches grow with the load. A promise resolves after the commit that holds its value.
 */
export function groupSets(store: StoreBatch): SetValue {
  let waiting: Waiting[] = [];
  /** Characters of the values that wait or are being stored. */
  let length = 0;
  let busy = false;

  const run = async () => {
    busy = true;
    // Values that arrive in this turn of the event loop join the first batch.
    await new Promise(setImmediate);
    while (waiting.length > 0) {
      const count = batchOf(waiting);
      const batch = waiting.slice(0, count);
      waiting = waiting.slice(count);
      await storeBatch(store, batch);
      for (const { row } of batch) length -= row.value.length;
    }
    busy = false;
  };

  return (row) => {
    // A value that is alone is always accepted.
    if (waiting.length >= CAPACITY || (length > 0 && length + row.value.length > CAPACITY_LENGTH)) {
      return Promise.reject(RpcError.database('too many values wait to be stored'));
    }
    length += row.value.length;
    return new Promise((resolve, reject) => {
      waiting.push({ row, resolve, reject });
      if (!busy) void run();
    });
  };
}

function batchOf(waiting: readonly Waiting[]): number {
  let count = 0;
  let length = 0;
  for (const { row } of waiting) {
    length += row.value.length;
    if (count === BATCH_ROWS || (count > 0 && length > BATCH_LENGTH)) break;
    count++;
  }
  return count;
}

/**
 * Never rejects. A batch that failed is tried value by value, so that only the values at fault are refused. So is a
 * value for which its namespace had no room: others of the batch, refused themselves, may have counted.
 */
async function storeBatch(store: StoreBatch, batch: readonly Waiting[]): Promise<void> {
  // Of values set at the same time for one key, the last one stays.
  const last = new Map(batch.map(({ row }) => [placeOf(row), row]));
  try {
    const rows = [...last.values()];
    const fates = await store(rows);
    const fateOf = new Map([...last.keys()].map((place, at) => [place, fates[at] as Fate]));
    for (const one of batch) {
      const fate = fateOf.get(placeOf(one.row)) as Fate;
      if (fate === 'full' && rows.length > 1) await storeBatch(store, [one]);
      else one.resolve(fate);
    }
  } catch (error) {
    const end = performance.now() + RETRY_MS;
    for (const one of batch) {
      if (batch.length === 1 || performance.now() > end) one.reject(error);
      else await storeBatch(store, [one]);
    }
  }
}

const placeOf = ({ namespace, key }: Row): string => JSON.stringify([namespace, key]);

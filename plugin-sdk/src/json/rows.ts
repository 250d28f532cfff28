import { setImmediate as nextTurn } from 'node:timers/promises';
import { RpcError } from '../errors.ts';

/** Rows between two looks at the clock. */
const STEP = 64;
/** Other calls get their turn after this much work, ms. */
const SLICE_MS = 8;

/**
 * Rows as one JSON array, in slices that leave the event loop to others; `rowText` gives the JSON text of one row.
 * @throws RpcError -32008 as soon as the text is longer than `limit` characters
 */
export async function jsonRows<Row>(
  rows: readonly Row[],
  rowText: (row: Row) => string,
  limit: number,
): Promise<string> {
  const parts: string[] = [];
  let length = 2;
  let since = performance.now();
  for (let at = 0; at < rows.length; at += STEP) {
    const part = rows
      .slice(at, at + STEP)
      .map(rowText)
      .join(',');
    length += part.length + 1;
    if (length > limit) throw RpcError.responseTooBig(limit);
    parts.push(part);
    if (performance.now() - since < SLICE_MS) continue;
    await nextTurn();
    since = performance.now();
  }
  return `[${parts.join(',')}]`;
}

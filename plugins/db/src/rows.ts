import { setImmediate as nextTurn } from 'node:timers/promises';
import { RpcError } from '@svc/plugin-sdk';
import { cellText } from './values.ts';

/** Rows between two looks at the clock. */
const STEP = 64;
/** After this much work other calls get their turn, ms. */
const SLICE_MS = 8;

type Row = { readonly [column: string]: unknown };

/**
 * Rows as one JSON array, in slices that leave the event loop to others.
 * @throws RpcError -32008 as soon as the text is longer than `limit`
 */
export async function rowsText(rows: readonly Row[], limit: number): Promise<string> {
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

function rowText(row: Row): string {
  const members: string[] = [];
  for (const column in row) members.push(`${JSON.stringify(column)}:${cellText(row[column])}`);
  return `{${members.join(',')}}`;
}

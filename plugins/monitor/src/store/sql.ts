import type { Database } from '@svc/plugin-sdk';
import { asString } from '@svc/plugin-sdk/json';
import { guarded, type QueryBuilder, rowsOf, type SqlValue } from '@svc/plugin-sdk/sql';

const MOST_BYTES = 64 * 2 ** 20;
/** Rows of one statement that writes. */
export const BATCH_ROWS = 200;
/** Rows of one statement that deletes. */
export const SLICE_ROWS = 1_000;

/** A read with the names of its columns, separated by commas. */
export interface Read {
  readonly columns: string;
  readonly sql: string;
  readonly params: readonly SqlValue[];
  /** Tells that the read looks at more than its answer holds, so that it never runs on the main thread. */
  readonly long?: boolean;
}

/** Reads rows away from the event loop where they are many. @throws RpcError 103 */
export function readRows<Row>(
  db: Database,
  { columns, sql, params, long = false }: Read,
): Promise<Row[]> {
  const members = columns.split(',').map((name) => `'${name.trim()}', t.${name.trim()}`);
  const row =
    db.dialect === 'sqlite' ? `json_object(${members.join(', ')})` : 'cast(row_to_json(t) as text)';
  return guarded('monitors could not be read', async () => {
    const { text } = await db.jsonArray(`select ${row} from (${sql}) t`, params, {
      maxBytes: MOST_BYTES,
      ...(long ? {} : { short: 'try' }),
    });
    return JSON.parse(asString(text)) as Row[];
  });
}

/** Runs a statement that writes and returns rows. @throws RpcError 103 */
export const writeRows = <Row = object>(
  on: QueryBuilder,
  text: string,
  params: readonly SqlValue[],
): Promise<Row[]> =>
  guarded('monitors could not be changed', () => rowsOf<Row>(on, { text, params }));

/** Returns the items in pieces, in their order. */
export function* slices<T>(all: readonly T[], size: number = BATCH_ROWS): Iterable<T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}

/** SQL: a member of each element of a JSON array of arrays, by its place. */
export const member = (place: number, type: string): string =>
  type === 'text' ? `v.value ->> ${place}` : `cast(v.value ->> ${place} as ${type})`;

/** SQL condition that a column of ids is in a parameter that is a JSON array. */
export const among = ({ forms }: Database, column: string): string =>
  `${column} in (select cast(v.value as bigint) from ${forms.elementTexts} as v)`;

/** Characters of a text of a failure at most. */
const MOST_TEXT = 300;

/** Returns a text that every database holds, cut to its length. */
export const storable = (text: string): string =>
  text.replaceAll('\0', '').slice(0, MOST_TEXT).toWellFormed();

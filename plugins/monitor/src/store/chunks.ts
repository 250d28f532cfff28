import type { Database } from '@svc/plugin-sdk';
import { guarded, type SqlValue } from '@svc/plugin-sdk/sql';
import { DOWN, UP } from '../types.ts';
import { decode, type PackedResult } from './pack.ts';
import { readRows } from './sql.ts';

/** Chunks of one read: short bodies, read on SQLite's main thread. */
export const CHUNK_ROWS = 16;

/** Result with its place. */
export interface PlaceResult extends PackedResult {
  readonly place_id: number;
}

export interface Chunk {
  readonly monitor_id: number;
  readonly place_id: number;
  readonly hour: number;
  readonly body: Uint8Array;
}

/** Row of `monitor_result`. */
export interface ResultRow {
  readonly at: number;
  readonly place_id: number;
  readonly state: number | null;
  readonly ms: number | null;
  readonly code: number | null;
  readonly detail_id: number | null;
}

const RESULT = 'at, place_id, state, ms, code, detail_id';

/** Returns the column `state` of a result. */
export const stateOf = (ok: boolean | null): number | null => (ok === null ? null : ok ? UP : DOWN);

/** Returns what the column `state` of a result says. */
export const okOf = (state: number | null): boolean | null =>
  state === null ? null : state === UP;

const resultOf = ({ state, ...row }: ResultRow): PlaceResult => ({
  ...row,
  at: Number(row.at),
  ok: okOf(state),
  detail_id: row.detail_id === null ? null : Number(row.detail_id),
});

/** Reads rows of one monitor that are not packed. `rest` is the SQL behind `where monitor_id = ?`. */
export async function rowsOfMonitor(
  db: Database,
  monitor_id: number,
  rest: string,
  params: readonly SqlValue[],
): Promise<PlaceResult[]> {
  const sql = `select ${RESULT} from monitor_result where monitor_id = ? ${rest}`;
  const found = { columns: RESULT, sql, params: [monitor_id, ...params] };
  return (await readRows<ResultRow>(db, found)).map(resultOf);
}

/** Reads some chunks; `rest` is the SQL behind `from monitor_chunk`. Keep the answer short. */
export const chunksOf = (
  db: Database,
  rest: string,
  params: readonly SqlValue[],
): Promise<Chunk[]> =>
  guarded('results could not be read', () =>
    db.all<Chunk>(`select monitor_id, place_id, hour, body from monitor_chunk ${rest}`, params),
  );

/** Unpacks chunks one after the other. */
export async function unpacked(chunks: readonly Chunk[]): Promise<PlaceResult[]> {
  const found: PlaceResult[] = [];
  for (const { hour, body, place_id } of chunks)
    for (const result of await decode(hour, body)) found.push({ ...result, place_id });
  return found;
}

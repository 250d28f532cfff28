import type pg from 'pg';
import type { CursorResult } from 'pg-cursor';
import { type PgConnection, SafeCursor } from './quirks.ts';

export interface Chunk {
  readonly rows: unknown[][];
  readonly result: CursorResult | undefined;
}

/**
 * Reads rows in pieces of at most `size` until `take` says false or they end. Leaves the connection ready.
 * @throws the driver's error
 */
export async function readInChunks(
  connection: PgConnection,
  query: {
    sql: string;
    values: readonly unknown[];
    /** Type ids of the values. */
    valueTypes: readonly number[];
    types: pg.CustomTypesConfig;
    size: number;
  },
  onChunk: (chunk: Chunk) => boolean,
): Promise<void> {
  const cursor = new SafeCursor(query.sql, query.values, { rowMode: 'array', types: query.types });
  cursor.valueTypes = query.valueTypes;
  connection.query(cursor);
  try {
    for (let more = true; more; ) {
      const chunk = await read(cursor, query.size);
      more = onChunk(chunk) && chunk.rows.length > 0;
    }
    await cursor.close();
  } finally {
    cursor.callback();
  }
}

const read = (cursor: SafeCursor, size: number): Promise<Chunk> =>
  new Promise((resolve, reject) => {
    cursor.read(size, (error, rows, result) => (error ? reject(error) : resolve({ rows, result })));
  });

import { type Logger, RawJson, RpcError, type SqlValue } from '@svc/plugin-sdk';
import { type PgPool, spoil } from './connection.ts';
import { readInChunks } from './cursor.ts';
import { numbered } from './placeholders.ts';
import { rawTypes } from './types.ts';

/** So small that a piece of large rows stays small, so large that small rows need few round trips. */
const CHUNK_ROWS = 500;
const READ_TIMEOUT_MS = 60_000;

export interface JsonArrayOptions {
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

/** The texts of the first column as one JSON array. @throws RpcError -32008 past `maxBytes`, without reading on */
export function jsonArray(
  pool: PgPool,
  sql: string,
  params: readonly SqlValue[],
  { maxBytes, signal }: JsonArrayOptions,
  log: Logger,
): Promise<RawJson> {
  return pool.use(async (connection) => {
    signal?.throwIfAborted();
    const parts: string[] = [];
    let length = 1;
    const late = new Error(`the read was ended after ${READ_TIMEOUT_MS} ms`);
    const wall = setTimeout(() => spoil(connection, late), READ_TIMEOUT_MS);
    const release = pool.cancelOnAbort(connection, signal, log);
    try {
      const query = { sql: numbered(sql), values: params, types: rawTypes, size: CHUNK_ROWS };
      await readInChunks(connection, query, ({ rows }) => {
        for (const [text] of rows) {
          parts.push(String(text));
          length += String(text).length + 1;
        }
        return length <= maxBytes && !signal?.aborted;
      });
    } finally {
      clearTimeout(wall);
      await release();
    }
    signal?.throwIfAborted();
    const joined = length <= maxBytes ? `[${parts.join(',')}]` : '';
    if (joined === '' || Buffer.byteLength(joined) > maxBytes)
      throw RpcError.responseTooBig(maxBytes);
    return new RawJson(joined);
  });
}

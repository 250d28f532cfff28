import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Logger, RpcError } from '@svc/plugin-sdk';
import { RawJson } from '@svc/plugin-sdk/json';
import type { SqlValue } from '@svc/plugin-sdk/sql';
import type { PgPool } from './connection.ts';
import { numbered } from './placeholders.ts';
import { type PgConnection, spoil, TextQuery } from './quirks.ts';

const READ_TIMEOUT_MS = 60_000;
/** Characters of an answer that is put together in one turn, and turned into bytes, once, in another: each takes a millisecond for a megabyte. */
const LONG_TEXT = 1_000_000;

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
    const late = new Error(`the read was ended after ${READ_TIMEOUT_MS} ms`);
    const wall = setTimeout(() => spoil(connection, late), READ_TIMEOUT_MS);
    const release = pool.cancelOnAbort(connection, signal, log);
    try {
      const text = await readTexts(connection, numbered(sql), params, maxBytes);
      if (text.length > LONG_TEXT) await nextTurn();
      const json = text.length > LONG_TEXT ? Buffer.from(text) : text;
      if (Buffer.byteLength(json) > maxBytes) throw RpcError.responseTooBig(maxBytes);
      return new RawJson(json);
    } finally {
      clearTimeout(wall);
      await release();
    }
  });
}

function readTexts(
  connection: PgConnection,
  text: string,
  params: readonly SqlValue[],
  maxBytes: number,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const query: TextQuery = new TextQuery({ text, values: [...params] }, (error) => {
      // The end of the rows may have come in the same packet as the row that was too much.
      if (query.room < 0) reject(RpcError.responseTooBig(maxBytes));
      else if (error) reject(error);
      else resolve(`[${query.texts.join(',')}]`);
    });
    query.room = maxBytes;
    // The database has more to send and nothing waits for it: only the end of the connection stops it at once.
    query.onFull = () => spoil(connection, RpcError.responseTooBig(maxBytes));
    connection.query(query);
  });
}

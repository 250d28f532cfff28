import { type Logger, RawJson, RpcError, type SqlValue } from '@svc/plugin-sdk';
import pg from 'pg';
import { type PgConnection, type PgPool, spoil } from './connection.ts';
import { numbered } from './placeholders.ts';

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
    const late = new Error(`the read was ended after ${READ_TIMEOUT_MS} ms`);
    const wall = setTimeout(() => spoil(connection, late), READ_TIMEOUT_MS);
    const release = pool.cancelOnAbort(connection, signal, log);
    try {
      const text = await readTexts(connection, numbered(sql), params, maxBytes);
      if (Buffer.byteLength(text) > maxBytes) throw RpcError.responseTooBig(maxBytes);
      return new RawJson(text);
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
    // The database has more to send and would do so for nobody: only the end of the connection stops it at once.
    query.onFull = () => spoil(connection, RpcError.responseTooBig(maxBytes));
    connection.query(query);
  });
}

/** Takes the rows as they come, without a round trip per piece and without making a row of each. */
class TextQuery extends pg.Query {
  readonly texts: string[] = [];
  room = 0;
  onFull = (): void => undefined;

  /** Called by the driver. A character is at least one byte, so this never stops too early. */
  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.room < 0) return;
    const text = fields[0] ?? 'null';
    this.room -= text.length + 1;
    if (this.room < 0) this.onFull();
    else this.texts.push(text);
  }
}

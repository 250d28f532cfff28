import type { Logger } from '@svc/plugin-sdk';
import { COUNTED_ROWS, codeOf, KEPT_BYTES, sizeOfValues, toExecuted } from '@svc/plugin-sdk/driver';
import type { CallerValue, Executed } from '@svc/plugin-sdk/sql';
import type { PgPool } from './connection.ts';
import { type Chunk, readInChunks } from './cursor.ts';
import { isSpoiled, type PgConnection, spoil } from './quirks.ts';
import { typedValues } from './typed-values.ts';
import { calledTypes } from './types.ts';

const CHUNK_ROWS = 1_000;
/** The database ends the statement itself; this much later it is taken for dead. */
const GRACE_MS = 2_000;

export interface ExecuteOptions {
  readonly maxRows: number;
  readonly timeout_ms: number;
  readonly signal?: AbortSignal;
  /** The caller. */
  readonly share?: string;
  /** Tells whether nothing is changed, whatever the text calls. */
  readonly readonly?: boolean;
}

/** Runs one statement of a caller on a pooled connection, which is cleaned afterwards. @throws the driver's error */
export function execute(
  pool: PgPool,
  sql: string,
  values: readonly CallerValue[],
  options: ExecuteOptions,
  log: Logger,
): Promise<Executed> {
  return pool.use(async (connection) => {
    options.signal?.throwIfAborted();
    const until = Date.now() + options.timeout_ms;
    const late = new Error(`the statement was ended after ${options.timeout_ms} ms`);
    const wall = setTimeout(() => spoil(connection, late), options.timeout_ms + GRACE_MS);
    const release = pool.cancelOnAbort(connection, options.signal, log);
    try {
      await connection.query(`set statement_timeout = ${Math.ceil(options.timeout_ms)}`);
      // The first statement takes the snapshot, after which no text makes the transaction writable.
      if (options.readonly) await connection.query('begin read only; select 1');
      return await pool.alarm.watch(run(connection, sql, values, options.maxRows));
    } catch (error) {
      options.signal?.throwIfAborted();
      // The database's own word for it may be in any language; its code also stands for other ends.
      throw codeOf(error) === '57014' && Date.now() >= until ? late : error;
    } finally {
      clearTimeout(wall);
      await release();
      await clean(pool, connection, log);
    }
  });
}

async function run(
  connection: PgConnection,
  sql: string,
  values: readonly CallerValue[],
  maxRows: number,
): Promise<Executed> {
  const rows: unknown[][] = [];
  let last: Chunk['result'];
  let rowCount = 0;
  let bytes = 0;
  const query = { sql, ...typedValues(sql, values), types: calledTypes, size: CHUNK_ROWS };
  await readInChunks(connection, query, (chunk) => {
    last = chunk.result ?? last;
    rowCount += chunk.rows.length;
    for (const row of chunk.rows) {
      if (rows.length >= maxRows || bytes >= KEPT_BYTES) break;
      bytes += sizeOfValues(row);
      rows.push(row);
    }
    return rowCount < COUNTED_ROWS;
  });
  const columns = last?.fields.map((field) => field.name) ?? [];
  const affected = columns.length === 0 ? (last?.rowCount ?? 0) : 0;
  return toExecuted({ parts: [{ columns, rows }], rowCount, affected });
}

/** Foreign SQL may leave a transaction, settings, locks or temporary tables: none may reach the next user. */
async function clean(pool: PgPool, connection: PgConnection, log: Logger): Promise<void> {
  if (isSpoiled(connection)) return;
  try {
    await connection.query('rollback');
    await connection.query('discard all');
    await pool.init(connection);
  } catch (error) {
    log.warn('A connection could not be cleaned and is dropped.', { error });
    spoil(connection, error as Error);
  }
}

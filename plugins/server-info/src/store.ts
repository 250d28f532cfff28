import { type Database, RpcError } from '@svc/plugin-sdk';
import type { CallerValue, Executed } from '@svc/plugin-sdk/sql';
import { DISK_FULL, isDiskFull } from '@svc/plugin-sdk/util';

/**
 * Bytes per table of the main database, sorted by name, read away from the event loop (svc-server.md §8).
 * @throws RpcError 103
 */
export async function tableSizes(
  db: Database,
): Promise<{ tables: Record<string, number>; total: number }> {
  const sizes = await db.tableSizes().catch((error: unknown) => {
    throw RpcError.database(driverText(error), { cause: error });
  });
  return {
    tables: Object.fromEntries(sizes.map(({ name, bytes }) => [name, bytes])),
    total: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/**
 * SQL of a caller on the main database.
 * @throws RpcError 999 with the driver's text
 */
export async function runSql(
  execute: Database['execute'],
  sql: string,
  params: readonly CallerValue[],
  options: { maxRows: number; timeout_ms: number; signal: AbortSignal; share: string },
): Promise<Executed> {
  try {
    return await execute(sql, params, options);
  } catch (error) {
    // No cause: the mistake is in the caller's SQL, so the operator's log does not need it.
    throw RpcError.other(driverText(error), isDiskFull(error) ? { data: DISK_FULL } : {});
  }
}

/** The driver's text, without the class prefix that the database layer may have added. */
function driverText(error: unknown): string {
  const said = error instanceof RpcError ? (error.cause ?? error) : error;
  return (said instanceof Error ? said.message : String(said)).replace(/^Database error: /, '');
}

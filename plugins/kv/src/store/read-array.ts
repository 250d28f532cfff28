import { type Database, type RawJson, RpcError } from '@svc/plugin-sdk';

export interface ReadLimits {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export interface ArrayRead {
  readonly sql: string;
  readonly params: readonly string[];
  /** What the SQL walks through is small, unless its answer is large. */
  readonly few: boolean;
}

/** An answer of this size is read in a few milliseconds. */
const SHORT_BYTES = 512 * 1024;
const TOO_BIG = -32008;

/**
 * A JSON array that is read on this thread as long as it stays small, and otherwise from the start away from the event loop.
 * @throws RpcError -32008 past `maxBytes`
 */
export async function readArray(
  db: Database,
  { sql, params, few }: ArrayRead,
  limits: ReadLimits,
): Promise<RawJson> {
  if (few && db.dialect === 'sqlite') {
    try {
      const maxBytes = Math.min(SHORT_BYTES, limits.maxBytes);
      return await db.jsonArray(sql, params, { ...limits, maxBytes, short: true });
    } catch (error) {
      if (!(error instanceof RpcError) || error.code !== TOO_BIG) throw error;
      if (limits.maxBytes <= SHORT_BYTES) throw error;
    }
  }
  return db.jsonArray(sql, params, limits);
}

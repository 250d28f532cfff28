import type { Database } from '@svc/plugin-sdk';
import type { RawJson } from '@svc/plugin-sdk/json';

export interface ReadLimits {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** The caller for whom it reads. */
  readonly share: string;
}

export interface ArrayRead {
  readonly sql: string;
  readonly params: readonly string[];
  /** The SQL walks through few rows, unless its answer is large. */
  readonly few: boolean;
}

/**
 * A JSON array. What is small may be read on this thread as long as its answer stays short.
 * @throws RpcError -32008 past `maxBytes`
 */
export const readArray = (
  db: Database,
  { sql, params, few }: ArrayRead,
  limits: ReadLimits,
): Promise<RawJson> =>
  db.jsonArray(sql, params, { ...limits, ...(few && { short: 'try' as const }) });

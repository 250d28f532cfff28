import type { PackedRows } from './batch.ts';

/** One statement of knex. */
export interface QueryRequest {
  readonly id: number;
  readonly kind: 'query';
  readonly sql: string;
  readonly params: readonly unknown[];
}

/** Rows of one table, and the statement that inserts one. */
export type BatchPart = PackedRows & { readonly sql: string };

/** Rows of appenders: stored in one transaction, refused ones left out. */
export interface BatchRequest {
  readonly id: number;
  readonly kind: 'batch';
  readonly parts: readonly BatchPart[];
}

/**
 * `hold`: another process is about to write, batches wait until `release`. `full`: that process found the disk full.
 * `sizes`: bytes of each table. `shrink`: one small step, answered with whether there is more to do. `close`: nothing
 * comes after it.
 */
export interface ControlRequest {
  readonly id: number;
  readonly kind: 'hold' | 'release' | 'full' | 'sizes' | 'shrink' | 'close';
}

export type WriterRequest = QueryRequest | BatchRequest | ControlRequest;
export type QueryAnswer =
  | { readonly rows: object[] }
  | { readonly changes: number; readonly lastID: unknown };
/** `[part, index, message, code]` of each refused row. */
export type BatchAnswer = readonly (readonly [number, number, string, string])[];

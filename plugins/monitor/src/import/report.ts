import { RpcError } from '@svc/plugin-sdk';
import type { Item, ItemType } from './types.ts';

export const OUTCOMES = [
  ...(['made', 'differently', 'not_made', 'there'] as const),
  ...(['switched_on', 'kept', 'deleted'] as const),
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** What became of one item. */
export interface Made {
  readonly outcome: Outcome;
  /** Its name here; null: it is not here. */
  readonly as: string | null;
  /** What differs, or why it is not made. */
  readonly notes: readonly string[];
}

export interface Row extends Made {
  readonly item: string;
  readonly type: ItemType;
  readonly name: string;
  readonly was: string;
  /** Kind of what is made; empty where nothing says so. */
  readonly kind: string;
}

/** What became of a file. */
export interface Report {
  readonly format: string;
  readonly source: string;
  readonly rows: readonly Row[];
  readonly rewritings: readonly { readonly from: string; readonly to: string }[];
}

export const rowOf = (
  { id, type, name, was, make }: Pick<Item, 'id' | 'type' | 'name' | 'was' | 'make'>,
  made: Made,
): Row => ({ ...{ item: id, type, name, was, kind: String(make?.['kind'] ?? '') }, ...made });

const [DENIED, DATABASE] = [102, 103];

export const isDenied = (error: unknown): boolean =>
  error instanceof RpcError && error.code === DENIED;

/** Returns why something could not be done, for faults of the caller. @throws what is a fault of the server */
export function reasonOf(error: unknown): string {
  if (!(error instanceof RpcError) || error.code === DATABASE) throw error;
  return error.message.replace(/^[A-Z][\w ]{0,40}: /, '');
}

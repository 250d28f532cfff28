import { RawJson } from '@svc/plugin-sdk/json';
import type { CallerValue } from '@svc/plugin-sdk/sql';

const INT8 = 20;
const FLOAT8 = 701;
const BOOL = 16;
const BYTEA = 17;
const JSONB = 3802;
/** The database takes the type that fits the place. */
const UNTYPED = 0;

/**
 * Values of a caller's statement with the ids of their types (svc-server.md §12): without a type `$1` alone is
 * text, and 9 is greater than 10.
 */
export function typedValues(
  sql: string,
  values: readonly CallerValue[],
): { values: unknown[]; valueTypes: number[] } {
  return {
    values: values.map((value) => (value instanceof RawJson ? String(value.text) : value)),
    // A value without a place is refused by the database, which would take it silently if it knew its type.
    valueTypes: values.slice(0, highestPlace(sql)).map(typeOf),
  };
}

/** The greatest N of `$N`; one in a text or comment counts, too: it only costs the refusal of a value without a place. */
function highestPlace(sql: string): number {
  let highest = 0;
  for (const [, number] of sql.matchAll(/\$(\d+)/g)) highest = Math.max(highest, Number(number));
  return highest;
}

function typeOf(value: CallerValue): number {
  if (typeof value === 'bigint') return INT8;
  if (typeof value === 'number') return FLOAT8;
  if (typeof value === 'boolean') return BOOL;
  if (value instanceof RawJson) return JSONB;
  return value instanceof Uint8Array ? BYTEA : UNTYPED;
}

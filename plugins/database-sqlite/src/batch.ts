import type { SqlValue } from '@svc/plugin-sdk/sql';

const NUMBER = 0;
const NULL = 1;
const TEXT = 2;
const OTHER = 3;

/**
 * Rows packed for the writer thread: two buffers that move and one string, which is copied in one piece.
 * Copying rows cell by cell costs the main thread several times as much.
 */
export interface PackedRows {
  readonly rows: number;
  readonly width: number;
  /** One per cell: number, null, text, other. */
  readonly kinds: Uint8Array;
  /** The number, the length of the text, or the place in `others`. */
  readonly numbers: Float64Array;
  /** All texts, in order. */
  readonly text: string;
  /** Long integers and bytes. */
  readonly others: readonly unknown[];
}

export function packRows(rows: readonly (readonly SqlValue[])[], width: number): PackedRows {
  const kinds = new Uint8Array(rows.length * width);
  const numbers = new Float64Array(rows.length * width);
  const texts: string[] = [];
  const others: unknown[] = [];
  let at = 0;
  for (const row of rows) {
    for (let column = 0; column < width; column++, at++) {
      const value = row[column];
      if (typeof value === 'number') {
        numbers[at] = value;
      } else if (value === null || value === undefined) {
        kinds[at] = NULL;
      } else if (typeof value === 'string') {
        kinds[at] = TEXT;
        numbers[at] = value.length;
        texts.push(value);
      } else if (typeof value === 'boolean') {
        numbers[at] = value ? 1 : 0;
      } else {
        kinds[at] = OTHER;
        numbers[at] = others.length;
        others.push(value);
      }
    }
  }
  return { rows: rows.length, width, kinds, numbers, text: texts.join(''), others };
}

/** Calls `visit` with each row in turn; the array is the same one each time. */
export function eachRow(packed: PackedRows, visit: (row: unknown[], index: number) => void): void {
  const { kinds, numbers, text, others, width } = packed;
  const row = new Array<unknown>(width);
  let at = 0;
  let from = 0;
  for (let index = 0; index < packed.rows; index++) {
    for (let column = 0; column < width; column++, at++) {
      const number = numbers[at] as number;
      switch (kinds[at]) {
        case NUMBER:
          row[column] = number;
          break;
        case TEXT:
          row[column] = text.slice(from, from + number);
          from += number;
          break;
        case OTHER:
          row[column] = others[number];
          break;
        default:
          row[column] = null;
      }
    }
    visit(row, index);
  }
}

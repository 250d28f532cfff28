import type { Integer } from '@svc/plugin-sdk/sql';
import { type Row, STORAGE_TIME, TIMESTAMP } from './kinds.ts';
import { countedTime, isNewer } from './newest-rule.ts';

/**
 * The newest row of one agent. Numbers are copied into one array that stays: as an object each row would live until the next
 * report, which is long enough to be moved among V8's old objects, and to be garbage there, where it is collected last.
 */
export class Newest {
  /** Row as an object; undefined: in `#numbers`, and not asked for yet. null: the table holds no row of this agent. */
  #row: Row | null | undefined;
  /** NaN stands for null. */
  readonly #numbers: number[];

  /** `width`: columns of a kind whose rows are numbers, else 0. */
  constructor(row: Row | null, width: number) {
    this.#numbers = new Array<number>(width).fill(Number.NaN);
    this.#set(row);
  }

  /** Returns the row, as the same object until another row comes. */
  get row(): Row | null {
    if (this.#row === undefined) this.#row = this.#numbers.map(orNull);
    return this.#row;
  }

  /** One value of the row; undefined: there is none. */
  at(column: number): Row[number] | undefined {
    return this.#row === undefined ? orNull(this.#numbers[column]) : this.#row?.[column];
  }

  /** Takes over a row unless the present one is later; of equal ones this row, which arrived later. */
  arrived(row: Row): void {
    const timestamp = this.at(TIMESTAMP) as Integer | null | undefined;
    if (timestamp == null || isNewer(row, countedTime(timestamp, this.at(STORAGE_TIME))))
      this.#set(row);
  }

  #set(row: Row | null): void {
    this.#row = row && copied(row, this.#numbers) ? undefined : row;
  }
}

/** Copies a row of numbers. @returns false when there is no room, or a value is no number */
function copied(row: Row, numbers: number[]): boolean {
  if (numbers.length !== row.length) return false;
  for (let column = 0; column < row.length; column++) {
    const value = row[column];
    if (typeof value === 'number') numbers[column] = value;
    else if (value === null) numbers[column] = Number.NaN;
    else return false;
  }
  return true;
}

const orNull = (value: number | undefined): number | null =>
  value === undefined || Number.isNaN(value) ? null : value;

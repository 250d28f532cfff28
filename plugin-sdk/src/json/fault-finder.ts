import type { Fault } from '../hooks.ts';
import { faultOf } from './faults.ts';

/** Finds what is wrong with a value that comes in pieces, beyond its syntax: half of a surrogate pair counts before a number that no double holds. */
export class FaultFinder {
  fault: Fault | undefined;

  /** @param text the piece as it was parsed: escapes take long in a long one, so there the strings are asked */
  check(text: string, part: unknown): void {
    if (this.fault === 'half pair') return;
    const isLong = text.length > LONG_PIECE;
    const escaped = isLong && text.includes(ESCAPE) && !isWhole(part);
    if (escaped) this.fault = 'half pair';
    else if (!isLong) this.fault = faultOf(text) ?? this.fault;
    else if (hasInfinity(part)) this.fault = 'infinity';
  }
}

const ESCAPE = '\\u';
/** Characters; it holds a string or name that is at least half as long. */
export const LONG_PIECE = 256 * 1024;

/** Tells whether every string in a value is whole. */
function isWhole(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, member]) => name.isWellFormed() && isWhole(member));
}

/** Tells whether a number in a value was too large for a double. */
function hasInfinity(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === Infinity || value === -Infinity;
  return Object.values(value).some(hasInfinity);
}

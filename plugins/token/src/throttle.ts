import type { Clock } from '@svc/plugin-sdk';

/** Different wrong credentials that cost nothing. */
const FREE = 5;
const FIRST_WINDOW_MS = 250;
const LONGEST_WINDOW_MS = 10_000;
/** A pair without failures for this long is forgotten. */
const FORGET_MS = 600_000;
const PAIRS = 10_000;
const REMEMBERED = 8;

interface Failures {
  /** Different wrong credentials so far. */
  count: number;
  /** Attempts before this time are refused unseen. */
  until: number;
  last: number;
  /** Digest of a wrong credential → state of the records it was compared with. */
  readonly wrong: Map<string, number>;
}

/**
 * Slows down guessing per pair of name and address (auth.md §2). Only different credentials count: a machine that repeats
 * one old secret is refused from memory and delays no login, while a guesser waits up to ten seconds per guess.
 */
export class Throttle {
  readonly #clock: Clock;
  readonly #pairs = new Map<string, Failures>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `state` counts changes of the records: after one a known wrong credential is worth another look. */
  admits(pair: string, digest: string, state: number): boolean {
    const failures = this.#pairs.get(pair);
    if (!failures) return true;
    const now = this.#clock.now();
    if (now - failures.last > FORGET_MS) {
      this.#pairs.delete(pair);
      return true;
    }
    const wrong = failures.wrong.get(digest);
    if (wrong !== undefined) return wrong !== state;
    return now >= failures.until;
  }

  /** @returns true when this failure opened the first window */
  failed(pair: string, digest: string, state: number): boolean {
    const now = this.#clock.now();
    const failures = this.#take(pair);
    failures.last = now;
    const repeated = failures.wrong.delete(digest);
    failures.wrong.set(digest, state);
    if (repeated) return false;
    trim(failures.wrong, REMEMBERED);
    failures.count++;
    const over = failures.count - FREE;
    if (over <= 0) return false;
    failures.until = now + Math.min(FIRST_WINDOW_MS * 2 ** (over - 1), LONGEST_WINDOW_MS);
    return over === 1;
  }

  /** Takes back one `failed`: the credential was not looked at in the end. */
  forgive(pair: string, digest: string): void {
    const failures = this.#pairs.get(pair);
    if (failures?.wrong.delete(digest)) failures.count--;
  }

  succeeded(pair: string): void {
    this.#pairs.delete(pair);
  }

  /** The entry of a pair, moved to the young end: the table is bounded and forgets the oldest. */
  #take(pair: string): Failures {
    const known = this.#pairs.get(pair) ?? { count: 0, until: 0, last: 0, wrong: new Map() };
    this.#pairs.delete(pair);
    this.#pairs.set(pair, known);
    trim(this.#pairs, PAIRS);
    return known;
  }
}

function trim(map: Map<string, unknown>, size: number): void {
  for (const key of map.keys()) {
    if (map.size <= size) return;
    map.delete(key);
  }
}

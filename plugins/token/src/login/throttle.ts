import type { Clock } from '@svc/plugin-sdk';
import { FailureCounts } from './failure-counts.ts';

/** Different wrong credentials without a delay: for one name from one address, for one account, from one address. */
const FREE_FAILURES = { pair: 5, name: 50, address: 30 };
const PAIR_CELLS = 65_536;
const CELLS = 16_384;
/** Most wrong credentials that are remembered, so that a machine that repeats one delays nothing. */
const MAX_REMEMBERED = 10_000;
/** Most concurrent slow checks for one address that has not logged in with the name before. */
const MAX_CONCURRENT_CHECKS = 16;

/** Keyed digests of what an attempt is counted by. */
export interface Attempt {
  /** Name, mode and address. */
  readonly pair: string;
  /** Accounts only: their passwords may be weak, secrets are random. */
  readonly name: string | undefined;
  /** Accounts only. */
  readonly address: string | undefined;
  /** Digest of the whole credential. */
  readonly credential: string;
}

/**
 * Throttle for guesses (auth.md §2). Only different credentials count: a machine that repeats one old secret is refused
 * from memory and delays no login. Names that exist and names that do not are counted alike.
 */
export class Throttle {
  readonly #clock: Clock;
  readonly #pairs = new FailureCounts({ free: FREE_FAILURES.pair, cells: PAIR_CELLS });
  readonly #names = new FailureCounts({ free: FREE_FAILURES.name, cells: CELLS });
  readonly #addresses = new FailureCounts({ free: FREE_FAILURES.address, cells: CELLS });
  /** Pair and credential → state of the records that it was compared with. The older half is dropped when the newer is full. */
  #wrong = new Map<string, number>();
  #olderWrong = new Map<string, number>();
  /** Checks under way, by pair or address. Bounded by the slow checks that run or wait. */
  readonly #running = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Decides on an attempt. `repeated`: wrong before. `closed`: to be refused unchecked, or to be queued where the name logged
   * in before. `busy`: the address has too many concurrent checks. `state` counts changes of the records: after one a wrong
   * credential is checked again.
   */
  decide(attempt: Attempt, state: number): 'yes' | 'repeated' | 'closed' | 'busy' {
    const wrong = this.#wrongAt(attempt);
    if (wrong !== undefined) return wrong === state ? 'repeated' : 'yes';
    const { pair, name, address } = attempt;
    const now = this.#clock.monotonic();
    const running = this.#running.get(pair) ?? 0;
    // Running checks count as failed until they succeed, so that parallel guesses count as well.
    if (running > 0 && this.#pairs.count(pair, now) + running > FREE_FAILURES.pair) return 'closed';
    const isClosed =
      this.#pairs.isClosed(pair, now) ||
      (name !== undefined && this.#names.isClosed(name, now)) ||
      (address !== undefined && this.#addresses.isClosed(address, now));
    if (isClosed) return 'closed';
    return address !== undefined && (this.#running.get(address) ?? 0) >= MAX_CONCURRENT_CHECKS
      ? 'busy'
      : 'yes';
  }

  /** Counts a slow check. @returns to be called at its end */
  startCheck({ pair, address }: Attempt): () => void {
    const keys = address === undefined ? [pair] : [pair, address];
    for (const key of keys) this.#count(key, 1);
    return () => {
      for (const key of keys) this.#count(key, -1);
    };
  }

  /** Counts a failure. @returns true when it opened the first window */
  recordFailure(attempt: Attempt, state: number): boolean {
    const { pair, name, address } = attempt;
    const isKnown = this.#wrongAt(attempt) !== undefined;
    this.#remember(attempt, state);
    if (isKnown) return false;
    const now = this.#clock.monotonic();
    const opened = [
      this.#pairs.add(pair, now),
      name !== undefined && this.#names.add(name, now),
      address !== undefined && this.#addresses.add(address, now),
    ];
    return opened.includes(true);
  }

  #wrongAt(attempt: Attempt): number | undefined {
    const key = keyOf(attempt);
    return this.#wrong.get(key) ?? this.#olderWrong.get(key);
  }

  #remember(attempt: Attempt, state: number): void {
    if (this.#wrong.size >= MAX_REMEMBERED) {
      this.#olderWrong = this.#wrong;
      this.#wrong = new Map();
    }
    this.#wrong.set(keyOf(attempt), state);
  }

  #count(key: string, change: number): void {
    const count = (this.#running.get(key) ?? 0) + change;
    if (count > 0) this.#running.set(key, count);
    else this.#running.delete(key);
  }
}

/** Key of a wrong credential. Parts of digests suffice: one is mistaken for another with a chance of 2^-48. */
const keyOf = ({ pair, credential }: Attempt): string =>
  pair.slice(0, 16) + credential.slice(0, 24);

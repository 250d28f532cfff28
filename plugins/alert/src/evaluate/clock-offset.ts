/** A report that comes so much later than usual tells of the past, ms. */
const LATE_MS = 120_000;
/** Difference that is believed without further reports, ms. */
const NEAR_MS = 120_000;
/** Differences within so much of each other count as constant, ms. */
const CONSTANT_MS = 20_000;
/** Time over which a difference has to be constant to be believed, ms. */
const PROOF_MS = 60_000;
/** Change from which on the usual difference is stored again, ms. */
const STORED_MS = 5_000;

/**
 * Tells late reports of one agent from those of now, whatever its clock says: by the usual difference between their arrival and the
 * time that they name. A smaller difference is believed at once, a larger one when it was constant for a minute: reports
 * that were kept during an outage come with differences that change.
 */
export class ClockOffset {
  #usual: number | undefined;
  #stored: number | undefined;
  /** Smallest and largest difference since a time of the monotonic clock. */
  #trial: { least: number; most: number; since: number } | undefined;

  /** `stored`: the usual difference as it was stored, ms. */
  constructor(stored: number | undefined) {
    this.#usual = stored;
    this.#stored = stored;
  }

  /** Usual difference between arrival and the time of the report, ms. */
  get usual(): number | undefined {
    return this.#usual;
  }

  /** Judges a report by its difference, ms; `now` is the monotonic time of its arrival. @returns whether it is of now */
  isCurrent(difference: number, now: number): boolean {
    this.#try(difference, now);
    if (this.#usual === undefined) {
      if (Math.abs(difference) > NEAR_MS) return false;
      this.#usual = difference;
    }
    if (difference < this.#usual) this.#usual = difference;
    return difference - this.#usual <= LATE_MS;
  }

  #try(difference: number, now: number): void {
    const trial = this.#trial ?? { least: difference, most: difference, since: now };
    this.#trial = trial;
    trial.least = Math.min(trial.least, difference);
    trial.most = Math.max(trial.most, difference);
    if (trial.most - trial.least > CONSTANT_MS) {
      this.#trial = { least: difference, most: difference, since: now };
    } else if (now - trial.since >= PROOF_MS) {
      if (this.#usual === undefined || trial.least > this.#usual) this.#usual = trial.least;
      this.#trial = undefined;
    }
  }

  /** Returns the usual difference where it has to be stored, and takes it as stored. */
  toStore(): number | undefined {
    const usual = this.#usual;
    if (usual === undefined) return undefined;
    if (this.#stored !== undefined && Math.abs(usual - this.#stored) <= STORED_MS) return undefined;
    this.#stored = usual;
    return usual;
  }
}

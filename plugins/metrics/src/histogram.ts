/** Spread of values. */
export interface Distribution {
  /** Ascending, without infinity. */
  readonly bounds: readonly number[];
  /** Number of values above the bound before and not above this one; one more for those above the last bound. */
  readonly counts: ArrayLike<number>;
  /** Sum of all values. */
  readonly sum: number;
}

/** Counts values between fixed bounds. `observe` takes some ten nanoseconds. */
export class Histogram implements Distribution {
  readonly bounds: readonly number[];
  readonly counts: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] as number)) at++;
    counts[at] = (counts[at] as number) + 1;
    this.sum += value;
  }
}

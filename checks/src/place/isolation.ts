/** Time over which failures are compared with all results, ms. */
const WINDOW_MS = 60_000;
/** After this time of good results a place counts as connected again, ms. */
const BACK_MS = 20_000;
/** Monitors, of as many hosts, that must fail together. */
const LEAST = 3;
const MOST_RECENT = 10_000;

interface Seen {
  readonly monitor_id: number;
  readonly host: string;
  /** Unix ms of the clock that never jumps. */
  readonly at: number;
  /** The target sent an answer, whatever it was. */
  readonly reached: boolean;
}

/**
 * Judges whether this place is cut off: at least three monitors of three hosts, and half of those that were checked within
 * a minute, got no answer at all. Then its results say nothing about the targets.
 */
export class Isolation {
  #recent: Seen[] = [];
  #isolated = false;

  get isolated(): boolean {
    return this.#isolated;
  }

  /** Takes one result. @returns whether the place became isolated (true) or connected (false); undefined: no change */
  add(seen: Seen): boolean | undefined {
    this.#recent.push(seen);
    const from = seen.at - WINDOW_MS;
    if (this.#recent.length > MOST_RECENT || (this.#recent[0]?.at ?? from) < from)
      this.#recent = this.#recent.filter(({ at }) => at >= from).slice(-MOST_RECENT / 2);
    const before = this.#isolated;
    const span = before ? BACK_MS : WINDOW_MS;
    const now = newest(this.#recent.filter(({ at }) => at > seen.at - span));
    const unreached = now.filter(({ reached }) => !reached);
    const isCut = areSeveral(unreached) && unreached.length * 2 >= now.length;
    // Connected again needs an answer: a silence between two checks is none.
    this.#isolated = before ? !seen.reached || unreached.length * 2 >= now.length : isCut;
    return this.#isolated === before ? undefined : this.#isolated;
  }

  /**
   * Tells whether the last results look like the beginning of an isolation: what would turn down now should wait for more
   * results, at most a minute. The time of a failure is kept, so nothing is lost by that.
   */
  get doubtful(): boolean {
    const last = this.#recent.findLastIndex(({ reached }) => reached);
    return areSeveral(newest(this.#recent.slice(last + 1)));
  }
}

/** Returns the newest result of each monitor. */
const newest = (seen: readonly Seen[]): Seen[] => [
  ...new Map(seen.map((one) => [one.monitor_id, one])).values(),
];

const areSeveral = (seen: readonly Seen[]): boolean =>
  seen.length >= LEAST && new Set(seen.map(({ host }) => host)).size >= LEAST;

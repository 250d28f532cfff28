/** Time over which failures are compared with all results, ms. */
const WINDOW_MS = 60_000;
/** After this time of good results a place counts as connected again, ms. */
const BACK_MS = 20_000;
/** Monitors, of as many hosts, that must fail together. */
const LEAST = 3;

interface Seen {
  readonly monitor_id: number;
  readonly host: string;
  readonly owner: string | null;
  /** Unix ms of the clock that never jumps. */
  readonly at: number;
  /** The target sent an answer, whatever it was; else nothing came from it, though it answered before. */
  readonly reached: boolean;
}

/**
 * Judges whether this place is cut off: from at least three hosts, and half of the monitors that were checked within a minute,
 * nothing comes any more. Where several owners have monitors, that holds for half of them for most owners: nobody makes the
 * failures of others unknown. Then its results say nothing about the targets.
 */
export class Isolation {
  /** Newest result of each monitor within the window, the oldest first; those without an answer; those since the last answer. */
  readonly #newest = new Map<number, Seen>();
  readonly #unreached = new Map<number, Seen>();
  readonly #last = new Map<number, Seen>();
  /** When the silence of each of them began, and when the last answer came. */
  readonly #silentSince = new Map<number, number>();
  #answered_at = Number.NEGATIVE_INFINITY;
  #isolated = false;

  get isolated(): boolean {
    return this.#isolated;
  }

  /** Takes one result. @returns whether the place became isolated (true) or connected (false); undefined: no change */
  add(seen: Seen): boolean | undefined {
    const { monitor_id, at, reached } = seen;
    for (const kept of [this.#newest, this.#unreached, this.#last]) {
      kept.delete(monitor_id);
      forget(kept, at - WINDOW_MS);
    }
    this.#newest.set(monitor_id, seen);
    if (reached) {
      this.#last.clear();
      this.#silentSince.delete(monitor_id);
      this.#answered_at = at;
    } else if (!this.#silentSince.has(monitor_id)) this.#silentSince.set(monitor_id, at);
    if (!reached) for (const kept of [this.#unreached, this.#last]) kept.set(monitor_id, seen);
    const before = this.#isolated;
    // Connected again needs an answer: a silence between two checks is none.
    this.#isolated = before
      ? !reached || isHalf(since(this.#unreached, at - BACK_MS), since(this.#newest, at - BACK_MS))
      : isHalf(this.#unreached.size, this.#newest.size) &&
        areSeveral(this.#unreached) &&
        areMostOwners(this.#newest);
    return this.#isolated === before ? undefined : this.#isolated;
  }

  /**
   * Tells whether the silence of a monitor may be the beginning of an isolation: what would turn down now should wait until
   * something comes from another target of several, at most a minute. The time of a failure is kept, so nothing is lost by that.
   */
  isDoubtful(monitor_id: number, at: number): boolean {
    if (areSeveral(this.#last)) return true;
    const since = this.#silentSince.get(monitor_id);
    if (since === undefined || at - since >= WINDOW_MS) return false;
    return this.#answered_at < since && areSeveral(this.#newest);
  }

  /** Forgets monitors that are checked here no more. */
  keep(ids: ReadonlySet<number>): void {
    for (const id of this.#silentSince.keys()) if (!ids.has(id)) this.#silentSince.delete(id);
  }
}

const isHalf = (some: number, all: number): boolean => some * 2 >= all;

/** Forgets results up to a time. */
function forget(kept: Map<number, Seen>, time: number): void {
  for (const [id, { at }] of kept) {
    if (at > time) return;
    kept.delete(id);
  }
}

/** Returns how many results are newer than this. */
function since(kept: ReadonlyMap<number, Seen>, time: number): number {
  let count = 0;
  for (const { at } of kept.values()) if (at > time) count++;
  return count;
}

/** Tells whether most owners got no answer for half of their monitors. */
function areMostOwners(newest: ReadonlyMap<number, Seen>): boolean {
  const byOwner = Map.groupBy(newest.values(), ({ owner }) => owner);
  const silent = [...byOwner.values()].filter((own) =>
    isHalf(own.filter(({ reached }) => !reached).length, own.length),
  );
  return silent.length * 2 > byOwner.size;
}

/** Tells whether they are of enough hosts, and so of as many monitors. */
function areSeveral(kept: ReadonlyMap<number, Seen>): boolean {
  const hosts = new Set<string>();
  for (const { host } of kept.values()) if (hosts.add(host).size >= LEAST) return true;
  return false;
}

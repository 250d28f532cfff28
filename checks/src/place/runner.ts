import type { Clock } from '../types.ts';
import { nextPlanned } from './schedule.ts';

/** Checks of one host that run for one owner at the same time at most. */
const MOST_OF_HOST = 2;
/** Checks that begin in one turn of the main thread at most: each costs a fraction of a millisecond. */
const MOST_OF_TURN = 20;

/** A monitor as it is checked at one place. */
export interface Job {
  readonly monitor_id: number;
  /** Grows with each change of the monitor: a changed one is planned anew. */
  readonly version: number;
  readonly interval_ms: number;
  /** Target whose checks take turns: a host. */
  readonly host: string;
  /** Token that answers for it: owners take turns. */
  readonly owner: string | null;
  /** Checks it, by the time it was planned for. @returns the Unix ms of a check before the next planned one; undefined: none. Never rejects. */
  readonly check: (planned: number, signal: AbortSignal) => Promise<number | undefined>;
}

interface Planned {
  readonly job: Job;
  /** Unix ms. */
  at: number;
  running: boolean;
}

/** Checks of one owner. */
interface Owned {
  /** Due checks that were not looked at yet, those that wait longest last. */
  due: Planned[];
  running: number;
}

/**
 * Begins checks at their planned times: of the owner of whom fewest run, the one that waits longest. Where there are several
 * owners, one has half of all places at most. A check that cannot begin before the next one is due is dropped.
 */
export class Runner {
  readonly #clock: Clock;
  readonly #concurrent: () => number;
  readonly #planned = new Map<number, Planned>();
  readonly #owners = new Map<string | null, Owned>();
  readonly #busyHosts = new Map<string, number>();
  /** Due checks of hosts that were busy for their owner, in the order of their times. All of them are older than what is in `due`. */
  readonly #behind = new Map<string, Planned[]>();
  #willFill = false;
  readonly #ended = new AbortController();
  #running = 0;
  #late = 0;

  constructor(clock: Clock, concurrent: () => number) {
    this.#clock = clock;
    this.#concurrent = concurrent;
  }

  /** Checks that were dropped since the start, because they could not begin in time. */
  get late(): number {
    return this.#late;
  }

  /** Replaces what is checked here; what is unchanged keeps its plan. */
  set(jobs: readonly Job[]): void {
    const wanted = new Map(jobs.map((job) => [job.monitor_id, job]));
    for (const [id, { job }] of this.#planned)
      if (wanted.get(id)?.version !== job.version) this.#planned.delete(id);
    for (const [id, job] of wanted)
      if (!this.#planned.has(id)) this.#planned.set(id, { job, ...this.#soon(job) });
    const owners = new Set(jobs.map(({ owner }) => owner));
    for (const owner of owners) this.#ownedBy(owner);
    for (const [owner, { running }] of this.#owners)
      if (running === 0 && !owners.has(owner)) this.#owners.delete(owner);
  }

  /** Has a monitor checked at the next round; one that waits keeps its place. */
  now(id: number): boolean {
    const planned = this.#planned.get(id);
    const now = this.#clock.now();
    if (planned && (planned.running || planned.at > now)) planned.at = now;
    return planned !== undefined;
  }

  /** Begins what is due, as far as it may, and the rest as soon as others end: each second. */
  round(): void {
    const now = this.#clock.now();
    this.#behind.clear();
    for (const owned of this.#owners.values()) owned.due = [];
    for (const planned of this.#planned.values()) {
      // A clock that was set back: nothing is planned further ahead than one interval.
      if (planned.at - now > planned.job.interval_ms) planned.at = this.#soon(planned.job).at;
      if (planned.at <= now && !planned.running && !this.#isDropped(planned, now))
        this.#ownedBy(planned.job.owner).due.push(planned);
    }
    for (const { due } of this.#owners.values()) due.sort((a, b) => b.at - a.at);
    this.#fill();
  }

  /** Ends the checks that run. */
  end(): void {
    this.#planned.clear();
    this.#ended.abort(new Error('the server stops'));
  }

  /** A new or changed monitor is checked within a few seconds, and from then on by its grid. */
  #soon({ monitor_id, interval_ms }: Job): Pick<Planned, 'at' | 'running'> {
    const now = this.#clock.now();
    return { at: Math.min(nextPlanned(monitor_id, interval_ms, now), now + 5_000), running: false };
  }

  /** Drops a check where the next one is due already. */
  #isDropped(planned: Planned, now: number): boolean {
    const { interval_ms, monitor_id } = planned.job;
    if (now - planned.at < interval_ms) return false;
    this.#late++;
    planned.at = nextPlanned(monitor_id, interval_ms, now);
    return true;
  }

  /** Begins what waits longest and whose host is free, until so many run as may. */
  #fill(): void {
    for (let begun = 0; begun < MOST_OF_TURN; begun++) {
      const next = this.#running < this.#concurrent() ? this.#next() : undefined;
      if (!next) return;
      this.#begin(next);
    }
    this.#fillLater();
  }

  #fillLater(): void {
    if (this.#willFill) return;
    this.#willFill = true;
    setImmediate(() => {
      this.#willFill = false;
      this.#fill();
    });
  }

  #ownedBy(owner: string | null): Owned {
    const owned = this.#owners.get(owner) ?? { due: [], running: 0 };
    this.#owners.set(owner, owned);
    return owned;
  }

  #next(): Planned | undefined {
    const most = this.#owners.size > 1 ? Math.ceil(this.#concurrent() / 2) : this.#concurrent();
    const waiting = [...this.#owners.values()].filter(
      ({ due, running }) => due.length > 0 && running < most,
    );
    for (const owned of waiting.sort((a, b) => a.running - b.running)) {
      const next = this.#nextOf(owned);
      if (next) return next;
    }
    return undefined;
  }

  #nextOf({ due }: Owned): Planned | undefined {
    for (let planned = due.pop(); planned; planned = due.pop()) {
      if (!this.#isDue(planned)) continue;
      const host = hostOf(planned.job);
      if ((this.#busyHosts.get(host) ?? 0) < MOST_OF_HOST) return planned;
      const behind = this.#behind.get(host);
      if (behind) behind.push(planned);
      else this.#behind.set(host, [planned]);
    }
    return undefined;
  }

  /** Tells whether what was due at the last round still is: a monitor may have been changed or deleted meanwhile. */
  #isDue(planned: Planned): boolean {
    const isThere = this.#planned.get(planned.job.monitor_id) === planned;
    return isThere && !planned.running && !this.#isDropped(planned, this.#clock.now());
  }

  #begin(planned: Planned): void {
    const { job, at } = planned;
    planned.running = true;
    this.#running++;
    this.#ownedBy(job.owner).running++;
    const host = hostOf(job);
    this.#busyHosts.set(host, (this.#busyHosts.get(host) ?? 0) + 1);
    void job.check(at, this.#ended.signal).then((again) => {
      planned.running = false;
      const next = nextPlanned(job.monitor_id, job.interval_ms, at);
      // Somebody who wanted it checked while it ran has it checked again.
      if (planned.at === at) planned.at = again === undefined ? next : Math.min(again, next);
      this.#release(job);
    });
  }

  /** Gives the place of a check that ended to others; of its host the one goes first that waits longest. */
  #release(job: Job): void {
    this.#running--;
    this.#ownedBy(job.owner).running--;
    const host = hostOf(job);
    const busy = (this.#busyHosts.get(host) ?? 1) - 1;
    if (busy > 0) this.#busyHosts.set(host, busy);
    else this.#busyHosts.delete(host);
    const behind = this.#behind.get(host) ?? [];
    let next = behind.shift();
    while (next && !this.#isDue(next)) next = behind.shift();
    if (next) this.#putBack(next);
    // Checks may end at once, such as those of an address that is refused: no chain of them holds others up.
    this.#fillLater();
  }

  /** Puts a check before the younger ones; older are only some that were put back, too. */
  #putBack(planned: Planned): void {
    const { due } = this.#ownedBy(planned.job.owner);
    let place = due.length;
    while (place > 0 && (due[place - 1]?.at ?? 0) < planned.at) place--;
    due.splice(place, 0, planned);
  }
}

const hostOf = ({ host, owner }: Job): string => `${owner ?? ''} ${host}`;

import type { Clock } from '../types.ts';
import { nextPlanned } from './schedule.ts';

/** Checks of one host that run at the same time at most. */
const MOST_OF_HOST = 2;

/** A monitor as it is checked at one place. */
export interface Job {
  readonly monitor_id: number;
  /** Grows with each change of the monitor: a changed one is planned anew. */
  readonly version: number;
  readonly interval_ms: number;
  /** Target whose checks take turns: a host. */
  readonly host: string;
  /** Checks it, by the time it was planned for. @returns the Unix ms of a check before the next planned one; undefined: none. Never rejects. */
  readonly check: (planned: number, signal: AbortSignal) => Promise<number | undefined>;
}

interface Planned {
  readonly job: Job;
  /** Unix ms. */
  at: number;
  running: boolean;
}

/** Begins checks at their planned times. A check that cannot begin before the next one is due is dropped, never queued. */
export class Runner {
  readonly #clock: Clock;
  readonly #concurrent: () => number;
  readonly #planned = new Map<number, Planned>();
  readonly #busyHosts = new Map<string, number>();
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
  }

  /** Has a monitor checked at the next round. */
  now(id: number): boolean {
    const planned = this.#planned.get(id);
    if (planned) planned.at = this.#clock.now();
    return planned !== undefined;
  }

  /** Begins what is due. */
  round(): void {
    const now = this.#clock.now();
    // A clock that was set back: nothing is planned further ahead than one interval.
    for (const planned of this.#planned.values())
      if (planned.at - now > planned.job.interval_ms) planned.at = this.#soon(planned.job).at;
    const due = [...this.#planned.values()].filter(({ at, running }) => at <= now && !running);
    // What waits longest goes first, so that no host is forgotten behind others.
    for (const planned of due.toSorted((a, b) => a.at - b.at)) {
      const { interval_ms, monitor_id } = planned.job;
      if (now - planned.at >= interval_ms) {
        this.#late++;
        planned.at = nextPlanned(monitor_id, interval_ms, now);
      } else if (this.#mayBegin(planned.job)) this.#begin(planned);
    }
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

  #mayBegin({ host }: Job): boolean {
    return this.#running < this.#concurrent() && (this.#busyHosts.get(host) ?? 0) < MOST_OF_HOST;
  }

  #begin(planned: Planned): void {
    const { job, at } = planned;
    planned.running = true;
    this.#running++;
    this.#busyHosts.set(job.host, (this.#busyHosts.get(job.host) ?? 0) + 1);
    void job.check(at, this.#ended.signal).then((again) => {
      planned.running = false;
      this.#running--;
      const busy = (this.#busyHosts.get(job.host) ?? 1) - 1;
      if (busy > 0) this.#busyHosts.set(job.host, busy);
      else this.#busyHosts.delete(job.host);
      // A monitor that was deleted meanwhile has left the plan.
      const next = nextPlanned(job.monitor_id, job.interval_ms, at);
      planned.at = again === undefined ? next : Math.min(again, next);
    });
  }
}

import { type Logger, RpcError } from '@svc/plugin-sdk';
import { BoundedCache } from '@svc/plugin-sdk/util';
import type { ProbeBucket, ReadProbes } from '@svc/plugin-task/api';
import type { Probe } from '../page.ts';
import { FIRST_RANGE, RANGES, type Range } from '../ranges.ts';

/** Read at once: as much of a probe every second as one call may read. */
const PORTION_MS = 86_400_000;
/** A bucket's part that may be missing at the end of a long curve. */
const RENEWED = 12;
/** Results that come later than this do not change a curve. */
const LATE_STEPS = 3;
/** Probes whose buckets are kept, some 40 kB each; the one that was asked for longest ago goes. */
const MOST_KNOWN = 500;
const TOO_MANY = 108;

/** Results of one probe up to now; the last bucket is the current one. */
export interface ProbePast {
  /** Begin of the first bucket, Unix ms. */
  readonly from: number;
  readonly step_ms: number;
  /** `ProbeBucket` without its number; undefined: there was no probe. */
  readonly buckets: readonly (ProbeBucket | undefined)[];
}

interface History {
  /** Buckets by their number since 1970. */
  readonly buckets: Map<number, ProbeBucket>;
  /** Buckets before this one are read. */
  done: number;
  /** Unix ms. */
  readAt: number;
}

/** Reads each bucket of a probe once, and the newest ones again. */
export class ProbeHistory {
  readonly #read: ReadProbes;
  readonly #signal: AbortSignal;
  readonly #log: Logger;
  readonly #histories = new BoundedCache<string, History>({ most: MOST_KNOWN });

  constructor(read: ReadProbes, signal: AbortSignal, log: Logger) {
    this.#read = read;
    this.#signal = signal;
    this.#log = log;
  }

  /** @returns undefined when there are too many probes to read @throws RpcError 103 */
  async past(
    uuid: string,
    probe: Probe,
    now: number,
    range: Range = FIRST_RANGE,
  ): Promise<ProbePast | undefined> {
    const { step_ms, steps } = RANGES[range];
    const { type, target, job } = probe;
    const key = JSON.stringify([uuid, type, target, job, range]);
    const history = this.#histories.get(key) ?? { buckets: new Map(), done: 0, readAt: 0 };
    const current = Math.floor(now / step_ms);
    const first = current - steps + 1;
    // The current day is read for each page; a longer curve changes slowly.
    const isNew = range !== FIRST_RANGE && Math.abs(now - history.readAt) < step_ms / RENEWED;
    try {
      if (!isNew) await this.#readOn(history, uuid, probe, { now, step_ms, first });
    } catch (error) {
      if (!(error instanceof RpcError) || error.code !== TOO_MANY) throw error;
      this.#log.debug('a probe of a status page has too many results', { error });
      return undefined;
    }
    for (const at of history.buckets.keys()) if (at < first) history.buckets.delete(at);
    this.#histories.set(key, history);
    const buckets = Array.from({ length: steps }, (_, at) => history.buckets.get(first + at));
    return { from: first * step_ms, step_ms, buckets };
  }

  /** Reads what is missing up to now, day by day. */
  async #readOn(
    history: History,
    uuid: string,
    { type, target, job }: Probe,
    { now, step_ms, first }: { now: number; step_ms: number; first: number },
  ): Promise<void> {
    const current = Math.floor(now / step_ms);
    const portion = PORTION_MS / step_ms;
    const ask = { type, uuid, target, cronSource: job, share: 'status-page', step: step_ms };
    for (let begin = Math.max(first, history.done); begin <= current; begin += portion) {
      const end = Math.min(begin + portion, current + 1);
      const to = Math.min(end * step_ms, now + 1);
      const found = await this.#read({ ...ask, from: begin * step_ms, to, signal: this.#signal });
      for (let at = begin; at < end; at++) history.buckets.delete(at);
      for (const bucket of found) history.buckets.set(begin + bucket[0], bucket);
    }
    history.done = current - LATE_STEPS + 1;
    history.readAt = now;
  }
}

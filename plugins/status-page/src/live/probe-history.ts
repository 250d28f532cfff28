import { type Logger, RpcError } from '@svc/plugin-sdk';
import type { ProbeBucket, ReadProbes } from '@svc/plugin-task/api';
import type { Probe } from '../page.ts';

export const STEP_MS = 300_000;
/** Five minutes each: a day. */
export const STEPS = 288;
/** Results that come later than this do not change a curve. */
const LATE_STEPS = 3;
/** Probes whose buckets are kept, some 40 kB each; the one that was asked for longest ago goes. */
const MOST_KNOWN = 500;
const TOO_MANY = 108;

/** The last 24 hours of one probe; the last bucket is the current one. */
export interface ProbeDay {
  /** Begin of the first bucket, Unix ms. */
  readonly from: number;
  /** `ProbeBucket` without its number; undefined: there was no probe. */
  readonly buckets: readonly (ProbeBucket | undefined)[];
}

interface Known {
  /** By number since 1970. */
  readonly buckets: Map<number, ProbeBucket>;
  /** Buckets before this one are read. */
  done: number;
}

/** Reads each five minutes of a probe once, and the newest ones again. */
export class ProbeHistory {
  readonly #read: ReadProbes;
  readonly #signal: AbortSignal;
  readonly #log: Logger;
  readonly #known = new Map<string, Known>();

  constructor(read: ReadProbes, signal: AbortSignal, log: Logger) {
    this.#read = read;
    this.#signal = signal;
    this.#log = log;
  }

  /** @returns undefined when there are too many probes to read @throws RpcError 103 */
  async day(
    uuid: string,
    { type, target, job }: Probe,
    now: number,
  ): Promise<ProbeDay | undefined> {
    const key = JSON.stringify([uuid, type, target, job]);
    const known = this.#known.get(key) ?? { buckets: new Map(), done: 0 };
    const current = Math.floor(now / STEP_MS);
    const first = current - STEPS + 1;
    const begin = Math.max(first, known.done);
    const ask = { type, uuid, target, cronSource: job, share: 'status-page' };
    const range = { from: begin * STEP_MS, to: now + 1, step: STEP_MS, signal: this.#signal };
    try {
      const found = await this.#read({ ...ask, ...range });
      for (let at = begin; at <= current; at++) known.buckets.delete(at);
      for (const bucket of found) known.buckets.set(begin + bucket[0], bucket);
    } catch (error) {
      if (!(error instanceof RpcError) || error.code !== TOO_MANY) throw error;
      this.#log.debug('a probe of a status page has too many results', { error });
      return undefined;
    }
    for (const at of known.buckets.keys()) if (at < first) known.buckets.delete(at);
    known.done = current - LATE_STEPS + 1;
    this.#keep(key, known);
    const buckets = Array.from({ length: STEPS }, (_, at) => known.buckets.get(first + at));
    return { from: first * STEP_MS, buckets };
  }

  #keep(key: string, known: Known): void {
    this.#known.delete(key);
    this.#known.set(key, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }
}

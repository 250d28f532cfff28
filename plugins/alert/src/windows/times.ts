import { setImmediate as breathe } from 'node:timers/promises';
import { RpcError } from '@svc/plugin-sdk';
import { Cron } from 'croner';
import type { MaintenanceWindow } from '../types.ts';

export type Range = readonly [from: number, to: number];
type Times = Pick<MaintenanceWindow, 'zone' | 'once_from' | 'once_to' | 'cron' | 'duration_s'>;

const FIELDS = 5;
/** Begins that are looked at for one answer; croner takes a tenth of a millisecond for each. */
const MOST_BEGINS = 2_000;
const SLICE = 100;
const NEXT = 5;

/** When a window holds. `once_*` are instants; `cron` gives begins on the clock of the zone, the duration is real time. */
export class Schedule {
  readonly #once: Range | undefined;
  readonly #cron: Cron | undefined;
  readonly #lasts_ms: number;

  /** @throws RpcError 108 that says what is wrong with zone or cron */
  constructor({ zone, once_from, once_to, cron, duration_s }: Times) {
    this.#once = once_from !== null && once_to !== null ? [once_from, once_to] : undefined;
    this.#cron = cron === null ? undefined : cronOf(cron, zone);
    this.#lasts_ms = (duration_s ?? 0) * 1_000;
  }

  /** The range in which this time lies; undefined: the window does not hold. */
  at(now: number): Range | undefined {
    const [range] = this.ranges(now, 1);
    return range && range[0] <= now ? range : undefined;
  }

  /** Begins again at the range that holds at `now`, or the next one. */
  ranges(now: number, most = NEXT): Range[] {
    const found: Range[] = [];
    for (const range of this.#from(now)) {
      if (found.push(range) >= most) break;
    }
    return found;
  }

  /** Ranges that touch `from` until `to`, joined where they overlap. @throws RpcError 108 where there are too many */
  async between(from: number, to: number): Promise<Range[]> {
    const joined: [number, number][] = [];
    let count = 0;
    for (const [begins, ends] of this.#from(from)) {
      if (begins >= to) break;
      const last = joined.at(-1);
      if (last && begins <= last[1]) last[1] = Math.max(last[1], ends);
      else joined.push([begins, ends]);
      if (++count > MOST_BEGINS) {
        throw RpcError.invalid(
          `it begins more than ${MOST_BEGINS} times in this range: ask for a shorter one`,
        );
      }
      if (count % SLICE === 0) await breathe();
    }
    return joined;
  }

  *#from(now: number): Iterable<Range> {
    if (this.#once && this.#once[1] > now) yield this.#once;
    let begins = this.#cron?.nextRun(new Date(now - this.#lasts_ms));
    while (begins) {
      yield [begins.getTime(), begins.getTime() + this.#lasts_ms];
      begins = this.#cron?.nextRun(begins);
    }
  }
}

function cronOf(text: string, zone: string): Cron {
  if (!isZone(zone)) {
    throw RpcError.invalid(`'${zone}' is no time zone: write one like 'Europe/Berlin' or 'UTC'`);
  }
  const fields = text.trim().split(/\s+/);
  if (fields.length !== FIELDS) {
    const form = 'minute hour day-of-month month day-of-week, for example 30 2 * * 6';
    throw RpcError.invalid(`cron must have five fields (${form}); it has ${fields.length}`);
  }
  let cron: Cron;
  try {
    cron = new Cron(fields.join(' '), { timezone: zone, mode: '5-part', paused: true });
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^\w+: /, '') : String(error);
    throw RpcError.invalid(`cron '${text}' is not understood: ${why}`, { cause: error });
  }
  if (!cron.nextRun()) throw RpcError.invalid(`cron '${text}' never comes: no such day exists`);
  return cron;
}

/** Tells whether the runtime knows this IANA zone. */
export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

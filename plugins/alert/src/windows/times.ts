import { setImmediate as breathe } from 'node:timers/promises';
import { RpcError } from '@svc/plugin-sdk';
import { isZone } from '@svc/plugin-sdk/util';
import type { MaintenanceWindow } from '../types.ts';
import { CronLine } from './cron.ts';

export type Range = readonly [from: number, to: number];
type Times = Pick<MaintenanceWindow, 'zone' | 'once_from' | 'once_to' | 'cron' | 'duration_s'>;

/** Begins that are looked at for one answer; croner takes a tenth of a millisecond for each. */
const MOST_BEGINS = 2_000;
const SLICE = 100;
const NEXT = 5;
/** Time ahead in which begins are looked for. */
const FAR_MS = 5 * 366 * 86_400_000;

/** Times at which a window holds. `once_*` are instants; `cron` gives begins on the clock of the zone, the duration is real time. */
export class Schedule {
  readonly #once: Range | undefined;
  readonly #cron: CronLine | undefined;
  readonly #lasts_ms: number;

  /** @throws RpcError 108 that says what is wrong with zone or cron */
  constructor({ zone, once_from, once_to, cron, duration_s }: Times) {
    this.#once = once_from !== null && once_to !== null ? [once_from, once_to] : undefined;
    if (cron !== null) {
      demandZone(zone);
      this.#cron = new CronLine(cron, zone);
    }
    this.#lasts_ms = (duration_s ?? 0) * 1_000;
  }

  /** @throws RpcError 108 where it does not begin within five years */
  demandBegin(now: number): void {
    if (this.#once || this.ranges(now, 1).length > 0) return;
    throw RpcError.invalid('cron does not come within five years: name a day that comes sooner');
  }

  /** Ranges that hold at `now` or come later, the earliest first. */
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
    for (const begins of this.#cron?.begins(now - this.#lasts_ms) ?? []) {
      if (begins >= now + FAR_MS) return;
      yield [begins, begins + this.#lasts_ms];
    }
  }
}

/** @throws RpcError 108 for what is no time zone */
export function demandZone(zone: string): void {
  if (isZone(zone)) return;
  throw RpcError.invalid(`'${zone}' is no time zone: write one like 'Europe/Berlin' or 'UTC'`);
}

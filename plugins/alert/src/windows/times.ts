import { setImmediate as breathe } from 'node:timers/promises';
import { RpcError } from '@svc/plugin-sdk';
import { isZone } from '@svc/plugin-sdk/util';
import { Cron } from 'croner';
import type { MaintenanceWindow } from '../types.ts';

export type Range = readonly [from: number, to: number];
type Times = Pick<MaintenanceWindow, 'zone' | 'once_from' | 'once_to' | 'cron' | 'duration_s'>;

const FIELDS = 5;
/** Begins that are looked at for one answer; croner takes a tenth of a millisecond for each. */
const MOST_BEGINS = 2_000;
const SLICE = 100;
const NEXT = 5;
/** Time ahead in which begins are looked for. */
const FAR_MS = 5 * 366 * 86_400_000;
/** Days of the months, February in a leap year. */
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

/** Times at which a window holds. `once_*` are instants; `cron` gives begins on the clock of the zone, the duration is real time. */
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
    let begins = this.#cron?.nextRun(new Date(now - this.#lasts_ms));
    while (begins && begins.getTime() < now + FAR_MS) {
      yield [begins.getTime(), begins.getTime() + this.#lasts_ms];
      begins = this.#cron?.nextRun(begins);
    }
  }
}

function cronOf(text: string, zone: string): Cron {
  demandZone(zone);
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
  // Looking for a day that never comes takes a fifth of a second.
  if (fields[4]?.startsWith('+'))
    throw RpcError.invalid(`cron '${text}': a day of the week begins with no +`);
  if (isNever(fields)) throw RpcError.invalid(`cron '${text}' never comes: no such day exists`);
  return cron;
}

/** Tells whether none of the months has the days of a line that is understood. */
function isNever([, , day = '', month = '', weekday = '']: readonly string[]): boolean {
  if (!['*', '?'].includes(weekday) || /l/i.test(day)) return false;
  const earliest = Math.min(...day.split(',').map((item) => Number.parseInt(item, 10) || 1));
  const numbers = month.toLowerCase().replace(/[a-z]{3}/g, (name) => `${MONTHS.indexOf(name) + 1}`);
  return numbers.split(',').every((item) => {
    const [, from = '1', to = from, step = '1'] = /^(\d+)(?:-(\d+))?(?:\/(\d+))?$/.exec(item) ?? [];
    for (let at = Number(from); at <= Number(to); at += Number(step))
      if ((DAYS[at - 1] ?? 0) >= earliest) return false;
    return true;
  });
}

/** @throws RpcError 108 for what is no time zone */
export function demandZone(zone: string): void {
  if (isZone(zone)) return;
  throw RpcError.invalid(`'${zone}' is no time zone: write one like 'Europe/Berlin' or 'UTC'`);
}

import { YEAR } from './fields.ts';

/** Times of a day, UTC; ascending. */
export interface DayTimes {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
}

/** Days; day of month and day of week must both fit. */
export interface Calendar {
  readonly days: ReadonlySet<number>;
  /** Ascending, 1 is January. */
  readonly months: readonly number[];
  /** 1 is Sunday. */
  readonly weekdays: ReadonlySet<number>;
  /** undefined: every year. */
  readonly years: ReadonlySet<number> | undefined;
}

const DAY_MS = 86_400_000;
const EPOCH_WEEKDAY = 4;

/** Times at which a job runs: whole seconds, UTC (crontab.md §2). */
export class Schedule {
  /** Values that the expression lists, for describing it in words. */
  readonly times: DayTimes;
  readonly calendar: Calendar;

  constructor(times: DayTimes, calendar: Calendar) {
    this.times = times;
    this.calendar = calendar;
  }

  /**
   * The earliest matching second after the one that holds `time`; both Unix ms. undefined: none before the year 2101.
   * Looks at each day once at most, so dates that never occur end the search as well.
   */
  next(time: number): number | undefined {
    const start = Math.max(0, (Math.floor(time / 1000) + 1) * 1000);
    if (!(start < END)) return undefined;
    const date = new Date(start);
    const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
    const within = start % DAY_MS;
    if (this.#isDay(year, month, day)) {
      const rest = this.#timeFrom(within);
      if (rest !== undefined) return start - within + rest;
    }
    const found = this.#dayAfter(year, month, day);
    return found === undefined ? undefined : found + (this.#timeFrom(0) ?? 0);
  }

  /** The expression of these values, 700 characters at most, however long the one was that this was read from. */
  expression(): string {
    const { seconds, minutes, hours } = this.times;
    const { days, months, weekdays, years = [] } = this.calendar;
    const fields = [seconds, minutes, hours, days, months, weekdays, years];
    return fields.map(rangesOf).join(' ').trimEnd();
  }

  /** Start of the next matching day after this one. */
  #dayAfter(year: number, month: number, day: number): number | undefined {
    for (let y = year; y <= YEAR.to; y++) {
      if (this.calendar.years?.has(y) === false) continue;
      for (const m of this.calendar.months) {
        if (y === year && m < month) continue;
        const length = new Date(Date.UTC(y, m, 0)).getUTCDate();
        const first = y === year && m === month ? day + 1 : 1;
        for (let d = first; d <= length; d++) {
          if (this.#isDay(y, m, d)) return Date.UTC(y, m - 1, d);
        }
      }
    }
    return undefined;
  }

  #isDay(year: number, month: number, day: number): boolean {
    const { days, months, weekdays, years } = this.calendar;
    if (!days.has(day) || !months.includes(month) || years?.has(year) === false) return false;
    const number = Date.UTC(year, month - 1, day) / DAY_MS;
    return weekdays.has(((number + EPOCH_WEEKDAY) % 7) + 1);
  }

  /** The first matching time of a day that is not before `from`; ms since midnight. */
  #timeFrom(from: number): number | undefined {
    const { hours, minutes, seconds } = this.times;
    for (const hour of hours) {
      if (hour * 3_600_000 + 3_599_000 < from) continue;
      for (const minute of minutes) {
        const start = hour * 3_600_000 + minute * 60_000;
        if (start + 59_000 < from) continue;
        const second = seconds.find((each) => start + each * 1000 >= from);
        if (second !== undefined) return start + second * 1000;
      }
    }
    return undefined;
  }
}

/** `values`: ascending. */
function rangesOf(values: Iterable<number>): string {
  const ranges: { first: number; last: number }[] = [];
  for (const value of values) {
    const range = ranges.at(-1);
    if (range?.last === value - 1) range.last = value;
    else ranges.push({ first: value, last: value });
  }
  return ranges.map(({ first, last }) => (first === last ? first : `${first}-${last}`)).join(',');
}

const END = Date.UTC(YEAR.to + 1, 0, 1);

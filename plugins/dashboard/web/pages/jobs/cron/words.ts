import { parseCron } from '@svc/plugin-crontab/cron';
import { clockUtc } from '../../../parts/format.ts';
import { language, t } from '../../../strings/index.ts';

type Schedule = ReturnType<typeof parseCron>;

/** Meaning of an expression, by the server's own reading of it. */
export type Reading =
  | { readonly schedule: Schedule; readonly error?: undefined }
  /** `place`: the expression and a caret under the failing place; `reason` in the server's words. */
  | {
      readonly error: { readonly place: string; readonly reason: string };
      readonly schedule?: undefined;
    };

export function readCron(text: string): Reading {
  try {
    return { schedule: parseCron(text) };
  } catch (error) {
    const lines = String(error instanceof Error ? error.message : error).split('\n');
    return { error: { place: lines.slice(0, -1).join('\n'), reason: lines.at(-1) ?? '' } };
  }
}

/** The next times after `from`, Unix ms; fewer where it ends. */
export function nextTimes(schedule: Schedule, from: number, count: number): number[] {
  const found: number[] = [];
  let time: number | undefined = from;
  while (found.length < count) {
    time = schedule.next(time);
    if (time === undefined) break;
    found.push(time);
  }
  return found;
}

/** "Every 5 minutes", "Monday to Friday at 09:00": times are UTC. */
export function cronWords({ times, calendar }: Schedule): string {
  const time = timeWords(times);
  const day = dayWords(calendar);
  return day === ''
    ? t.jobs.cron.everyDay(time.text, time.isOften)
    : t.jobs.cron.on(day, time.text);
}

/** The expression in words; as it is written where it cannot be read. */
export function wordsOf(expression: string): string {
  const { schedule } = readCron(expression);
  return schedule ? cronWords(schedule) : expression;
}

interface TimeWords {
  readonly text: string;
  /** Tells whether it needs no "every day" before it. */
  readonly isOften: boolean;
}

/** More single times than these are said as a rule. */
const MOST_TIMES = 4;

function timeWords({ seconds, minutes, hours }: Schedule['times']): TimeWords {
  const often = (text: string): TimeWords => ({ text, isOften: true });
  const [second = 0, minute = 0] = [seconds[0], minutes[0]];
  const isAnyHour = hours.length === 24;
  if (isAnyHour && minutes.length === 60 && seconds.length > 1) {
    const step = stepOf(seconds, 60);
    if (step !== undefined) return often(t.jobs.cron.everySeconds(step));
  }
  if (isAnyHour && seconds.length === 1 && minutes.length > 1) {
    const step = stepOf(minutes, 60);
    if (step !== undefined) return often(t.jobs.cron.everyMinutes(step, second));
  }
  if (seconds.length === 1 && minutes.length === 1) {
    const step = stepOf(hours, 24);
    const past = `${two(minute)}${second === 0 ? '' : `:${two(second)}`}`;
    if (hours.length > MOST_TIMES && step !== undefined)
      return often(t.jobs.cron.everyHours(step, past));
  }
  if (seconds.length * minutes.length * hours.length <= MOST_TIMES) {
    const all = hours.flatMap((hour) =>
      minutes.flatMap((each) => seconds.map((one) => clockUtc(hour, each, one))),
    );
    return { text: t.jobs.cron.at(list(all)), isOften: false };
  }
  return {
    text: t.jobs.cron.parts(range(hours, 24), range(minutes, 60), range(seconds, 60)),
    isOften: false,
  };
}

/** The step of values that begin at 0 and go evenly through the whole; undefined: they do not. */
function stepOf(values: readonly number[], whole: number): number | undefined {
  const step = (values[1] ?? whole) - (values[0] ?? 0);
  const isEven = values.every((value, at) => value === at * step) && values.length * step === whole;
  return isEven ? step : undefined;
}

const two = (value: number) => String(value).padStart(2, '0');

const list = (items: readonly string[]): string =>
  new Intl.ListFormat(language(), { type: 'conjunction' }).format(items);

/** `0–8, 17`; a star for all. */
function range(values: readonly number[], whole: number): string {
  if (values.length === whole) return '*';
  return runsOf(values)
    .map(([from, to]) => (from === to ? two(from) : `${two(from)}–${two(to)}`))
    .join(', ');
}

/** `1–5, 15` */
const plainRange = (values: readonly number[]): string =>
  runsOf(values.toSorted((a, b) => a - b))
    .map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`))
    .join(', ');

/** Neighbours together. */
function runsOf(values: readonly number[]): (readonly [from: number, to: number])[] {
  const runs: [number, number][] = [];
  for (const value of values) {
    const last = runs.at(-1);
    if (last && last[1] === value - 1) last[1] = value;
    else runs.push([value, value]);
  }
  return runs;
}

/** Empty: every day. Day of month and day of week must both fit. */
function dayWords({ days, months, weekdays, years }: Schedule['calendar']): string {
  const parts: string[] = [];
  if (weekdays.size < 7) parts.push(weekdayWords([...weekdays]));
  if (days.size < 31) parts.push(t.jobs.cron.days(plainRange([...days])));
  if (months.length < 12) parts.push(t.jobs.cron.months(list(months.map(monthName))));
  if (years) parts.push(t.jobs.cron.years(plainRange([...years])));
  return parts.join(t.jobs.cron.and);
}

/** Names by the locale; 1 is Sunday. The week starts on Monday here. */
function weekdayWords(weekdays: readonly number[]): string {
  const fromMonday = weekdays.map((day) => ((day + 5) % 7) + 1).sort((a, b) => a - b);
  return list(
    runsOf(fromMonday).flatMap(([from, to]) =>
      to - from < 2
        ? [from, to].slice(0, to - from + 1).map(weekdayName)
        : [t.jobs.cron.span(weekdayName(from), weekdayName(to))],
    ),
  );
}

/** 1 is Monday: 1 January 2024 was one. */
const weekdayName = (day: number) =>
  new Intl.DateTimeFormat(language(), { weekday: 'long', timeZone: 'UTC' }).format(
    Date.UTC(2024, 0, day),
  );
const monthName = (month: number) =>
  new Intl.DateTimeFormat(language(), { month: 'long', timeZone: 'UTC' }).format(
    Date.UTC(2024, month - 1, 1),
  );

import { language, t } from '../strings/index.ts';

/** A figure and its unit, apart: the unit is drawn lighter. */
export interface Figure {
  readonly value: string;
  readonly unit: string;
}

const BINARY = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
const DECIMAL = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
const BITS = ['bit/s', 'kbit/s', 'Mbit/s', 'Gbit/s', 'Tbit/s'];
const formats = new Map<string, Intl.NumberFormat>();

/** A number in the reader's locale. */
export function number(value: number, digits = 0): string {
  const key = `${language()} ${digits}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(language(), {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
    formats.set(key, format);
  }
  return format.format(value);
}

/** Three figures that count: 9.87, 98.7, 987. */
const short = (value: number) =>
  number(value, value >= 100 || value === 0 ? 0 : value >= 10 ? 1 : 2);

function scaled(value: number, step: number, units: readonly string[]): Figure {
  let at = 0;
  let rest = value;
  while (rest >= step * 0.9995 && at < units.length - 1) {
    rest /= step;
    at++;
  }
  return { value: at === 0 ? number(rest) : short(rest), unit: units[at] ?? '' };
}

/** Bytes of memory and disks, in binary units. */
export const bytes = (value: number): Figure => scaled(value, 1024, BINARY);
/** Bytes that a network has moved, in the decimal units of its rates. */
export const traffic = (value: number): Figure => scaled(value, 1000, DECIMAL);
/** Bytes a second of a network, as bits. */
export const bitRate = (bytesPerSecond: number): Figure => scaled(bytesPerSecond * 8, 1000, BITS);
/** Bytes a second of a disk. */
export const byteRate = (value: number): Figure => {
  const { value: figure, unit } = bytes(value);
  return { value: figure, unit: `${unit}/s` };
};
/** 0 to 100. */
export const percent = (value: number): Figure => ({
  value: number(value, value < 10 ? 1 : 0),
  unit: '%',
});
export const text = ({ value, unit }: Figure): string =>
  unit === '%' ? `${value}%` : `${value} ${unit}`;
/** A time of at most three figures: 0.42 ms, 62.3 ms, 178 ms, 1.2 s. */
export const milliseconds = (ms: number): Figure =>
  ms >= 999.5
    ? { value: short(ms / 1000), unit: t.units.second }
    : { value: short(ms), unit: 'ms' };
/** Times that stand below each other: one unit and one number of decimals for all of them, by the greatest. */
export function millisecondsOf(
  all: readonly (number | null | undefined)[],
): (ms: number) => Figure {
  const most = Math.max(0, ...all.map((value) => value ?? 0));
  const [part, unit] = most >= 9_995 ? [1000, t.units.second] : [1, 'ms'];
  const digits = most / part >= 99.95 ? 0 : most / part >= 9.995 ? 1 : 2;
  return (ms) => ({
    value: number(ms >= 999.5 * part ? Number(ms.toPrecision(3)) / part : ms / part, digits),
    unit,
  });
}
/** The exact count, for hovering. */
export const exact = (value: number, unit: string): string => `${number(value)} ${unit}`;

/** "2 d 4 h", "14 min", "8 s": the two greatest units. */
export const duration = (ms: number): string => inUnits(ms, 2);
/** "2 d", "14 h": the greatest unit alone. */
export const roughly = (ms: number): string => inUnits(ms, 1);

function inUnits(ms: number, most: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const parts: [count: number, unit: string][] = [
    [Math.floor(seconds / 86_400), t.units.day],
    [Math.floor(seconds / 3600) % 24, t.units.hour],
    [Math.floor(seconds / 60) % 60, t.units.minute],
    [seconds % 60, t.units.second],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first < 0) return `0 ${t.units.second}`;
  return parts
    .slice(first, first + (first < 2 ? most : 1))
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

export const ago = (ms: number): string => (ms < 1_500 ? t.units.now : t.units.ago(duration(ms)));

const dates = new Map<string, Intl.DateTimeFormat>();
/** Unix ms by the reader's locale. */
export function date(value: number, options: Intl.DateTimeFormatOptions): string {
  const key = `${language()} ${JSON.stringify(options)}`;
  let format = dates.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat(language(), options);
    dates.set(key, format);
  }
  return format.format(value);
}

/** Unix ms to the second, with the date. */
export const dateTime = (ms: number): string =>
  date(ms, { dateStyle: 'medium', timeStyle: 'medium' });
export const day = (ms: number): string => date(ms, { dateStyle: 'medium' });
let clockForm: Intl.DateTimeFormatOptions | undefined;
/** 02:05 of 24 hours, 2:05 AM of twelve. */
export function clockOptions(): Intl.DateTimeFormatOptions {
  if (!clockForm) {
    const format = new Intl.DateTimeFormat(language(), { hour: 'numeric' });
    const { hour12 } = format.resolvedOptions();
    clockForm = { hour: hour12 ? 'numeric' : '2-digit', minute: '2-digit' };
  }
  return clockForm;
}
/** 14:02, or 2:02 PM. */
export const clock = (ms: number): string => date(ms, clockOptions());
export const clockSeconds = (ms: number): string =>
  date(ms, { ...clockOptions(), second: '2-digit' });
/** The time alone for today, else with the day. */
export const when = (ms: number): string =>
  new Date(ms).toDateString() === new Date().toDateString()
    ? clock(ms)
    : date(ms, { month: 'short', day: 'numeric', ...clockOptions() });

/** The time to the second for today, else with the day. */
export const whenSeconds = (ms: number): string =>
  new Date(ms).toDateString() === new Date().toDateString()
    ? clockSeconds(ms)
    : date(ms, { month: 'short', day: 'numeric', ...clockOptions(), second: '2-digit' });
/** "26 Nov, 16:17 – 16:40": the day once, the minute once where both are in it. */
export function span(from: number, to: number): string {
  const begin = when(from);
  if (when(to) === begin) return begin;
  const isOneDay = new Date(from).toDateString() === new Date(to).toDateString();
  return `${begin} – ${isOneDay ? clock(to) : when(to)}`;
}

/** A time of day in UTC, by the reader's clock; seconds where there are any. */
export const clockUtc = (hour: number, minute: number, second: number): string =>
  date(Date.UTC(2024, 0, 1, hour, minute, second), {
    ...clockOptions(),
    ...(second > 0 && { second: '2-digit' }),
    timeZone: 'UTC',
  });

/** Returns the value of a browser's input: local time to the minute. */
export function localInput(time: number): string {
  const date = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return date.toISOString().slice(0, 16);
}

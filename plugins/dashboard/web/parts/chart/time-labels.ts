import { language } from '../../strings/index.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
type Options = Intl.DateTimeFormatOptions;
const CLOCK: Options = { hour: '2-digit', minute: '2-digit' };
const SECONDS: Options = { ...CLOCK, second: '2-digit' };
const DATE: Options = { day: 'numeric', month: 'short' };
const MONTH: Options = { month: 'short', year: 'numeric' };

const formats = new Map<Options, Intl.DateTimeFormat>();
function formatted(time: number, options: Options): string {
  let format = formats.get(options);
  if (!format) {
    format = new Intl.DateTimeFormat(language(), options);
    formats.set(options, format);
  }
  return format.format(time);
}

const isMidnight = (time: number) => {
  const date = new Date(time);
  return date.getHours() === 0 && date.getMinutes() === 0;
};

/** Words below a time axis: as fine as its steps, the date at midnight. */
export function timeLabels(times: readonly number[], step_ms: number): string[] {
  return times.map((time) => {
    if (step_ms >= 28 * DAY) return formatted(time, MONTH);
    if (step_ms >= DAY || (isMidnight(time) && step_ms >= 60_000)) return formatted(time, DATE);
    return formatted(time, step_ms < 60_000 ? SECONDS : CLOCK);
  });
}

import { language } from '../../strings/index.ts';
import { clock, clockSeconds } from '../format.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
type Options = Intl.DateTimeFormatOptions;
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
    return step_ms < 60_000 ? clockSeconds(time) : clock(time);
  });
}

import { clock, clockSeconds, date } from '../format.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const isMidnight = (time: number) => {
  const at = new Date(time);
  return at.getHours() === 0 && at.getMinutes() === 0;
};

/** Words below a time axis: as fine as its steps, the date at midnight. */
export function timeLabels(times: readonly number[], step_ms: number): string[] {
  return times.map((time) => {
    if (step_ms >= 28 * DAY) return date(time, { month: 'short', year: 'numeric' });
    if (step_ms >= DAY || (isMidnight(time) && step_ms >= 60_000))
      return date(time, { day: 'numeric', month: 'short' });
    return step_ms < 60_000 ? clockSeconds(time) : clock(time);
  });
}

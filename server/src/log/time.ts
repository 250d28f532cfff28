let second = Number.NaN;
let prefix = '';
let suffix = '';

/** Local time with offset: `2026-03-02T18:04:11.207+00:00`. */
export function timestamp(now: number): string {
  const whole = Math.floor(now / 1000);
  if (whole !== second) keep(whole);
  return `${prefix}.${digits(now - whole * 1000, 3)}${suffix}`;
}

/** All parts but the milliseconds are the same for every record of one second. */
function keep(whole: number): void {
  const date = new Date(whole * 1000);
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()];
  const east = -date.getTimezoneOffset();
  const hours = Math.trunc(Math.abs(east) / 60);
  const pairs = (parts: readonly number[], sign: string) =>
    parts.map((n) => digits(n, 2)).join(sign);
  second = whole;
  prefix = `${pairs(day, '-')}T${pairs(time, ':')}`;
  suffix = `${east < 0 ? '-' : '+'}${pairs([hours, Math.abs(east) % 60], ':')}`;
}

const digits = (value: number, count: number): string => String(value).padStart(count, '0');

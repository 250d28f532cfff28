const two = (value: number): string => String(value).padStart(2, '0');

/** Local time with offset: `2026-03-02T18:04:11.207+00:00`. */
export function timestamp(now: number): string {
  const east = -new Date(now).getTimezoneOffset();
  const local = new Date(now + east * 60_000).toISOString().slice(0, -1);
  const minutes = Math.abs(east);
  return `${local}${east < 0 ? '-' : '+'}${two(Math.trunc(minutes / 60))}:${two(minutes % 60)}`;
}

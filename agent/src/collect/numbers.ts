/** A counter in a text of the kernel. Text that is not a number gives 0, so that the server takes the report. */
export function counter(text: string | undefined): number {
  const value = Number(text);
  return value >= 0 ? Math.min(Math.trunc(value), Number.MAX_SAFE_INTEGER) : 0;
}

/** Growth per second of a counter; 0 when the counter was reset or no time has passed. */
export function perSecond(before: number | undefined, after: number, seconds: number): number {
  if (before === undefined || after < before || seconds <= 0) return 0;
  return Math.round((after - before) / seconds);
}

/** Share of `part` in `whole` as a percentage 0..100 with two decimals; 0 for an empty whole. */
export function percent(part: number, whole: number): number {
  if (whole <= 0) return 0;
  return Math.round(Math.min(1, Math.max(0, part / whole)) * 10_000) / 100;
}

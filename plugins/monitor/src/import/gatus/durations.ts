const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3_600 };

/** Returns the seconds of a time such as `1h30m`; undefined: it is none. */
export function secondsOf(text: string): number | undefined {
  const parts = text.match(/\d{1,9}(?:\.\d{1,9})?(?:ms|s|m|h)/g) ?? [];
  if (parts.length === 0 || parts.join('') !== text) return undefined;
  return parts.reduce((sum, part) => {
    const [, number = '0', unit = 's'] = /^([\d.]+)([a-z]+)$/.exec(part) ?? [];
    return sum + Number(number) * (UNITS[unit] ?? 1);
  }, 0);
}

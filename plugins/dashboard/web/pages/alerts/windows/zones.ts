/** Days and clocks of IANA time zones. */

const forms = new Map<string, Intl.DateTimeFormat>();

function formOf(zone: string): Intl.DateTimeFormat {
  const found =
    forms.get(zone) ??
    new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
  forms.set(zone, found);
  return found;
}

export function isZone(zone: string): boolean {
  try {
    formOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** ms by which clocks of the zone are ahead of UTC at a time. */
function offsetAt(time: number, zone: string): number {
  const parts = Object.fromEntries(
    formOf(zone)
      .formatToParts(time)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(time / 1_000) * 1_000;
}

/** Day of the zone's calendar. */
export interface Day {
  /** Unix ms of its begin and of its end: 23, 24 or 25 hours. */
  readonly from: number;
  readonly to: number;
  /** ms that clocks are put forward in it. */
  readonly shift_ms: number;
}

const DAY_MS = 86_400_000;

/** Begin of a day, Unix ms; `utc` is its midnight as if the zone were UTC. */
function midnight(utc: number, zone: string): number {
  const guess = utc - offsetAt(utc, zone);
  return utc - offsetAt(guess, zone);
}

/** Days of the zone from the one that holds `time`. */
export function daysFrom(time: number, count: number, zone: string): readonly Day[] {
  const first = Math.floor((time + offsetAt(time, zone)) / DAY_MS) * DAY_MS;
  return Array.from({ length: count }, (_, at) => {
    const from = midnight(first + at * DAY_MS, zone);
    const to = midnight(first + (at + 1) * DAY_MS, zone);
    return { from, to, shift_ms: offsetAt(to, zone) - offsetAt(from, zone) };
  });
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Clocks of zones change by multiples of this. */
const STEP_MS = 15 * MINUTE_MS;
/** Shortest day: some zones move their clocks by two hours. */
const SHORTEST_MS = 22 * HOUR_MS;

/**
 * Returns the beginnings of days in a zone: of the one that holds `from`, and of each later one up to the first at or after
 * `to`. A day begins with the first instant that has its date, which is not midnight where clocks skip that.
 * @throws RangeError for a zone that is not known
 */
export function dayBeginnings(zone: string, from: number, to: number): number[] {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
  const dateOf = (time: number) => format.format(time);
  const nextAfter = (begin: number, date: string, first: number): number => {
    let time = begin + first;
    while (dateOf(time) === date) time += STEP_MS;
    return time;
  };
  const early = Math.floor((from - 26 * HOUR_MS) / STEP_MS) * STEP_MS;
  const days = [nextAfter(early, dateOf(early), 0)];
  for (;;) {
    const last = days.at(-1) as number;
    if (last >= to) return days.slice(days.findLastIndex((day) => day <= from));
    days.push(nextAfter(last, dateOf(last), SHORTEST_MS));
  }
}

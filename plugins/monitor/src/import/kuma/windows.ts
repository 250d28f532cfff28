import type { Item, Values } from '../types.ts';
import { isYes, jsonOf, lineOf, listOf, membersOf, numberOf, OFF, textOf } from '../values.ts';

interface Parts {
  readonly monitors: readonly string[];
  /** Zone of times that name none. */
  readonly zone: string;
}
type Times =
  | { readonly make: Values; readonly notes?: readonly string[] }
  | { readonly why: string };

/** Returns the window that is made of a row of `maintenance`. */
export function windowOf(row: Values, parts: Parts): Item {
  const id = textOf(row['id']);
  const was = textOf(row['strategy']).slice(0, 40);
  const item = {
    id: `window:${id}`,
    type: 'window',
    name: lineOf(row['title']) || `maintenance ${id}`,
    was,
  } as const;
  const named = textOf(row['timezone']);
  const zone = named === '' || named === 'SAME_AS_SERVER' ? parts.zone : named;
  const times = timesOf(row, was, zone);
  if ('why' in times) return { ...item, notes: [], why: times.why };
  if (parts.monitors.length === 0) return { ...item, notes: [], why: 'it is about no monitor' };
  const notes = [...(times.notes ?? []), ...(isYes(row['active'] ?? 1) ? [] : [OFF])];
  // What is under maintenance is not checked there, either.
  return { ...item, notes, monitors: parts.monitors, make: { ...times.make, effect: 'pause' } };
}

function timesOf(row: Values, strategy: string, zone: string): Times {
  switch (strategy) {
    case 'single': {
      const [from, to] = [row['start_date'], row['end_date']].map((one) => timeOf(one, zone));
      if (from === undefined || to === undefined) return { why: 'its times cannot be read' };
      return { make: { once: { from, to } } };
    }
    case 'cron':
      return repeated(textOf(row['cron']), numberOf(row['duration']), zone);
    case 'recurring-weekday':
      return daily(row, zone, { weekdays: numbers(row['weekdays']) });
    case 'recurring-day-of-month':
      return daily(row, zone, { days: numbers(row['days_of_month']) });
    case 'recurring-interval': {
      const days = numberOf(row['interval_day']) ?? 1;
      return days === 1
        ? daily(row, zone, {})
        : { why: `every ${days} days is no cron line: make a window for the days` };
    }
    case 'manual':
      return { why: 'it is switched by hand: make a silence' };
    default:
      return { why: `there is no strategy '${strategy}'` };
  }
}

const numbers = (value: unknown) =>
  listOf(jsonOf(value)).map((one) => (textOf(one) === 'lastDay1' ? 'L' : textOf(one)));

function daily(
  row: Values,
  zone: string,
  { weekdays, days }: { readonly weekdays?: readonly string[]; readonly days?: readonly string[] },
): Times {
  const [start, end] = [row['start_time'], row['end_time']].map(minuteOf);
  if (start === undefined || end === undefined) return { why: 'its times cannot be read' };
  const some = weekdays ?? days ?? [];
  if (some.some((one) => !/^(?:\d{1,2}|L)$/.test(one))) return { why: 'its days cannot be read' };
  const list = some.length > 0 ? some.join(',') : '*';
  const cron = `${start % 60} ${Math.floor(start / 60)} ${days ? list : '*'} * ${weekdays ? list : '*'}`;
  return repeated(cron, ((end - start + 1_440) % 1_440 || 1_440) * 60, zone);
}

function repeated(cron: string, duration_s: number | undefined, zone: string): Times {
  if (cron === '' || duration_s === undefined || duration_s < 60)
    return { why: 'its cron line or its duration is missing' };
  return { make: { cron, duration_s: Math.round(duration_s), zone } };
}

/** Minutes since midnight of `HH:MM:SS`, or of `{"hours", "minutes"}`. */
function minuteOf(value: unknown): number | undefined {
  const { hours, minutes } = membersOf(value);
  const [, hour, minute] = /^(\d{1,2}):(\d{2})/.exec(textOf(value)) ?? [];
  const found = Number(hours ?? hour) * 60 + Number(minutes ?? minute);
  return Number.isInteger(found) && found >= 0 && found < 1_440 ? found : undefined;
}

/** Unix ms of a wall time `YYYY-MM-DD HH:MM:SS` in a zone. */
function timeOf(value: unknown, zone: string): number | undefined {
  const wall = Date.parse(`${textOf(value).replace(' ', 'T').replace(/Z$/, '')}Z`);
  if (!Number.isFinite(wall)) return undefined;
  try {
    const first = wall - offsetAt(wall, zone);
    return wall - offsetAt(first, zone);
  } catch {
    // There is no such zone.
    return undefined;
  }
}

function offsetAt(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return Date.parse(`${parts.format(at).replace(' ', 'T')}Z`) - Math.floor(at / 1_000) * 1_000;
}

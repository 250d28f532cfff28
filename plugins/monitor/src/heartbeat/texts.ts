import type { HeartbeatSpec } from '../types.ts';
import type { Due } from './due.ts';

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** Returns a length of time as people read it: `1 h 30 min`. */
export function lengthOf(seconds: number): string {
  let left = Math.round(seconds);
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) parts.push(`${count} ${unit}`);
  }
  return parts.join(' ') || '0 s';
}

/** Returns the minute of a time in a zone, and its day where that is not the day of `beside`. */
function minuteIn(zone: string, time: number, beside: number): string {
  const format = new Intl.DateTimeFormat('en-CA', {
    ...{ timeZone: zone, dateStyle: 'short', timeStyle: 'short', hourCycle: 'h23' },
  });
  const [day = '', minute = ''] = format.format(time).split(', ');
  const [other] = format.format(beside).split(', ');
  return day === other ? minute : `${day} ${minute}`;
}

/** Says why a heartbeat is late; `last_at` is its last ping, undefined: there was none. */
export function lateText(
  spec: HeartbeatSpec,
  { expected_at, run }: Due,
  last_at: number | undefined,
): string {
  const zone = spec.zone || 'UTC';
  if (run) {
    const most = lengthOf(spec.run_grace_s ?? spec.grace_s);
    const began = minuteIn(zone, run.started_at, expected_at);
    return `the run that began ${began} ${zone} has not ended within ${most}`;
  }
  const since =
    last_at === undefined ? 'no ping yet' : `no ping since ${minuteIn(zone, last_at, expected_at)}`;
  const expected = minuteIn(zone, expected_at, last_at ?? expected_at);
  return `${since} (expected ${expected} ${zone}, grace ${lengthOf(spec.grace_s)})`;
}

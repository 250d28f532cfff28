import type { Item } from '../types.ts';
import { isYes, listOf, membersOf, OFF, textOf } from '../values.ts';
import { secondsOf } from './durations.ts';

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** Returns the window that is made of `maintenance`; it is about all monitors of the file. */
export function maintenanceOf(given: unknown): Item[] {
  if (given === undefined) return [];
  const values = membersOf(given);
  const item = {
    id: 'maintenance',
    type: 'window',
    name: 'Maintenance (Gatus)',
    was: 'maintenance',
  } as const;
  const [, hour, minute] = /^(\d\d):(\d\d)$/.exec(textOf(values['start'])) ?? [];
  const duration_s = secondsOf(textOf(values['duration'])) ?? 0;
  if (hour === undefined || duration_s < 60)
    return [
      { ...item, notes: [], why: 'it needs start as HH:MM, and a duration of a minute or more' },
    ];
  const days = listOf(values['every']).map((one) => DAYS.indexOf(textOf(one).toLowerCase()));
  const weekdays = days.length > 0 && !days.includes(-1) ? days.sort().join(',') : '*';
  const notes = values['enabled'] === undefined || isYes(values['enabled']) ? [] : [OFF];
  const zone = textOf(values['timezone']) || 'UTC';
  const cron = `${Number(minute)} ${Number(hour)} * * ${weekdays}`;
  return [
    { ...item, notes, monitors: ['*'], make: { cron, zone, duration_s: Math.round(duration_s) } },
  ];
}

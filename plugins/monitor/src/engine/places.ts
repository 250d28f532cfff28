import type { Monitor, Places } from '../types.ts';
import { isChecked } from './checked.ts';

/** Returns how many agents check a monitor: `pick`, by default as many as are named, and one where only tags are. */
export function agentCount({ agents = [], tags = [], pick }: Places): number {
  if (agents.length + tags.length === 0) return 0;
  const count = pick ?? Math.max(1, agents.length);
  return tags.length > 0 ? count : Math.min(count, agents.length);
}

/** Returns how many places are to check a monitor. */
export const placeCount = (places: Places): number => Number(places.server) + agentCount(places);

/** Returns how many places say something about a monitor. */
export const placesOf = ({ kind, places }: Pick<Monitor, 'kind' | 'places'>): number =>
  isChecked(kind) ? placeCount(places) : 1;

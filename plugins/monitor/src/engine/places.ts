import type { Monitor, Places } from '../types.ts';
import { isChecked } from './checked.ts';

/** Returns how many places are to check a monitor. */
export function placeCount({ server, agents = [], tags = [], pick = 1 }: Places): number {
  const chosen = agents.length + tags.length === 0 ? 0 : pick;
  return Number(server) + chosen;
}

/** Returns how many places say something about a monitor. */
export const placesOf = ({ kind, places }: Pick<Monitor, 'kind' | 'places'>): number =>
  isChecked(kind) ? placeCount(places) : 1;

import type { Monitor, Places } from './types.ts';

type Sent = Pick<Monitor, 'owner' | 'places' | 'spec'>;

/**
 * Tells whether a change has more machines send what a monitor sends, or anybody between them and the host read it. Whoever
 * may write a monitor may not yet know its secrets, even as its owner: any change makes him one.
 */
export function isWidened(old: Sent, next: Sent): boolean {
  const opensTls = next.spec['ignore_tls'] === true && old.spec['ignore_tls'] !== true;
  return opensTls || hasMorePlaces(old.places, next.places) || hasOtherAgents(old, next);
}

function hasMorePlaces(old: Places, next: Places): boolean {
  const isNew = (name: 'agents' | 'tags') =>
    next[name]?.some((one) => !old[name]?.includes(one)) ?? false;
  return (next.server && !old.server) || isNew('agents') || isNew('tags');
}

/** Tells whether agents of a tag may count by the rights of the new owner; to the Super Token all of them counted. */
const hasOtherAgents = (old: Sent, next: Sent): boolean =>
  next.places.tags !== undefined && old.owner !== null && old.owner !== next.owner;

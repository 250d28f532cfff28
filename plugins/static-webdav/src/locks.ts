import { isBelow, type Key, parentOf } from './paths.ts';

/** One write lock (RFC 4918 §6). */
export interface Lock {
  /** URI. */
  readonly token: string;
  readonly path: Key;
  /** Tells whether the depth is `infinity`: everything below is locked too. */
  readonly deep: boolean;
  readonly exclusive: boolean;
  /** The `owner` element as given, or the empty text. */
  readonly owner: string;
  /** Id of the credential that took it. */
  readonly principal: string;
  /** Unix ms. */
  readonly expires_at: number;
}

/** One change that a request will make. */
export interface Change {
  readonly path: Key;
  /** Tells whether everything below changes too. */
  readonly below?: boolean;
  /** Tells whether the resource is made or removed, so that the members of its parent change. */
  readonly member?: boolean;
}

/** Tells whether the caller holds the lock and has submitted it. */
export type Holds = (lock: Lock) => boolean;

/** Tells whether the lock protects the resource at the path. */
export const covers = (lock: Lock, path: Key): boolean =>
  lock.path === path || (lock.deep && isBelow(path, lock.path));

/** Paths of locks that forbid a change. Of several locks on one resource the caller needs to hold one. */
export function blocking(locks: readonly Lock[], change: Change, holds: Holds): Key[] {
  const places = new Set<Key>([change.path]);
  const parent = change.member ? parentOf(change.path) : undefined;
  if (parent !== undefined) places.add(parent);
  if (change.below) {
    for (const { path } of locks) if (isBelow(path, change.path)) places.add(path);
  }
  const own = byPath(locks, holds);
  const over = byPath(
    locks.filter(({ deep }) => deep),
    holds,
  );
  const seen = new Map<Key, Over>();
  const overOf = (place: Key): Over => {
    const unseen: Key[] = [];
    let at = parentOf(place);
    for (; at !== undefined && !seen.has(at); at = parentOf(at)) unseen.push(at);
    let found = (at !== undefined && seen.get(at)) || NONE;
    for (const directory of unseen.reverse()) {
      found = {
        isHeld: found.isHeld || over.get(directory) === true,
        outermost: found.outermost ?? (over.has(directory) ? directory : undefined),
      };
      seen.set(directory, found);
    }
    return found;
  };
  return [...places].flatMap((place) => {
    const { isHeld, outermost = own.has(place) ? place : undefined } = overOf(place);
    return isHeld || own.get(place) || outermost === undefined ? [] : [outermost];
  });
}

/** The locks of trees around what lies in a directory: looked up once for each, whatever lies in it. */
interface Over {
  readonly isHeld: boolean;
  readonly outermost: Key | undefined;
}
const NONE: Over = { isHeld: false, outermost: undefined };

/** Paths of locks, and whether one of those that lie there is held: thousands may lie below one directory. */
function byPath(locks: readonly Lock[], holds: Holds): ReadonlyMap<Key, boolean> {
  const found = new Map<Key, boolean>();
  for (const lock of locks) found.set(lock.path, found.get(lock.path) || holds(lock));
  return found;
}

/** Tells whether the two locks exclude each other (RFC 4918 §6.1, §7). */
export function conflicts(held: Lock, wanted: Lock): boolean {
  const overlap = covers(held, wanted.path) || (wanted.deep && isBelow(held.path, wanted.path));
  return overlap && (held.exclusive || wanted.exclusive);
}

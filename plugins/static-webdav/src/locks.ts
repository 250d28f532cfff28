import { isBelow, type Key, parentOf } from './paths.ts';

/** One write lock (RFC 4918 §6). */
export interface Lock {
  /** URI. */
  readonly token: string;
  readonly path: Key;
  /** Depth `infinity`: everything below is locked as well. */
  readonly deep: boolean;
  readonly exclusive: boolean;
  /** The `owner` element as given, or the empty text. */
  readonly owner: string;
  /** Whose credential took it. */
  readonly principal: string;
  /** Unix ms. */
  readonly expires_at: number;
}

/** What a request is going to change. */
export interface Change {
  readonly path: Key;
  /** Everything below as well. */
  readonly below?: boolean;
  /** The resource comes or goes: its parent's members change. */
  readonly member?: boolean;
}

/** Which locks a caller may pass. */
export type Holds = (lock: Lock) => boolean;

/** True when the lock protects what stands at the path. */
export const covers = (lock: Lock, path: Key): boolean =>
  lock.path === path || (lock.deep && isBelow(path, lock.path));

/** Paths of locks that stand in the way of a change; of several on one resource one that is held suffices. */
export function blocking(locks: readonly Lock[], change: Change, holds: Holds): Key[] {
  const places = new Set<Key>([change.path]);
  const parent = change.member ? parentOf(change.path) : undefined;
  if (parent !== undefined) places.add(parent);
  if (change.below) {
    for (const { path } of locks) if (isBelow(path, change.path)) places.add(path);
  }
  return [...places].flatMap((place) => {
    const there = locks.filter((lock) => covers(lock, place));
    return there.length === 0 || there.some(holds) ? [] : [(there[0] as Lock).path];
  });
}

/** True when both cannot be held at once (RFC 4918 §6.1, §7). */
export function conflicts(held: Lock, wanted: Lock): boolean {
  const overlap = covers(held, wanted.path) || (wanted.deep && isBelow(held.path, wanted.path));
  return overlap && (held.exclusive || wanted.exclusive);
}

import type { Auth, Principal } from '@svc/plugin-sdk';
import { mayDo } from '../rules/rights.ts';
import type { AlertKey } from '../types.ts';

type Place = Pick<AlertKey, 'subject_kind' | 'subject_id'>;
export type IsVisible = (place: Place) => Promise<boolean>;

/** Returns whether a caller may read an alert; each right is asked once. The answers hold for one call. */
export function visibleTo(auth: Auth, caller: Principal): IsVisible {
  const asked = new Map<string, Promise<boolean>>();
  const mayAll = auth.allows(caller, mayDo('read'));
  return async ({ subject_kind, subject_id }) => {
    if (await mayAll) return true;
    if (subject_kind !== 'agent') return false;
    const known = asked.get(subject_id) ?? auth.allows(caller, mayDo('read', [subject_id]));
    asked.set(subject_id, known);
    return known;
  };
}

/** Returns those that the caller may read, at most so many. */
export async function readable<T extends Place>(
  places: readonly T[],
  isVisible: IsVisible,
  most: number,
): Promise<T[]> {
  const found: T[] = [];
  for (const place of places) {
    if (found.length >= most) break;
    if (await isVisible(place)) found.push(place);
  }
  return found;
}

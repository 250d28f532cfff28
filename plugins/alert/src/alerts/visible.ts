import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { type Auth, canonicalUuid, type Principal } from '@svc/plugin-sdk';
import type { Tokens } from '@svc/plugin-token/api';
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

/** Tells whether a caller may read alerts of all machines, or of one that is registered. */
export async function mayReadAny(
  {
    auth,
    tokens,
    registry,
  }: { auth: Auth; tokens: Tokens; registry: Pick<AgentRegistry, 'known'> },
  caller: Principal,
): Promise<boolean> {
  if (caller.super) return true;
  const scopes = tokens.scopes(caller, { alert: 'read' });
  const uuids = scopes.map((scope) => (scope === 'global' ? undefined : scope['agent_uuid']));
  if (scopes.includes('global')) return auth.allows(caller, mayDo('read'));
  const uuid = uuids.find((one) => one !== undefined && registry.known(canonicalUuid(one)));
  // The token has the right: what is asked is whether it is still valid.
  return uuid !== undefined && auth.allows(caller, mayDo('read', [canonicalUuid(uuid)]));
}

import { setImmediate as breathe } from 'node:timers/promises';
import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { type Auth, canonicalUuid, type Principal, type Scope } from '@svc/plugin-sdk';
import type { Tokens } from '@svc/plugin-token/api';
import type { MonitorNames } from '../monitors.ts';
import { mayAlert, mayDo, type Subject } from '../rules/rights.ts';

/** Rights of one turn of the event loop. */
const SLICE = 500;

export type IsVisible = (subject: Subject) => Promise<boolean>;

export interface VisibleParts {
  readonly auth: Auth;
  readonly monitors: MonitorNames;
}

/** Returns whether a caller may read an alert; each right is asked once. The answers hold for one call. */
export function visibleTo({ auth, monitors }: VisibleParts, caller: Principal): IsVisible {
  const asked = new Map<string, Promise<boolean>>();
  const mayAll = auth.allows(caller, mayDo('read'));
  return async (subject) => {
    const { subject_kind, subject_id } = subject;
    if (await mayAll) return true;
    if (subject_kind !== 'agent' && subject_kind !== 'monitor') return false;
    const isAgent = subject_kind === 'agent';
    const key = `${subject_kind} ${isAgent ? subject_id : monitors.nameOf(subject)}`;
    const known = asked.get(key) ?? auth.allows(caller, mayAlert('read', subject, monitors));
    asked.set(key, known);
    return known;
  };
}

/** Agents of which this credential may read alerts; undefined: they cannot be listed, so each right is asked. */
export function agentsOf(tokens: Tokens, caller: Principal): string[] | undefined {
  if (caller.super || !tokens.record(caller)) return undefined;
  const scopes = tokens.scopes(caller, { alert: 'read' });
  // Names of monitors are patterns.
  const isListed = (scope: Scope) => scope !== 'global' && scope['monitor'] === undefined;
  if (!scopes.every(isListed)) return undefined;
  const uuids = scopes.flatMap((scope) => (scope === 'global' ? [] : (scope['agent_uuid'] ?? [])));
  return [...new Set(uuids.map(canonicalUuid))];
}

/** Returns what the caller may read out of slices, at most so many; more is not read then. */
export async function readableOf<T extends Subject>(
  slices: AsyncIterable<readonly T[]>,
  isVisible: IsVisible,
  most: number,
): Promise<T[]> {
  const found: T[] = [];
  for await (const slice of slices) {
    for (const one of await readable(slice, isVisible, most - found.length)) found.push(one);
    if (found.length >= most) break;
  }
  return found;
}

/** Returns those that the caller may read, at most so many. */
export async function readable<T extends Subject>(
  places: readonly T[],
  isVisible: IsVisible,
  most: number,
): Promise<T[]> {
  const found: T[] = [];
  for (const [at, place] of places.entries()) {
    if (found.length >= most) break;
    if (at % SLICE === SLICE - 1) await breathe();
    if (await isVisible(place)) found.push(place);
  }
  return found;
}

/** Tells whether a caller may read alerts of all machines, of one that is registered, or of monitors. */
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
  const monitor = scopes.find((scope) => scope !== 'global' && scope['monitor'] !== undefined);
  if (monitor && (await auth.allows(caller, { ...mayDo('read'), scopes: [monitor] }))) return true;
  const uuid = uuids.find((one) => one !== undefined && registry.known(canonicalUuid(one)));
  // The token has the right: what is asked is whether it is still valid.
  return (
    uuid !== undefined && auth.allows(caller, mayDo('read', { agents: [canonicalUuid(uuid)] }))
  );
}

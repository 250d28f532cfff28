import type { Permission } from '@svc/plugin-sdk';
import type { Limit, Time } from '../api.ts';
import type { Token } from '../records/token.ts';
import { groupByEntries } from './granting-entries.ts';

/** Rights and validity of a token to be created. */
export interface NewTokenRights {
  readonly limits: readonly Limit[];
  readonly timestamp_from: Time;
  readonly timestamp_to: Time;
}

const CREATE: Permission = { token: 'create' };

/**
 * Tells whether a token may create another one: a child is no wider than its parent in rights and time, and may not create tokens itself
 * (auth.md §10; the Super Token is not asked).
 */
export async function mayCreate(parent: Token, child: NewTokenRights): Promise<boolean> {
  if (parent.validity() !== 'ok' || parent.scopes(CREATE).length === 0) return false;
  if (child.limits.some(({ permissions }) => permissions.some(isCreate))) return false;
  if (!isWithin(parent, child)) return false;
  for (const limit of child.limits) if (!(await contains(parent, limit))) return false;
  return true;
}

const isCreate = (permission: Permission): boolean => 'token' in permission;

/** Scopes that are compared before other calls get their turn. */
const SLICE_SIZE = 500;

async function contains(parent: Token, { scopes, permissions }: Limit): Promise<boolean> {
  const held = groupByEntries(parent.entries, permissions, (entry, permission) =>
    entry.containsPermission(permission),
  );
  for (const [at, scope] of scopes.entries()) {
    const isContained = held.every(({ entries }) =>
      entries.some((entry) => entry.containsScope(scope)),
    );
    if (!isContained) return false;
    if (at % SLICE_SIZE === SLICE_SIZE - 1) await new Promise(setImmediate);
  }
  return true;
}

function isWithin(parent: Token, child: NewTokenRights): boolean {
  const from = parent.timestamp_from;
  const to = parent.timestamp_to;
  if (from !== null && (child.timestamp_from === null || child.timestamp_from < from)) return false;
  return to === null || (child.timestamp_to !== null && child.timestamp_to <= to);
}

import type { Permission } from '@svc/plugin-sdk';
import type { Limit, Time } from './api.ts';
import type { Token } from './token.ts';

/** What a new token is to hold. */
export interface Wanted {
  readonly limits: readonly Limit[];
  readonly timestamp_from: Time;
  readonly timestamp_to: Time;
}

const CREATE: Permission = { token: 'create' };

/**
 * The token-creation permission: a child is no wider than its parent in rights and time, and may not create tokens itself
 * (auth.md §10; the Super Token is not asked).
 */
export function mayCreate(parent: Token, child: Wanted): boolean {
  if (parent.validity() !== 'ok' || parent.scopes(CREATE).length === 0) return false;
  if (child.limits.some(({ permissions }) => permissions.some(isCreate))) return false;
  return child.limits.every((limit) => contains(parent, limit)) && isWithin(parent, child);
}

const isCreate = (permission: Permission): boolean => 'token' in permission;

function contains(parent: Token, { scopes, permissions }: Limit): boolean {
  return scopes.every((scope) =>
    permissions.every((permission) =>
      parent.entries.some((entry) => entry.contains(scope, permission)),
    ),
  );
}

function isWithin(parent: Token, child: Wanted): boolean {
  const from = parent.timestamp_from;
  const to = parent.timestamp_to;
  if (from !== null && (child.timestamp_from === null || child.timestamp_from < from)) return false;
  return to === null || (child.timestamp_to !== null && child.timestamp_to <= to);
}

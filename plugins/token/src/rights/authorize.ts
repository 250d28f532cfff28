import type { Principal, Requirement } from '@svc/plugin-sdk';
import type { Tokens } from '../api.ts';
import type { Components } from '../components.ts';
import { tokenOf } from '../records/token.ts';

/** `authorize` hook (auth.md §6.3); callers that are no token are left to other plugins. */
export function authorize(
  caller: Principal,
  requirement: Requirement,
): 'allow' | 'deny' | undefined {
  if (caller.super) return 'allow';
  const token = tokenOf(caller);
  if (!token) return undefined;
  return token.validity() === 'ok' && token.covers(requirement) ? 'allow' : 'deny';
}

/** Service `Tokens` for other plugins. */
export const createTokens = ({ login, refresh }: Components): Tokens => ({
  record: (caller) => tokenOf(caller),
  validity: (caller) => tokenOf(caller)?.validity() ?? 'ok',
  scopes: (caller, permission) => tokenOf(caller)?.scopes(permission) ?? [],
  async basic(user, password, origin) {
    await refresh.overdue();
    return login.basic(user, password, origin);
  },
});

import { type Methods, superOnly, Type } from '@svc/plugin-sdk';
import type { Components } from '../components.ts';
import { malformedPlain } from '../login/credential.ts';
import { checkNewPassword } from '../passwords/policy.ts';
import { PasswordChanged, Target } from '../schemas.ts';
import { denySession } from '../sessions/session.ts';
import { extractedTarget, nameIn, notFound } from './targets.ts';

/** `token_change_password` (token.md §7): extracted target; ends the sessions of the token. */
export function addChangePassword(methods: Methods, components: Components): void {
  const { store, refresh } = components;
  methods.add('token_change_password', {
    summary: 'Set a new password.',
    params: {
      target_token: Target,
      new_password: Type.String({
        description: 'At least 8 characters, and none of the 10,000 commonest passwords.',
      }),
    },
    result: PasswordChanged,
    audit: ({ target_token }) => nameIn(target_token),
    access: superOnly('Only SuperToken can perform this operation'),
    malformed: malformedPlain,
    check: ({ new_password }) => checkNewPassword(new_password, components.passwordPolicy()),
    async handle({ target_token, new_password }, { log, caller }) {
      const { id } = await extractedTarget(store, target_token);
      denySession(caller, id);
      const changed = await store.setPassword(id, await components.hashPassword(new_password));
      await refresh.changed({ id });
      if (!changed) throw notFound(target_token, 'Target token');
      log.info('password changed', { id });
      return { success: true as const, message: 'Password changed successfully' };
    },
  });
}

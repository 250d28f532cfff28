import { type Methods, superOnly, Type } from '@svc/plugin-sdk';
import { parseLimits } from '../limits.ts';
import type { Parts } from '../parts.ts';
import { Limits, Target } from '../schemas.ts';
import { exactTarget, nameIn, notFound } from '../targets.ts';

/** `token_edit` (token.md §6): replaces the limits, nothing else. */
export function addEdit(methods: Methods, { store, refresh, vocabulary }: Parts): void {
  methods.add('token_edit', {
    summary: 'Replace the limits of a token.',
    params: { target_token: Target, limit: Limits },
    result: Type.Object({
      success: Type.Literal(true),
      id: Type.Integer(),
      token_key: Type.String(),
    }),
    audit: ({ target_token }) => nameIn(target_token),
    prepare: ({ target_token, limit }) => ({
      target_token,
      limits: parseLimits(limit, vocabulary),
    }),
    access: superOnly('Only SuperToken can edit token limits'),
    async handle({ target_token, limits }, { log }) {
      const { id, token_key } = await exactTarget(store, target_token, 'Database query error: ');
      const changed = await store.setLimit(id, JSON.stringify(limits));
      await refresh.changed({ id });
      if (!changed) throw notFound(target_token);
      log.info('token changed', { token_key });
      return { success: true as const, id, token_key };
    },
  });
}

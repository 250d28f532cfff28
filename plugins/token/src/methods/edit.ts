import { type Methods, superOnly, Type } from '@svc/plugin-sdk';
import type { Components } from '../components.ts';
import { demandNoGrowth, isLarger, sizeOf } from '../rights/limit-size.ts';
import { parseLimits } from '../rights/limits.ts';
import { ChangedLimits, Target } from '../schemas.ts';
import { exactTarget, nameIn, notFound } from './targets.ts';

/** `token_edit` (token.md §6): replaces the limits, nothing else. */
export function addEdit(methods: Methods, { store, refresh, vocabulary }: Components): void {
  methods.add('token_edit', {
    summary: 'Replace the limits of a token.',
    params: { target_token: Target, limit: ChangedLimits },
    result: Type.Object({
      success: Type.Literal(true),
      id: Type.Integer(),
      token_key: Type.String(),
    }),
    audit: ({ target_token }) => nameIn(target_token),
    // A limit that is too large for a new token is judged against the stored one.
    prepare: ({ target_token, limit }) => ({
      target_token,
      limit,
      limits: isLarger(sizeOf(limit)) ? undefined : parseLimits(limit, vocabulary),
    }),
    access: superOnly('Only SuperToken can edit token limits'),
    async handle({ target_token, limit, limits: read }, { log }) {
      const { id, token_key } = await exactTarget(store, target_token, 'Database query error: ');
      if (!read) demandNoGrowth(limit, 'limit', (await store.read(id))?.token_limit ?? '[]');
      const limits = read ?? parseLimits(limit, vocabulary);
      const changed = await store.setLimit(id, JSON.stringify(limits));
      await refresh.changed({ id });
      if (!changed) throw notFound(target_token);
      log.info('token changed', { token_key });
      return { success: true as const, id, token_key };
    },
  });
}

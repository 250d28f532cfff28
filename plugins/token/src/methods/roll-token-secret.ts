import { type Methods, superOnly } from '@svc/plugin-sdk';
import type { Components } from '../components.ts';
import { malformedPlain, newSecret } from '../login/credential.ts';
import { KeyAndSecret, Target } from '../schemas.ts';
import { denySession } from '../sessions/session.ts';
import { extractedTarget, nameIn, notFound } from './targets.ts';

/** `token_roll_token_secret` (token.md §8): the old secret stops working before the answer. */
export function addRollTokenSecret(methods: Methods, components: Components): void {
  const { store, refresh } = components;
  methods.add('token_roll_token_secret', {
    summary: 'Give a token a new secret.',
    params: { target_token: Target },
    result: KeyAndSecret,
    audit: ({ target_token }) => nameIn(target_token),
    secret: true,
    access: superOnly('Only SuperToken can perform this operation'),
    malformed: malformedPlain,
    async handle({ target_token }, { log, caller }) {
      const { id, token_key } = await extractedTarget(store, target_token);
      denySession(caller, id);
      const secret = newSecret();
      const changed = await store.setSecret(id, components.hashSecret(secret));
      await refresh.changed({ id });
      if (!changed) throw notFound(target_token, 'Target token');
      log.info('token secret rolled', { token_key });
      return { key: token_key, secret };
    },
  });
}

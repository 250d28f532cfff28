import { type Methods, RpcError, superOnly, Type } from '@svc/plugin-sdk';
import type { Components } from '../components.ts';
import { orDatabaseError } from '../records/store.ts';
import { Target } from '../schemas.ts';
import { notFound } from './targets.ts';

const State = Type.Union([Type.Literal('valid'), Type.Literal('expired'), Type.Literal('deleted')]);

const Named = Type.Object({
  kind: Type.String({ description: '`token`, or what another plugin keeps owners of.' }),
  names: Type.Array(Type.String()),
});

/** `token_dependents`, an addition: dependents of a token, also of a deleted one; exact target. */
export function addDependents(methods: Methods, { store, owners }: Components): void {
  methods.add('token_dependents', {
    summary: 'List what hangs on a token: tokens that it created, jobs, workers, routes, buckets.',
    addition: true,
    params: { target_token: Target },
    result: Type.Object({
      token_key: Type.String(),
      state: State,
      suspended: Type.Boolean(),
      dependents: Type.Array(Named),
    }),
    access: superOnly('Only SuperToken can list what hangs on a token'),
    async handle({ target_token }) {
      const found = await orDatabaseError('Database query error: ', store.find(target_token));
      const token_key = found?.token_key ?? target_token;
      const state = await owners.state(token_key);
      if (state === 'super') {
        throw RpcError.invalid(
          'what has no other owner hangs on the Super Token; name another token',
        );
      }
      const dependents = await owners.dependentsOf(token_key);
      if (!found && dependents.every(({ names }) => names.length === 0)) throw notFound(token_key);
      const suspended = await owners.isSuspended(token_key);
      return { token_key, state, suspended, dependents };
    },
  });
}

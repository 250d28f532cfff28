import { type Methods, RpcError, superOnly, Type } from '@svc/plugin-sdk';
import { trim } from '@svc/plugin-sdk/util';
import type { Components } from '../components.ts';
import { orDatabaseError, SUPER_ID } from '../records/store.ts';
import { Target } from '../schemas.ts';
import { nameIn, notFound } from './targets.ts';

/** `token_delete` (token.md §5): exact target, by key and then by username; never the Super Token. */
export function addDelete(methods: Methods, components: Components): void {
  const { store, refresh, owners, holdings } = components;
  methods.add('token_delete', {
    summary: 'Delete a token by key or username.',
    params: { target_token: Target },
    result: Type.Object({
      message: Type.String(),
      rows_affected: Type.Integer(),
      matched_by: Type.Union([Type.Literal('token_key'), Type.Literal('username')]),
    }),
    audit: ({ target_token }) => nameIn(target_token),
    access: superOnly('Only SuperToken can delete tokens'),
    check({ target_token }) {
      if (trim(target_token) === '') throw RpcError.invalid('target_token cannot be empty');
    },
    async handle({ target_token }, { log, caller }) {
      const top = await orDatabaseError('', store.nameOf(SUPER_ID));
      if (!top) throw RpcError.notFound('Super Token record (ID 1) not found in database');
      if (target_token === top.token_key || target_token === top.username) {
        throw RpcError.denied('SuperToken cannot be deleted');
      }
      const found = await orDatabaseError('', store.find(target_token));
      const remember = async (key: string) => {
        const holder = await holdings.successorOf(key);
        const leaves = holder !== undefined || (await owners.hasDependents(key));
        return leaves ? { holder: holder ?? null } : undefined;
      };
      const gone = found && (await store.delete(found, await remember(found.token_key)));
      if (!gone) throw notFound(target_token);
      await refresh.changed({ id: found.id, gone: found.token_key }, -1);
      log.info('token deleted', { token_key: found.token_key, by: caller.id });
      return {
        message: `Token ${target_token} deleted successfully by SuperToken`,
        rows_affected: 1,
        matched_by:
          found.token_key === target_token ? ('token_key' as const) : ('username' as const),
      };
    },
  });
}

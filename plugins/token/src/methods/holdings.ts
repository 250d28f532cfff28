import { type Methods, optional, RpcError, Type } from '@svc/plugin-sdk';
import type { Components } from '../components.ts';
import { heldBy, heldByAll } from '../holdings/answers.ts';
import { orDatabaseError, SUPER_ID } from '../records/store.ts';
import { Target } from '../schemas.ts';
import { isOwnTarget } from './targets.ts';

const DENIED = 'Only SuperToken can see what the tokens of others hold';

const OrNull = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description });

const Held = Type.Object({
  kind: Type.String({ description: '`token`, or what another plugin counts: `job`, `worker`.' }),
  rows: Type.Integer(),
  bytes: Type.Integer({ description: '0 where only rows are counted.' }),
  max_rows: OrNull('null: no limit.'),
  max_bytes: OrNull('null: no limit.'),
});

const Owner = Type.Object({
  token_key: Type.Union([Type.String(), Type.Null()], {
    description: 'The topmost token of those that created each other; null: the Super Token.',
  }),
  username: Type.Union([Type.String(), Type.Null()]),
  kinds: Type.Array(Held),
});

/** `token_holdings`, an addition (token.md §14): what each owner holds, and how much it may. */
export function addHoldings(methods: Methods, { store, holdings, holdingStore }: Components): void {
  methods.add('token_holdings', {
    summary:
      'Say how many rows and bytes the owner of a token holds of each kind, and how many it may.',
    description:
      'An owner is a token with all that it created. Without a target the Super Token gets those who hold most: at most 100 of a kind, ' +
      'first itself, then those who are nearest to a limit, each with the kinds of which it holds something.',
    addition: true,
    params: { target_token: optional(Target) },
    result: Type.Object({ owners: Type.Array(Owner) }),
    right: { words: 'any credential for its own owner; the Super Token for all' },
    access: 'authenticated',
    async check({ target_token }, { caller }) {
      if (typeof target_token !== 'string' || caller.super) return;
      if (!(await isOwnTarget(store, caller, target_token))) throw RpcError.denied(DENIED);
    },
    async handle({ target_token }, { caller, signal }) {
      const { kinds } = holdings;
      const asked = { kinds, store: holdingStore, reader: { signal, share: caller.id } };
      if (caller.super && typeof target_token !== 'string')
        return { owners: await heldByAll(asked) };
      const found =
        target_token && (await orDatabaseError('Database query error: ', store.find(target_token)));
      const key = found ? found.token_key : (target_token ?? caller.id);
      const isSuper = found && found.id === SUPER_ID;
      const holder = isSuper ? null : await holdingStore.holderOf(key);
      return { owners: [await heldBy(asked, holder)] };
    },
  });
}

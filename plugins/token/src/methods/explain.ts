import { type Methods, optional, RpcError, Type } from '@svc/plugin-sdk';
import type { RegisteredMethod } from '@svc/plugin-sdk/kernel';
import { MOST_WORDS } from '@svc/plugin-sdk/schemas';
import type { Components } from '../components.ts';
import { explain } from '../rights/explain.ts';
import { Explanation, Target } from '../schemas.ts';
import { isOwnTarget, notFound } from './targets.ts';

const DENIED = 'Only SuperToken can explain the rights of another token';

/** `token_explain`, an addition (token.md §11): why a call is allowed or denied. */
export function addExplain(
  methods: Methods,
  { lookups, store }: Components,
  known: ReadonlyMap<string, RegisteredMethod>,
): void {
  methods.add('token_explain', {
    summary: 'Say why a call is allowed or denied, and which entry of the limit is missing.',
    description:
      'The rule of the method is asked, not the method: nothing is told of what exists. `entry` counts from 0 in the `token_limit` ' +
      'of the token; `allowed` is null where only the call itself can decide.',
    addition: true,
    params: {
      method: Type.String({ description: 'Name of the method.' }),
      params: optional(
        Type.Record(Type.String(), Type.Unknown(), {
          maxProperties: MOST_WORDS,
          description:
            'Its parameters by name, without the credential. Left out, only a rule that does not look at them is asked.',
        }),
      ),
      target_token: optional(Target),
    },
    result: Explanation,
    right: { words: 'any credential for itself; the Super Token for others' },
    access: {
      custom: async ({ target_token }, call) => {
        const caller = await call.authenticate();
        if (typeof target_token !== 'string' || caller.super) return;
        if (await isOwnTarget(store, caller, target_token)) return;
        throw RpcError.denied(DENIED);
      },
    },
    async handle({ method: name, params, target_token }, { caller }) {
      const asked =
        typeof target_token === 'string' ? await lookups.byName(target_token) : undefined;
      if (typeof target_token === 'string' && !asked) throw notFound(target_token);
      const method = known.get(name);
      if (!method) throw RpcError.invalid(`this server has no method '${name.slice(0, 64)}'`);
      const judged = explain(method, params ?? undefined, asked?.principal ?? caller);
      return { method: name, token_key: asked?.key ?? caller.id, ...judged };
    },
  });
}

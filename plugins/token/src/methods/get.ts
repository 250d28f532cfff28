import { type AccessContext, type Methods, optional, RpcError, Type } from '@svc/plugin-sdk';
import type { TokenRecord } from '../api.ts';
import type { Components } from '../components.ts';
import { malformed } from '../login/credential.ts';
import { tokenOf } from '../records/token.ts';
import { TokenObject } from '../schemas.ts';
import { superOrDenied } from './access.ts';
import { tokenObject } from './answers.ts';
import { notFound } from './targets.ts';

const DENIED = 'Only SuperToken can query by username/token_key in token_get';

/** `token_get` (token.md §3): one's own record, or any for the Super Token. */
export function addGet(methods: Methods, { login, lookups }: Components): void {
  /** A full credential must authenticate, unless the whole text is a username; anything else is a key or username. */
  async function lookUp(name: string): Promise<TokenRecord> {
    if (!name.includes(':') && !name.includes('|')) {
      const named = await lookups.byName(name);
      if (!named) throw notFound(name);
      return named;
    }
    const found = (await login.verify(name)) ?? (await lookups.byUsername(name));
    if (!found) throw RpcError.denied('Invalid credentials');
    return found;
  }

  async function find(
    call: AccessContext,
    supertoken: string | null | undefined,
  ): Promise<TokenRecord> {
    if (supertoken === null || supertoken === undefined) {
      const own = tokenOf(await call.authenticate());
      if (!own) throw notFound(call.caller.id);
      return own;
    }
    await superOrDenied(DENIED, () => call.authenticate(supertoken), malformed('supertoken'));
    return lookUp(call.credential);
  }

  methods.add('token_get', {
    summary: 'Show the record of a credential; the Super Token may ask for any key or username.',
    params: {
      supertoken: optional(Type.String({ description: 'Super Token; plain mode without.' })),
    },
    result: TokenObject,
    prepare: ({ supertoken }): { supertoken: typeof supertoken; asked?: TokenRecord } => ({
      supertoken,
    }),
    right: { words: 'any valid credential for its own record; the Super Token for others' },
    access: {
      custom: async (input, call) => {
        input.asked = await find(call, input.supertoken);
      },
    },
    handle({ asked }, { caller }) {
      if (!asked) throw notFound(caller.id);
      return tokenObject(asked);
    },
  });
}

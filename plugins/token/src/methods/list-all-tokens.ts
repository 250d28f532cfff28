import { type Methods, superOnly, Type } from '@svc/plugin-sdk';
import { tokenObject } from '../answers.ts';
import type { Parts } from '../parts.ts';
import { TokenObject } from '../schemas.ts';

/** `token_list_all_tokens` (token.md §9): every record, ordered by id. */
export function addListAllTokens(methods: Methods, { records }: Parts): void {
  methods.add('token_list_all_tokens', {
    summary: 'List every token.',
    params: {},
    result: Type.Object({ tokens: Type.Array(TokenObject) }),
    access: superOnly('Only SuperToken can list all tokens'),
    handle: () => ({ tokens: records.list().map(tokenObject) }),
  });
}

import { setImmediate } from 'node:timers/promises';
import { type Methods, RpcError, superOnly, Type } from '@svc/plugin-sdk';
import { RawJson, stringifyJson } from '@svc/plugin-sdk/json';
import type { Components } from '../components.ts';
import { TokenObject } from '../schemas.ts';
import { rowObject } from './answers.ts';

/** Records of one read. */
const PAGE = 100;
/** A longer limit is read in a turn of the event loop of its own, and written in another. */
const LONG = 16_384;

/** `token_list_all_tokens` (token.md §9): every record, ordered by id. */
export function addListAllTokens(methods: Methods, components: Components): void {
  methods.add('token_list_all_tokens', {
    summary: 'List every token.',
    params: {},
    result: Type.Object({ tokens: Type.Array(TokenObject) }),
    access: superOnly('Only SuperToken can list all tokens'),
    handle: async () => new RawJson(`{"tokens":[${await all(components)}]}`),
  });
}

/** Serializes all records page by page, up to the limit of an answer. @throws RpcError -32008, 103 */
async function all({ reads, vocabulary, maxBytes }: Components): Promise<string> {
  const most = maxBytes();
  let [text, last] = ['', 0];
  for (;;) {
    const rows = await reads.page(last, PAGE);
    for (const row of rows) {
      const isLong = row.token_limit.length > LONG;
      if (isLong) await setImmediate();
      const object = rowObject(row, vocabulary);
      if (isLong) await setImmediate();
      text += `${text && ','}${stringifyJson(object)}`;
      if (text.length > most) throw RpcError.responseTooBig(most);
      last = row.id;
    }
    if (rows.length < PAGE) return text;
    await setImmediate();
  }
}

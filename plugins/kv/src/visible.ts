import { type AccessContext, type Principal, RpcError } from '@svc/plugin-sdk';
import type { Tokens } from '@svc/plugin-token/api';
import { compareBytes } from './names.ts';

const LIST = { kv: 'list_all_namespace' } as const;

/** The names that a caller may list, in byte order, whether they exist or not (kv.md §4.8). */
export function listable(tokens: Tokens, caller: Principal): 'all' | readonly string[] {
  if (caller.super) return 'all';
  const scopes = tokens.scopes(caller, LIST);
  if (scopes.includes('global')) return 'all';
  const names = scopes.map((scope) => (scope === 'global' ? undefined : scope['kv_namespace']));
  return [...new Set(names.filter((name) => name !== undefined))].sort(compareBytes);
}

/** Some entry must hold the permission in global scope or in a namespace; the error texts of the validity window are this method's own. */
export const mayListNamespaces = (tokens: Tokens) => ({
  async custom(_params: object, call: AccessContext): Promise<void> {
    const caller = await call.authenticate();
    const validity = tokens.validity(caller);
    if (validity === 'early') {
      throw RpcError.denied('Token is not yet valid for listing KV namespaces');
    }
    if (validity === 'late') throw RpcError.denied('Token has expired for listing KV namespaces');
    const names = listable(tokens, caller);
    if (names !== 'all' && names.length === 0) {
      throw RpcError.denied('No permission to list KV namespaces');
    }
  },
});

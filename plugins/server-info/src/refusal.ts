import { type Brand, RpcError } from '@svc/plugin-sdk';

/** The drivers' words for what a caller is kept from. */
const KEPT = /^Other error: (?:not authorized|permission denied for|must be owner of)/;
const OUTSIDE = RpcError.config('').code;

/** What an operator reads of a refusal that may be an attack; undefined for any other error. */
export function refusalOf(method: string, error: RpcError, brand: Brand): string | undefined {
  if (KEPT.test(error.message) && method === brand.rewrite('svc-server_exec_sql'))
    return 'SQL on what is closed to the token';
  if (error.code === OUTSIDE && method === brand.rewrite('svc-server_edit_config'))
    return 'configuration that only the operator may write';
  return undefined;
}

import { type Brand, RpcError } from '@svc/plugin-sdk';

/** The drivers' words for what a caller is kept from. */
const KEPT = /^Other error: (?:not authorized|permission denied for|must be owner of)/;
/** Reasons of a refusal; only these, so that no text of a caller makes reasons of its own. */
const QUOTA =
  /\bmax_(?:(?:namespace|database|bucket|result|child)_bytes|databases(?:_per_token)?|children|pages|codes|(?:jobs|job_bytes|workers|worker_bytes|pages|codes|buckets)_per_owner) under \[(?:kv|db|static-bucket|js-worker|task|token|crontab|status-page|enrol)\]/;
const OUTSIDE = RpcError.config('').code;

/** Returns the text for the operator about a refusal that may be an attack; undefined for any other error. */
export function refusalOf(method: string, error: RpcError, brand: Brand): string | undefined {
  if (KEPT.test(error.message) && method === brand.rewrite('svc-server_exec_sql'))
    return 'SQL on what is closed to the token';
  if (error.code === OUTSIDE && method === brand.rewrite('svc-server_edit_config'))
    return 'configuration that only the operator may write';
  const quota = QUOTA.exec(error.message);
  return quota ? `more than ${quota[0]}` : undefined;
}

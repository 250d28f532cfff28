import { type Principal, RpcError } from '@svc/plugin-sdk';
import { ROLL_COMMAND } from '../records/super-token.ts';

/** Error without a Super Token record, which each check requires first (conventions.md §5.2). */
export const superMissing = () =>
  RpcError.denied('Not found in database: Super Token record (ID 1) not found in cache');

export const ROOT = 'root';

/** Returns the principal, or refuses root with a hint: its name is no secret. */
export function orRootRefusal(found: Principal | undefined): Principal {
  if (found) return found;
  const data = `wrong password of root; when it is lost: ${ROLL_COMMAND} -c FILE`;
  throw RpcError.denied('Invalid credentials', { data });
}

import { type Principal, RpcError } from '@svc/plugin-sdk';
import { ROLL } from '../records/super-token.ts';

/** conventions.md §5.2: every check begins with the Super Token's record. */
export const superMissing = () =>
  RpcError.denied('Not found in database: Super Token record (ID 1) not found in cache');

export const ROOT = 'root';

/** The name of root is no secret, so a refusal of its password may say what helps. */
export function orWayOut(found: Principal | undefined): Principal {
  if (found) return found;
  const data = `wrong password of root; when it is lost: ${ROLL} -c FILE`;
  throw RpcError.denied('Invalid credentials', { data });
}

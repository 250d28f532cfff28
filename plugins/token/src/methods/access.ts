import { type Principal, RpcError } from '@svc/plugin-sdk';

const WRONG = RpcError.denied('Invalid credentials').message;
const MALFORMED = 101;

/**
 * Super check with the method's own text: a wrong secret and an ordinary token are told the same (token.md §1).
 * `malformed` replaces the error for text that is no credential.
 */
export async function superOr(
  denied: string,
  authenticate: () => Promise<Principal>,
  malformed?: RpcError,
): Promise<Principal> {
  const caller = await authenticatedOr(denied, authenticate, malformed);
  if (!caller.super) throw RpcError.denied(denied);
  return caller;
}

/** Any valid credential; a wrong one gets the method's own text. */
export async function authenticatedOr(
  denied: string,
  authenticate: () => Promise<Principal>,
  malformed?: RpcError,
): Promise<Principal> {
  try {
    return await authenticate();
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    if (error.code === MALFORMED) throw malformed ?? error;
    throw error.message === WRONG ? RpcError.denied(denied, { data: error.data }) : error;
  }
}

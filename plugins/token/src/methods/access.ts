import { type Principal, RpcError } from '@svc/plugin-sdk';

const WRONG = RpcError.denied('Invalid credentials').message;
const MALFORMED = 101;

/**
 * Demands the Super Token, with the method's own text: a wrong secret and an ordinary token get the same answer (token.md §1).
 * `malformed` replaces the error for text that is no credential.
 */
export async function superOrDenied(
  denied: string,
  authenticate: () => Promise<Principal>,
  malformed?: RpcError,
): Promise<Principal> {
  const caller = await authenticatedOrDenied(denied, authenticate, malformed);
  if (!caller.super) throw RpcError.denied(denied);
  return caller;
}

/** Demands any valid credential; a wrong one gets the method's own text. */
export async function authenticatedOrDenied(
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

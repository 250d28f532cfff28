import { RpcError } from '@svc/client';

/** Tells whether the server says that what was asked for is not in its database. */
export const isMissing = (error: unknown): boolean =>
  error instanceof RpcError && error.code === 105;

import { RpcError } from '@svc/plugin-sdk';
import { isZeroText } from '@svc/plugin-sdk/util';

interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The text of an error response. `id` is the JSON text of the call's id. */
export const errorText = (id: string, { code, message, data }: ErrorObject): string => {
  const more = data === undefined ? '' : `,"data":${JSON.stringify(data)}`;
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":${JSON.stringify(message)}${more}}}`;
};

export const exceeded = (limit: number | string) => `Exceeded max limit of ${limit}`;

const TOO_LARGE = 'The batch response was too large';
/** Answers of conventions.md §5.3 that belong to no method. */
export const PARSE_ERROR = errorText('null', { code: -32700, message: 'Parse error' });
export const INTERNAL_ERROR = errorText('null', { code: -32603, message: 'Internal error' });
export const invalidRequest = (id: string, data?: string) =>
  errorText(id, { code: -32600, message: 'Invalid request', data });
export const requestTooBig = (limit: number) =>
  errorText('null', { code: -32007, message: 'Request is too big', data: exceeded(limit) });
export const batchTooBig = (limit: number) =>
  errorText('null', { code: -32011, message: TOO_LARGE, data: exceeded(limit) });

const DATABASE = RpcError.database('').code;

/** Answer of a call to what was thrown in it. */
export function rpcErrorOf(thrown: unknown): RpcError {
  if (!(thrown instanceof RpcError))
    return RpcError.other('Internal server error', { cause: thrown });
  // Not a failure of the database: the caller learns what to leave out.
  return thrown.code === DATABASE && isZeroText(thrown) ? RpcError.zero() : thrown;
}

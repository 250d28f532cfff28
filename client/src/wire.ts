import { RpcError } from './errors.ts';

/** One answer, or one item of a subscription. */
export interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  readonly params?: {
    readonly subscription?: unknown;
    readonly result?: unknown;
    readonly error?: unknown;
  };
}

export const errorOf = ({ error }: Message): RpcError | undefined =>
  error && new RpcError(error.code, error.message, error.data);

/** @throws RpcError when the server refused */
export function resultOf(message: Message): unknown {
  const error = errorOf(message);
  if (error) throw error;
  return message.result;
}

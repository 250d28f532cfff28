import { RpcError } from '@svc/client';

/** One thing of a file: a channel, policy, monitor, rule or window. */
export type Item = Readonly<Record<string, unknown>> & { readonly name: string };

/** One change that a file asks for. */
export interface Step {
  /** "rule web busy" */
  readonly title: string;
  readonly text: string;
  readonly call: readonly [method: string, params: object];
}

/** Returns the words of the server's refusal. @throws the error, when the server did not refuse */
export function reasonOf(error: unknown): string {
  if (!(error instanceof RpcError)) throw error;
  return typeof error.data === 'string' ? `${error.message}: ${error.data}` : error.message;
}

import { type Example, type RegisteredMethod, RpcError } from '@svc/plugin-sdk';

export interface ErrorFacts {
  readonly code: number;
  readonly message: string;
}

const MALFORMED = "Invalid token format: must be 'key:secret' or 'username|password'";

/** Errors that a call may end with, by code: those that the examples show, and those of every method of its kind. */
export function errorsOf(method: RegisteredMethod, examples: readonly Example[]): ErrorFacts[] {
  const shown = examples.flatMap(({ error }) => error ?? []);
  const { mapError = (error: RpcError) => error } = method.definition;
  const common = commonErrors(method).map((error) => (error.code > 0 ? mapError(error) : error));
  const errors = new Map<number, ErrorFacts>();
  for (const { code, message } of [...shown, ...common])
    if (!errors.has(code)) errors.set(code, { code, message });
  return [...errors.values()].sort((a, b) => a.code - b.code);
}

function commonErrors({ credential, definition }: RegisteredMethod): RpcError[] {
  const { malformed, params, open } = definition;
  const takesNothing = credential === undefined && Object.keys(params).length === 0;
  const parse = malformed?.(MALFORMED) ?? RpcError.parse(`Failed to parse token: ${MALFORMED}`);
  return [
    ...(takesNothing ? [] : [RpcError.params('')]),
    ...(open ? [new RpcError(-32006, 'Too many subscriptions on the connection')] : []),
    ...(open ? [new RpcError(-32603, 'Internal error')] : []),
    ...(open ? [] : [RpcError.responseTooBig(0)]),
    ...(credential !== undefined && parse instanceof RpcError ? [parse] : []),
    ...(credential === undefined ? [] : [RpcError.denied('Invalid credentials')]),
    RpcError.other('Internal server error'),
  ];
}

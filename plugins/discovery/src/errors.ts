import { type Example, RpcError } from '@svc/plugin-sdk';
import type { RegisteredMethod } from '@svc/plugin-sdk/kernel';

export interface ErrorFacts {
  readonly code: number;
  readonly message: string;
}

const MALFORMED = "Invalid token format: must be 'key:secret' or 'username|password'";

/** Errors that a call may end with, by code: those that the examples show, and those of every method of its kind. */
export function errorsOf(method: RegisteredMethod, examples: readonly Example[]): ErrorFacts[] {
  const shown = examples.flatMap(({ error }) => error ?? []);
  const { mapError } = method.definition;
  const sent = (error: ErrorFacts): ErrorFacts =>
    mapError && error.code > 0 ? mapError(new RpcError(error.code, error.message)) : error;
  const errors = new Map<number, ErrorFacts>();
  for (const { code, message } of [...shown, ...commonErrors(method).map(sent)])
    if (!errors.has(code)) errors.set(code, { code, message });
  return [...errors.values()].sort((a, b) => a.code - b.code);
}

const fact = (code: number, message: string): ErrorFacts => ({ code, message });

const PARAMS = fact(-32602, 'Invalid params');
const OF_STREAMS = [
  fact(-32006, 'Too many subscriptions on the connection'),
  fact(-32603, 'Internal error'),
];
const TOO_BIG = fact(-32008, 'Response is too big');
const UNREADABLE = fact(101, `Parse error: Failed to parse token: ${MALFORMED}`);
const DENIED = fact(102, 'Permission denied: Invalid credentials');
const BROKEN = fact(999, 'Other error: Internal server error');

function commonErrors({ credential, definition }: RegisteredMethod): ErrorFacts[] {
  const { malformed, params, open } = definition;
  const takesNothing = credential === undefined && Object.keys(params).length === 0;
  const parse = malformed?.(MALFORMED) ?? UNREADABLE;
  return [
    ...(takesNothing ? [] : [PARAMS]),
    ...(open ? OF_STREAMS : [TOO_BIG]),
    ...(credential !== undefined && 'code' in parse ? [parse as ErrorFacts] : []),
    ...(credential === undefined ? [] : [DENIED]),
    BROKEN,
  ];
}

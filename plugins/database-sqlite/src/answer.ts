import { codeOf } from '@svc/plugin-sdk/driver';

/** An answer across a thread or process; `error` is a plain copy, because class and code of an Error do not cross. */
export type Answer =
  | { readonly id: number; readonly result: unknown }
  /** `ends`: the process of the statement ends with it. */
  | { readonly id: number; readonly error: PlainError; readonly ends?: true };

/** `id` of the message of a thread that is about to end. */
export const FATAL = 0;

export interface PlainError {
  readonly message: string;
  /** The driver's code, or the empty text. */
  readonly code: string;
}

export function toPlain(error: unknown): PlainError {
  return { message: error instanceof Error ? error.message : String(error), code: codeOf(error) };
}

export const fromPlain = ({ message, code }: PlainError): Error =>
  Object.assign(new Error(message), { code });

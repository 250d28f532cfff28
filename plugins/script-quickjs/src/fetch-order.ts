import type { FetchRequest } from './api.ts';

/** A fetch as a script asks for it. */
export type FetchOrder = Omit<FetchRequest, 'signal' | 'body'> & {
  /** Above 0; no other fetch of the run that is open has it. */
  readonly key: number;
  readonly body: boolean;
};

const REDIRECTS = ['follow', 'manual', 'error'] as const;

/** Checks what a script has sent: it can replace the built-ins behind its JSON. @throws TypeError */
export function fetchOrder(given: unknown): FetchOrder {
  if (typeof given !== 'object' || given === null) throw malformed();
  const { key, url, method, headers, redirect, body } = given as {
    readonly [name: string]: unknown;
  };
  if (!Array.isArray(headers) || typeof key !== 'number' || !(key > 0)) throw malformed();
  return {
    key,
    url: textOf(url),
    method: textOf(method),
    headers: headers.map(pairOf),
    redirect: REDIRECTS.find((each) => each === redirect) ?? 'follow',
    body: body === true,
  };
}

function pairOf(given: unknown): readonly [string, string] {
  const [name, value] = Array.isArray(given) ? given : [];
  return [textOf(name), textOf(value)];
}

function textOf(given: unknown): string {
  if (typeof given !== 'string') throw malformed();
  return given;
}

const malformed = (): TypeError => new TypeError('the request is malformed');

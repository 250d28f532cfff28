import type { EgressRequest } from '@svc/plugin-egress/api';

export interface InlineOrder {
  readonly worker: string;
  readonly seconds: number | null;
  /** JSON text. */
  readonly params: string;
}

export type FetchOrder = Omit<EgressRequest, 'signal' | 'body'> & {
  /** Above 0; no other fetch of the run that is open has it. */
  readonly key: number;
  readonly body: boolean;
};

const REDIRECTS = ['follow', 'manual', 'error'] as const;

// Scripts can bend what their JSON is made of, so that none of these is sure to have its shape.

export const rpcText = (kind: string, text: string): string =>
  kind === 'rpc' ? text : textOf(JSON.parse(text));

/** @throws TypeError */
export function inlineOrder(given: unknown): InlineOrder {
  const { worker, seconds, params } = membersOf(given);
  if (seconds !== null && !(typeof seconds === 'number' && seconds > 0)) throw malformed();
  const text = textOf(params);
  JSON.parse(text);
  return { worker: textOf(worker), seconds, params: text };
}

/** @throws TypeError */
export function fetchOrder(given: unknown): FetchOrder {
  const { key, url, method, headers, redirect, body } = membersOf(given);
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

function membersOf(given: unknown): { readonly [member: string]: unknown } {
  if (typeof given !== 'object' || given === null) throw malformed();
  return given as { readonly [member: string]: unknown };
}

function textOf(given: unknown): string {
  if (typeof given !== 'string') throw malformed();
  return given;
}

const malformed = (): TypeError => new TypeError('the request is malformed');

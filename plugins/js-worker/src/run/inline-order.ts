/** A call of another script worker, as a script asks for it. */
export interface InlineOrder {
  readonly worker: string;
  readonly seconds: number | null;
  /** JSON text. */
  readonly params: string;
}

/** Checks what a script has sent: it can replace the built-ins behind its JSON. @throws TypeError, SyntaxError */
export function inlineOrder(given: unknown): InlineOrder {
  const { worker, seconds, params } = Object(given) as { readonly [member: string]: unknown };
  const isLimit = seconds === null || (typeof seconds === 'number' && seconds > 0);
  if (typeof worker !== 'string' || typeof params !== 'string' || !isLimit)
    throw new TypeError('the request is malformed');
  JSON.parse(params);
  return { worker, seconds: seconds as number | null, params };
}

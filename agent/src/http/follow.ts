import type { IncomingMessage } from 'node:http';
import { exchange, type HttpCall } from './exchange.ts';

const MAX_REDIRECTS = 10;
/** Headers that are sent to the first origin only. */
const PRIVATE = new Set(['authorization', 'cookie', 'proxy-authorization']);

/**
 * Sends one request and follows at most 10 redirects.
 * @throws Error for more redirects, and for one to another protocol
 */
export async function follow(first: HttpCall, signal: AbortSignal): Promise<IncomingMessage> {
  let call = first;
  for (let count = 0; count <= MAX_REDIRECTS; count += 1) {
    const answer = await exchange(call, signal);
    const next = redirected(call, answer.statusCode ?? 0, answer.headers.location);
    if (!next) return answer;
    answer.destroy();
    call = next;
  }
  throw new Error(`more than ${MAX_REDIRECTS} redirects`);
}

/** The request that a redirect asks for; undefined for an answer without redirect. */
export function redirected(
  call: HttpCall,
  status: number,
  location: string | undefined,
): HttpCall | undefined {
  const isRedirect = [301, 302, 303, 307, 308].includes(status);
  if (!isRedirect || location === undefined || !URL.canParse(location, call.url.href))
    return undefined;
  const url = new URL(location, call.url);
  if (!/^https?:$/.test(url.protocol)) throw new Error(`redirected to ${url.protocol}`);
  const isElsewhere = url.origin !== call.url.origin;
  const becomesGet = status <= 303 && !/^(GET|HEAD)$/.test(call.method);
  const headers = call.headers.filter(([name]) => {
    const key = name.toLowerCase();
    const isLeftOut = isElsewhere && (PRIVATE.has(key) || key === 'host');
    return !isLeftOut && !(becomesGet && key.startsWith('content-'));
  });
  if (!becomesGet) return { ...call, url, headers };
  return { ...call, url, headers, method: 'GET', body: Buffer.alloc(0) };
}

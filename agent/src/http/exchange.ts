import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';

/** One HTTP request. */
export interface HttpCall {
  readonly url: URL;
  /** Upper case. */
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** Address family to use, 0 for either. */
  readonly family: 0 | 4 | 6;
  readonly localAddress?: string;
}

/** Headers that follow from the body. Values of a caller could contradict it, so they are left out. */
const FRAMING = new Set(['content-length', 'transfer-encoding']);

/**
 * Sends one request over a new connection. Resolves with the answer when its headers have come; the caller reads or
 * destroys it.
 * @throws Error when the connection fails or the answer is not HTTP
 */
export function exchange(call: HttpCall, signal: AbortSignal): Promise<IncomingMessage> {
  const { url, method, body, family, localAddress } = call;
  const address = isIP(url.hostname.replace(/^\[(.*)\]$/, '$1'));
  if (family !== 0 && address !== 0 && address !== family) {
    throw new Error(`${url.hostname} is not an IPv${family} address`);
  }
  if (method === 'CONNECT') throw new Error('CONNECT is no request for a resource');
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = send(url, {
      method,
      headers: headersOf(call),
      agent: false,
      signal,
      family,
      ...(localAddress === undefined ? {} : { localAddress }),
    });
    request.once('response', resolve);
    // This listener stays: when the connection ends during the answer, Node reports that here too.
    request.on('error', reject);
    request.once('upgrade', (_answer, socket) => {
      socket.destroy();
      reject(new Error('the server switched to another protocol'));
    });
    request.end(body);
  });
}

/** The headers by name. The length of an empty body is sent only with methods that have a body. */
function headersOf({ headers, method, body }: HttpCall): Record<string, string[]> {
  const lines: Record<string, string[]> = Object.create(null);
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    if (!FRAMING.has(key)) lines[key] = [...(lines[key] ?? []), value];
  }
  lines['accept'] ??= ['*/*'];
  if (body.length > 0 || /^(POST|PUT|PATCH)$/.test(method)) {
    lines['content-length'] = [`${body.length}`];
  }
  return lines;
}

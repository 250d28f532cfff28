import type { IncomingHttpHeaders } from 'node:http';

/** An HTTP answer instead of a handshake. */
export interface HttpRefusal {
  readonly status: number;
  readonly text: string;
  readonly headers: { readonly [name: string]: string };
}

const PLAIN = { 'content-type': 'text/plain; charset=utf-8' };

export const plain = (status: number, text: string): HttpRefusal => ({
  status,
  text,
  headers: PLAIN,
});

interface Request {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly httpVersion: string;
}

/** Returns the reason why a request for `/terminal` is not a handshake, in the order of terminal.md §2; undefined: it is one. */
export function handshakeRefusal(request: Request): HttpRefusal | undefined {
  const { method, headers, httpVersion } = request;
  if (method === 'HEAD') return plain(405, 'Request method must be GET');
  if (method !== 'GET') return { status: 405, text: '', headers: { allow: 'GET,HEAD' } };
  const connection = (headers.connection ?? '').toLowerCase().split(',');
  if (!connection.some((word) => word.trim() === 'upgrade'))
    return plain(400, "Connection header did not include 'upgrade'");
  if (headers.upgrade?.toLowerCase() !== 'websocket')
    return plain(400, "Upgrade header did not include 'websocket'");
  if (!/^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? ''))
    return plain(400, 'Sec-WebSocket-Key header is missing or malformed');
  if (headers['sec-websocket-version'] !== '13')
    return plain(400, "Sec-WebSocket-Version header did not include '13'");
  if (httpVersion === '1.0') return plain(426, 'WebSocket request could not be upgraded');
  return undefined;
}

import type { IncomingMessage } from 'node:http';

/** Address, address in brackets, also with a zone (RFC 6874), or name, and a port (RFC 3986 §3.2.2); empty where a target has no host. */
const HOST =
  /^(?:\[(?:[\da-f:.]+(?:%25(?:[\w.~-]|%[\da-f]{2})+)?|v[\da-f]+\.[\w.~!$&'()*+,;=:-]+)\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

/** The answer to a request without a sound `Host` (worker-route.md §4.1). */
export const BAD_HOST = 'Invalid Host header';

/** Tells whether `Host` is one host, or missing where HTTP/1.0 allows that (RFC 9112 §3.2). */
export function hasSoundHost({ headers, rawHeaders }: IncomingMessage): boolean {
  let count = 0;
  // Node keeps the first one only.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count < 2 && HOST.test(headers.host ?? '');
}

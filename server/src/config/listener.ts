import { isIP } from 'node:net';
import type { Head } from '@svc/kernel';

/** Reads `IP:port` or `[IPv6]:port`; undefined for anything else, host names included. Port 0 asks for a free one. */
export function parseListener(text: string): Head['listen'] | undefined {
  const match = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
  if (match === null) return undefined;
  const [, six, four, digits] = match;
  const host = six ?? four ?? '';
  const port = Number(digits);
  return isIP(host) === (six === undefined ? 4 : 6) && port <= 65_535 ? { host, port } : undefined;
}

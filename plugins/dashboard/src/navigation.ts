import type { Exchange } from '@svc/plugin-sdk/http';

/**
 * A person's browser that opens an address. Over plain HTTP on another machine browsers send no `Sec-Fetch-Mode`; they do
 * send `Upgrade-Insecure-Requests`, with navigations only.
 */
export function isNavigation({ method, request: { headers } }: Exchange): boolean {
  if (method !== 'GET' || !headers.accept?.includes('text/html')) return false;
  const mode = headers['sec-fetch-mode'];
  return mode === undefined ? headers['upgrade-insecure-requests'] === '1' : mode === 'navigate';
}

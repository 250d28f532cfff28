import { RpcError, UserError } from '@svc/plugin-sdk';

/** An address without slashes at its end. */
export function withoutSlash(url: string): string {
  let end = url.length;
  while (url[end - 1] === '/') end--;
  return url.slice(0, end);
}

/** Address of a page as links begin with it. @throws RpcError 108 */
export function pageUrl(text: string | null | undefined): string | undefined {
  if (text === null || text === undefined) return undefined;
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol)) return withoutSlash(`${url.origin}${url.pathname}`);
  throw RpcError.invalid('public_url is no address: write https://HOST');
}

/** Tells whether an address leads back to the machine that opens it. */
export function isLoopback(text: string): boolean {
  const host = URL.parse(text)?.hostname ?? '';
  return /^(?:127\.\d+\.\d+\.\d+|\[::1\]|(?:.+\.)?localhost)$/.test(host);
}

/** @throws UserError that names the key, where the text is neither empty nor a plain address */
export function checkPublicUrl(text: string): void {
  if (text === '') return;
  const url = URL.parse(text);
  const isPlain = url && url.username + url.password + url.search + url.hash === '';
  if (isPlain && /^https?:$/.test(url.protocol)) return;
  throw new UserError(
    '[notify] public_url is no plain address: write https://HOST, without a user, a query or a fragment',
  );
}

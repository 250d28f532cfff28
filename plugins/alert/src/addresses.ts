import { isIP } from 'node:net';

const MAPPED = '::ffff:';

/**
 * Returns an IP address in its one form; undefined for names, and for addresses at which any machine finds itself, which
 * say nothing about where a machine stands.
 */
export function placeOfHost(host: string): string | undefined {
  const text = host
    .trim()
    .toLowerCase()
    .replace(/^\[|\]$/g, '');
  const bare = isIP(text.slice(MAPPED.length)) === 4 && text.startsWith(MAPPED);
  const address = bare ? text.slice(MAPPED.length) : text;
  const kind = isIP(address);
  if (kind === 4) return address.startsWith('127.') || address === '0.0.0.0' ? undefined : address;
  const short = kind === 6 ? URL.parse(`http://[${address}]`)?.hostname : undefined;
  return short === '[::1]' || short === '[::]' ? undefined : short;
}

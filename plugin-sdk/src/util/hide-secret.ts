/** Parts of a query that say how a database is opened. */
const HARMLESS = /^(?:mode=(?:ro|rw|rwc|memory)|sslmode=[a-z-]+|connect_timeout=\d+)$/;
const HEADER = /^([!#$%&'*+.^_`|~\w-]+:) *\S/;
/** User and password may hold `@` and `/`; the name of the user stays. */
const LOGIN = /^([a-z][a-z0-9+.-]*:\/\/[^\s:@/]*:)\S*@/i;

/**
 * A text of a secret key with `mask` in the place of what may be secret. What says where it leads stays: scheme, host and user of
 * an address (of one for the web, whose path may be a key, scheme and host), the name of a header.
 */
export function hideSecret(text: string, mask: string): string {
  if (/^https?:\/\//i.test(text)) return hideInWeb(text, mask);
  if (/^(?:sqlite:|[a-z][a-z0-9+.-]*:\/\/)/i.test(text))
    return hideInQuery(text.replace(LOGIN, `$1${mask}@`), mask);
  const [, name] = HEADER.exec(text) ?? [];
  return name === undefined ? mask : `${name} ${mask}`;
}

function hideInWeb(text: string, mask: string): string {
  const [, scheme, user = '', host, rest = ''] =
    /^(https?:\/\/)([^/?#@]*@)?([^/?#@]*)(.*)$/is.exec(text) ?? [];
  // A password with a slash would be taken for a host and a path.
  if (scheme === undefined || rest.includes('@')) return mask;
  return `${scheme}${user && `${mask}@`}${host}${/^\/?$/.test(rest) ? rest : `/${mask}`}`;
}

function hideInQuery(text: string, mask: string): string {
  const at = text.search(/[?#]/);
  if (at < 0) return text;
  const parts = text.slice(at + 1).split('&');
  const kept = parts.filter((part) => HARMLESS.test(part));
  const shown = kept.length < parts.length ? [...kept, mask] : kept;
  return `${text.slice(0, at + 1)}${shown.join('&')}`;
}

/** Shorter texts stand for other things as well, and so do words: a password `postgres` is masked in addresses only. */
const LEAST = 6;
const WORD = /^[a-z]{1,11}$/i;
/** Shorter words of a path may be words. */
const LEAST_WORD = 16;
const isLong = (word: string) => word.length >= LEAST_WORD;

/** The secrets in a text of a secret key, as they may turn up in texts of errors: passwords, paths and queries, values of headers. */
export function secretsIn(text: string): string[] {
  const [, login] = /^[a-z][a-z0-9+.-]*:\/\/(\S*)@/i.exec(text) ?? [];
  const password = login?.slice(login.indexOf(':') + 1);
  const found = [...(password ? [password] : []), ...restOf(text)];
  return [...new Set([...found, ...found.map(decoded)])].filter(
    (secret) => secret.length >= LEAST && !WORD.test(secret),
  );
}

function restOf(text: string): string[] {
  const [, rest] = /^https?:\/\/[^/?#]*(.*)$/is.exec(text) ?? [];
  if (rest !== undefined)
    return [rest.replace(/(?<!\/)\/+$/, ''), ...rest.split(/[/?#&=]/).filter(isLong)];
  if (/^(?:sqlite:|[a-z][a-z0-9+.-]*:\/\/)/i.test(text))
    return (text.split('?', 2)[1] ?? '')
      .split('&')
      .filter((part) => !HARMLESS.test(part))
      .map((part) => part.slice(part.indexOf('=') + 1));
  const value = HEADER.test(text) ? text.slice(text.indexOf(':') + 1).trim() : text;
  return [value, value.split(' ').at(-1) ?? ''];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that escapes nothing.
    return text;
  }
}

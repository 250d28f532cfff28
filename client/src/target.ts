/** Reader of what a text asks to watch, for the program `svc` and the dashboard alike. */

export type TargetKind = 'http' | 'tcp' | 'ping' | 'dns' | 'tls' | 'domain';

export interface Target {
  readonly kind: TargetKind;
  readonly spec: Readonly<Record<string, string | number>>;
  /** Host, port and path: what it may be called. */
  readonly name: string;
}

/**
 * `unfinished`: nothing stands there, or nothing behind a colon. `host`: no host. `port`: no number from 1 to 65535.
 * `port_missing`, `host_only`: this kind takes a port, or takes none. `scheme`: one that nothing checks.
 * `not_checked`: heartbeats and groups ask nobody.
 */
export type TargetFault =
  | 'unfinished'
  | 'host'
  | 'port'
  | 'port_missing'
  | 'host_only'
  | 'scheme'
  | 'not_checked';

export interface Misread {
  readonly fault: TargetFault;
  /** Text that is at fault. */
  readonly part: string;
}

interface Parts {
  readonly url: string;
  readonly host: string;
  readonly port: number | undefined;
  /** Port of the URL's scheme. */
  readonly usual: number;
  readonly path: string;
}

const WEB = /^https?:\/\//i;
const WITH_KIND = /^(tcp|tls|ping|dns|domain):(?:\/\/)?(.*)$/i;
const NOT_CHECKED = /^(heartbeat|group)(?::|$)/i;
/** A word, a colon, and what is no port: `ftp://…`, `smtp:mail.example.net`. */
const WITH_SCHEME = /^([a-z][a-z0-9+.-]*):(?:\/\/.|(?!\d)[^/]*[.:@])/i;
const HOST = /^[^\s/?#@\\:[\]]{1,253}$/;
const MOST_NAME = 80;
const HTTPS = 443;
const HTTP = 80;
const MOST_PORT = 65_535;

const misread = (fault: TargetFault, part: string): Misread => ({ fault, part });

/** Reads `https://…`, `host:port`, a host, or one of these behind its kind; a kind that was chosen wins over what the text says. */
export function readTarget(text: string, chosen?: TargetKind): Target | Misread {
  const given = text.trim();
  const [, called] = NOT_CHECKED.exec(given) ?? [];
  if (called !== undefined) return misread('not_checked', called.toLowerCase());
  const [, word, behind = ''] = WITH_KIND.exec(given) ?? [];
  const said = word?.toLowerCase() as TargetKind | undefined;
  const isWeb = said === undefined && WEB.test(given);
  const parts = isWeb ? partsOfUrl(given) : partsOf(said === undefined ? given : behind);
  if ('fault' in parts) return parts;
  const { port, path } = parts;
  if (said !== undefined && (path !== '' || (port !== undefined && !hasPort(said))))
    return misread('host_only', said);
  if (said === 'tcp' && chosen === undefined && port === undefined)
    return misread('port_missing', given);
  const meant = isWeb || path !== '' ? 'http' : port === undefined ? 'ping' : 'tcp';
  const kind = chosen ?? said ?? meant;
  return { kind, spec: specOf(kind, parts), name: nameOf(parts) };
}

const hasPort = (kind: TargetKind): boolean => kind === 'tcp' || kind === 'tls';

function partsOfUrl(url: string): Parts | Misread {
  const [, authority = ''] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? [];
  if (authority === '') return misread('unfinished', url);
  const port = /:(\d*)$/.exec(authority)?.[1];
  const parsed = URL.parse(url);
  if (parsed === null || parsed.port === '0')
    return port === undefined || isPort(port) ? misread('host', authority) : misread('port', port);
  return {
    url,
    host: bare(parsed.hostname),
    port: parsed.port === '' ? undefined : Number(parsed.port),
    usual: parsed.protocol === 'http:' ? HTTP : HTTPS,
    path: `${parsed.pathname}${parsed.search}`,
  };
}

/** Parts of a text without `https://` and without a kind. */
function partsOf(text: string): Parts | Misread {
  const [, scheme] = WITH_SCHEME.exec(text) ?? [];
  const [, authority = '', path = ''] = /^([^/?#]*)(.*)$/s.exec(text) ?? [];
  const isV6 = URL.canParse(`http://[${bare(authority)}]`);
  if (scheme !== undefined && !isV6) return misread('scheme', scheme.toLowerCase());
  const [, found = authority, behind] = isV6
    ? []
    : (/^(\[[^\]]*\]|[^:]*):(.*)$/s.exec(authority) ?? []);
  const host = bare(found);
  if (text === '' || behind === '') return misread('unfinished', text);
  const isBracketed = host !== found;
  const isHost = isV6 || isBracketed ? URL.canParse(`http://[${host}]`) : isName(host);
  if (!isHost) return misread('host', authority);
  if (behind !== undefined && !isPort(behind)) return misread('port', behind);
  const port = behind === undefined ? undefined : Number(behind);
  return { url: `https://${joined(host, port)}${path}`, host, port, usual: HTTPS, path };
}

const isName = (host: string): boolean => HOST.test(host) && URL.canParse(`http://${host}`);

const isPort = (text: string): boolean =>
  /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= MOST_PORT;

const bare = (host: string): string => host.replace(/^\[(.*)\]$/s, '$1');

const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** Host and port, an IPv6 address in brackets. */
const joined = (host: string, port: number | undefined): string =>
  port === undefined ? inUrl(host) : `${inUrl(host)}:${port}`;

function specOf(kind: TargetKind, { url, host, port, usual }: Parts): Target['spec'] {
  switch (kind) {
    case 'http':
      return { url };
    case 'tcp':
      return { host, port: port ?? usual };
    case 'tls':
      return { host, ...(port !== undefined && { port }) };
    case 'ping':
      return { host };
    case 'dns':
      return { name: host };
    case 'domain':
      return { name: host.replace(/^www\./i, '') };
  }
}

function nameOf({ host, port, path }: Parts): string {
  const shown = port === undefined ? host : joined(host, port);
  const ahead = path.replace(/[?#].*$/s, '').replace(/\/$/, '');
  return `${shown.replace(/^www\./i, '')}${ahead}`.slice(0, MOST_NAME);
}

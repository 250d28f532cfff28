import type { Kind, NewMonitor } from '../model.ts';

type Spec = NewMonitor['spec'];

export interface Guess {
  readonly kind: Kind;
  readonly spec: Spec;
  /** Name that it gets where people write none. */
  readonly name: string;
}

const ADDRESS = /^(\d{1,3}\.){3}\d{1,3}$|^\[?[0-9a-f]*:[0-9a-f:.]+\]?$/i;
const HTTPS = 443;
const HOUR_S = 3_600;

interface Parts {
  readonly url: string;
  readonly host: string;
  readonly port: number | undefined;
  readonly hasScheme: boolean;
  readonly hasPath: boolean;
}

/** Reads "URL, host:port or name". */
function partsOf(text: string): Parts {
  const hasScheme = /^https?:\/\//i.test(text);
  const isAddress = ADDRESS.test(text);
  const isV6 = isAddress && text.includes(':');
  const plain = isV6 ? `[${text.replace(/[[\]]/g, '')}]` : text;
  const url = hasScheme ? text : `https://${plain}`;
  const parsed = URL.parse(url);
  const port = /^(?:https?:\/\/)?(?:\[[^\]]+\]|[^/:[\]]+):(\d{1,5})(?:[/?#]|$)/i.exec(plain)?.[1];
  return {
    url: parsed && parsed.pathname === '/' && !url.endsWith('/') ? `${url}/` : url,
    host: (parsed?.hostname ?? text).replace(/[[\]]/g, ''),
    port: port === undefined ? undefined : Number(port),
    hasScheme,
    hasPath: parsed !== null && (parsed.pathname !== '/' || parsed.search !== ''),
  };
}

/** Returns the kind that the text means: a path or a name with a dot is a page, a port a connection, all else an echo. */
function kindOf(text: string, { hasScheme, hasPath, port, host }: Parts): Kind {
  if (hasScheme || hasPath) return 'http';
  if (port !== undefined) return 'tcp';
  if (ADDRESS.test(text)) return 'ping';
  return host.includes('.') ? 'http' : 'ping';
}

/** Returns what a text means for a kind. */
export function specOf(kind: Kind, text: string): Spec {
  const { url, host, port } = partsOf(text.trim());
  switch (kind) {
    case 'http':
      return { url };
    case 'tcp':
      return { host, port: port ?? HTTPS };
    case 'tls':
      return { host, ...(port !== undefined && { port }) };
    case 'ping':
      return { host };
    case 'dns':
      return { name: host };
    case 'domain':
      return { name: host.replace(/^www\./, '') };
    case 'heartbeat':
      return { period_s: HOUR_S };
    case 'group':
      return { rule: 'worst', members: [] };
  }
}

/** Fields that the text fills. */
export const FILLED: Readonly<Record<Kind, readonly string[]>> = {
  http: ['url'],
  tcp: ['host', 'port'],
  tls: ['host', 'port'],
  ping: ['host'],
  dns: ['name'],
  domain: ['name'],
  heartbeat: [],
  group: [],
};

export function guess(text: string, chosen?: Kind): Guess {
  const given = text.trim();
  const parts = partsOf(given);
  const kind = chosen ?? kindOf(given, parts);
  const isNamed = kind === 'heartbeat' || kind === 'group';
  const name = isNamed ? given : nameOf(parts);
  return { kind, spec: specOf(kind, given), name: name.slice(0, 80) };
}

function nameOf({ host, port, url, hasPath }: Parts): string {
  const path = hasPath ? (URL.parse(url)?.pathname.replace(/\/$/, '') ?? '') : '';
  return `${host.replace(/^www\./, '')}${port === undefined ? '' : `:${port}`}${path}`;
}

import { domainToASCII } from 'node:url';
import type { CheckSpec, Header, StartTls } from '@svc/checks';
import type { CheckedKind, Monitor } from './types.ts';

type Values = Readonly<Record<string, unknown>>;

/** Bytes of a body that are read. */
const MOST_BYTES = 65_536;

const text = (values: Values, name: string): string | undefined => {
  const value = values[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};
const number = (values: Values, name: string): number | undefined => {
  const value = values[name];
  return typeof value === 'number' ? value : undefined;
};
const list = (values: Values, name: string): readonly string[] => {
  const value = values[name];
  return Array.isArray(value) ? value.map(String) : [];
};
/** Members without those that have no value. */
const present = <T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;

/** Returns the header of a line `Name: value`; undefined: it is none. */
export function headerOf(line: string): Header | undefined {
  const colon = line.indexOf(':');
  const name = line.slice(0, colon).trim();
  return colon > 0 && /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)
    ? [name, line.slice(colon + 1).trim()]
    : undefined;
}

export const isHost = (header: string): boolean => header.toLowerCase() === 'host';

const headersOf = (values: Values, name: string): Header[] =>
  list(values, name)
    .map(headerOf)
    .filter((header) => header !== undefined);

function authOf(values: Values) {
  const [bearer, user] = [text(values, 'bearer'), text(values, 'user')];
  if (bearer !== undefined) return { type: 'bearer', token: bearer } as const;
  if (user === undefined) return undefined;
  return { type: 'basic', user, password: text(values, 'password') ?? '' } as const;
}

const FAMILIES: Readonly<Record<string, 4 | 6>> = { IPv4: 4, IPv6: 6 };

const MAKERS: { readonly [kind in CheckedKind]: (values: Values) => CheckSpec } = {
  http: (values) => ({
    kind: 'http',
    url: text(values, 'url') ?? '',
    method: text(values, 'method') ?? 'GET',
    headers: [...headersOf(values, 'headers'), ...headersOf(values, 'secret_headers')],
    follow: number(values, 'follow') ?? 5,
    ignore_tls: values['ignore_tls'] === true,
    max_bytes: MOST_BYTES,
    ...present({
      body: text(values, 'body'),
      auth: authOf(values),
      family: FAMILIES[text(values, 'family') ?? ''],
    }),
  }),
  tcp: (values) => ({
    ...{ kind: 'tcp', host: text(values, 'host') ?? '', port: number(values, 'port') ?? 0 },
    ...{ tls: values['tls'] === true, ignore_tls: values['ignore_tls'] === true },
    ...present({ send: text(values, 'send'), expect: text(values, 'expect') }),
  }),
  ping: (values) => ({
    ...{ kind: 'ping', host: text(values, 'host') ?? '', count: number(values, 'count') ?? 3 },
  }),
  dns: (values) => ({
    ...{ kind: 'dns', name: text(values, 'name') ?? '' },
    type: (text(values, 'type') ?? 'A') as 'A',
    ...present({ server: text(values, 'server') }),
  }),
  tls: (values) => ({
    ...{ kind: 'tls', host: text(values, 'host') ?? '', port: number(values, 'port') ?? 443 },
    ...present({ servername: text(values, 'servername'), starttls: startTlsOf(values) }),
  }),
  domain: (values) => ({ kind: 'domain', name: domainOf(values) }),
};

function startTlsOf(values: Values): StartTls | undefined {
  const given = text(values, 'starttls');
  return given === undefined || given === 'none' ? undefined : (given as StartTls);
}

/** Returns the check of a monitor whose fields were checked before. */
export const checkSpecOf = (kind: CheckedKind, spec: Values, secret: Values): CheckSpec =>
  MAKERS[kind]({ ...spec, ...secret });

/** Returns the name of a domain as registries know it: in ASCII and lower case, without the dot of the root. */
export const domainOf = (values: Values): string =>
  domainToASCII((text(values, 'name') ?? '').trim().replace(/\.$/, ''));

/** Returns the host whose checks take turns; empty for kinds that are not checked. */
export function hostOf({ kind, spec }: Pick<Monitor, 'kind' | 'spec'>): string {
  if (kind === 'http') return URL.parse(text(spec, 'url') ?? '')?.hostname ?? '';
  if (kind === 'dns') return text(spec, 'server') ?? text(spec, 'name') ?? '';
  // Registries take few questions at a time: the end of the name stands for its registry.
  if (kind === 'domain') return domainOf(spec).replace(/^[^.]*\./, 'registry of ');
  return text(spec, 'host') ?? '';
}

/** Returns the receiver of what a monitor sends, so that no one can lead its secrets elsewhere. */
export function targetPlace(monitor: Pick<Monitor, 'kind' | 'spec'>): string {
  const { kind, spec } = monitor;
  if (kind !== 'http') return `${hostOf(monitor)}:${number(spec, 'port') ?? ''}`.toLowerCase();
  const origin = URL.parse(text(spec, 'url') ?? '')?.origin ?? '';
  // One address serves many hosts, of which this header chooses one.
  const chosen = headersOf(spec, 'headers').filter(([name]) => isHost(name));
  return [origin, ...chosen.map(([, host]) => host)].join(' ').toLowerCase();
}

/** Returns what is checked, as messages name it: an address without credentials, query and fragment. */
export function toldTarget(monitor: Pick<Monitor, 'kind' | 'spec'>): string {
  const target = targetOf(monitor);
  const url = monitor.kind === 'http' ? URL.parse(target) : null;
  return url ? `${url.origin}${url.pathname === '/' ? '' : url.pathname}` : target;
}

/** Returns what is checked, as people read it, without secrets. */
export function targetOf({ kind, spec }: Pick<Monitor, 'kind' | 'spec'>): string {
  const at = (name: string) => text(spec, name) ?? '';
  switch (kind) {
    case 'http':
      return at('url');
    case 'dns':
      return `${at('type') || 'A'} ${at('name')}${at('server') && ` at ${at('server')}`}`;
    case 'tcp':
    case 'tls':
      return `${at('host')}:${number(spec, 'port') ?? 443}`;
    case 'ping':
      return at('host');
    case 'domain':
      return at('name');
    case 'heartbeat': {
      const period = number(spec, 'period_s');
      return at('cron') ? `${at('cron')} ${at('zone') || 'UTC'}` : `every ${period} s`;
    }
    case 'group':
      return `${list(spec, 'members').length} monitors`;
  }
}

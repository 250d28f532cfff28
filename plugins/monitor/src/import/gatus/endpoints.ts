import type { CheckedKind } from '../../types.ts';
import { addressOf, headersOf, noteShown, timesOf } from '../settings.ts';
import type { Item, Values } from '../types.ts';
import { isYes, lineOf, listOf, membersOf, numberOf, OFF, present, textOf } from '../values.ts';
import { rewrite } from './conditions.ts';
import { secondsOf } from './durations.ts';

type Named = Pick<Item, 'id' | 'name' | 'type'>;
type Target = { readonly kind: CheckedKind; readonly spec: Values; readonly secret?: Values };

const CANNOT: Readonly<Record<string, string>> = {
  udp: 'UDP has no answer that says that something is there',
  sctp: 'SCTP is not spoken',
  ssh: 'SSH is not spoken',
  ws: 'WebSockets are not spoken',
  wss: 'WebSockets are not spoken',
  grpc: 'gRPC is not spoken',
  grpcs: 'gRPC is not spoken',
};
/** Failures and successes in a row until an alert begins and ends, where nothing is said. */
const [FAILURES, SUCCESSES] = [3, 2];

/** Returns what is made of an endpoint. */
export function endpointOf(values: Values, item: Named, rewritings: Map<string, string>): Item {
  const notes: string[] = [];
  const url = textOf(values['url']);
  const scheme = /^([a-z+]{1,20}):\/\//i.exec(url)?.[1]?.toLowerCase() ?? '';
  const was = scheme || 'endpoint';
  const target = targetOf(values, scheme, url, notes);
  if ('why' in target) return { ...item, was, notes: [], why: target.why };
  const condition = conditionOf(values['conditions'], target.kind, { notes, rewritings });
  if (isYes(membersOf(values['ui'])['hide-url']))
    notes.push('its address shows to people who may read it');
  const make = {
    ...{ kind: target.kind, spec: present(target.spec), ...common(values, notes) },
    ...(target.secret && { secret: target.secret }),
    ...(condition !== undefined && { condition }),
  };
  return { ...item, was, notes, make };
}

/** Returns the heartbeat that is made of an external endpoint. */
export function externalOf(values: Values, item: Named): Item {
  const notes = ['its job calls another address: /svc/ping/KEY, and no longer the API of Gatus'];
  const period = secondsOf(textOf(membersOf(values['heartbeat'])['interval']));
  if (period === undefined || period < 10) {
    const why = 'it has no heartbeat.interval, without which nobody knows when a call is late';
    return { ...item, was: 'external', notes: [], why };
  }
  const { group, enable: _enable, ...rest } = { ...headingOf(values), enable: isOn(values) };
  if (!isOn(values)) notes.push(OFF);
  const spec = { period_s: Math.round(period), grace_s: Math.max(60, Math.round(period / 2)) };
  const make = present({ ...rest, kind: 'heartbeat', group, spec });
  const key = textOf(values['token']);
  return { ...item, was: 'external', notes, make, ...(key !== '' && { key }) };
}

const isOn = (values: Values) => values['enabled'] === undefined || isYes(values['enabled']);
const headingOf = (values: Values) => ({ group: lineOf(values['group']) });

function common(values: Values, notes: string[]): Values {
  if (!isOn(values)) notes.push(OFF);
  const alerts = listOf(values['alerts']).map(membersOf);
  const thresholds = alerts.map((one) => numberOf(one['failure-threshold']) ?? FAILURES);
  const ends = alerts.map((one) => numberOf(one['success-threshold']) ?? SUCCESSES);
  const interval_s = secondsOf(textOf(values['interval'])) ?? 60;
  const timeout = textOf(membersOf(values['client'])['timeout']);
  const retries = thresholds.length > 0 ? Math.min(...thresholds) - 1 : 2;
  if (new Set(thresholds).size > 1)
    notes.push('its alerts had several thresholds: the lowest says when it is down');
  const times = timesOf(
    { interval_s, retries, retry_s: interval_s, timeout_s: secondsOf(timeout) },
    notes,
  );
  const recover_after = ends.length > 0 ? Math.min(20, Math.max(1, Math.min(...ends))) : 1;
  return present({ ...headingOf(values), ...times, recover_after });
}

function targetOf(
  values: Values,
  scheme: string,
  url: string,
  notes: string[],
): Target | { readonly why: string } {
  if (values['dns'] !== undefined) return dnsOf(membersOf(values['dns']), url);
  const ssh = values['ssh'] === undefined ? scheme : 'ssh';
  if (CANNOT[ssh] !== undefined) return { why: CANNOT[ssh] };
  const place = URL.parse(url.replace(/^[a-z+]+:/i, 'http:'));
  const host = place?.hostname.replace(/^\[|\]$/g, '') ?? '';
  const port = /:(\d{1,5})(?:\/|$)/.exec(url.slice(scheme.length + 3))?.[1];
  switch (scheme) {
    case 'http':
    case 'https':
      return httpOf(values, url, notes);
    case 'icmp':
      return { kind: 'ping', spec: { host } };
    case 'tcp':
    case 'tls':
      if (host === '' || !port) return { why: 'its url names no host with a port' };
      return { kind: scheme, spec: { host, port: Number(port) } };
    case 'starttls':
      if (host === '' || !port) return { why: 'its url names no host with a port' };
      return { kind: 'tls', spec: { host, port: Number(port), starttls: 'smtp' } };
    default:
      return { why: `addresses that begin with ${scheme || 'no scheme'} are not known` };
  }
}

function dnsOf(dns: Values, server: string): Target | { readonly why: string } {
  const name = textOf(dns['query-name']).replace(/\.$/, '');
  if (name === '') return { why: 'it has no dns.query-name' };
  return {
    kind: 'dns',
    spec: { name, type: textOf(dns['query-type']) || 'A', server: server.replace(/^\w+:\/\//, '') },
  };
}

function httpOf(values: Values, text: string, notes: string[]): Target | { readonly why: string } {
  const client = membersOf(values['client']);
  if (client['oauth2'] !== undefined || client['identity-aware-proxy'] !== undefined)
    return { why: 'its calls need a token of OAuth 2, which is not asked for' };
  for (const name of ['tls', 'tunnel', 'proxy-url', 'dns-resolver'])
    if (client[name] !== undefined) return { why: `client.${name} is not possible` };
  const { url, user, password } = addressOf(text);
  const pairs = Object.entries(membersOf(values['headers'])).map(
    ([name, value]) => [name, textOf(value)] as const,
  );
  const { secret_headers, headers } = headersOf(pairs);
  const body = textOf(values['body']);
  noteShown(url, body, notes);
  const sent = isYes(values['graphql']) ? JSON.stringify({ query: body }) : body;
  const spec = {
    ...{ url, method: textOf(values['method']).toUpperCase() || 'GET', headers, body: sent, user },
    ...(isYes(client['ignore-redirect']) && { follow: 0 }),
    ...(isYes(client['insecure']) && { ignore_tls: true }),
  };
  return { kind: 'http', spec, secret: present({ secret_headers, password }) };
}

function conditionOf(
  given: unknown,
  kind: CheckedKind,
  { notes, rewritings }: { readonly notes: string[]; readonly rewritings: Map<string, string> },
): string | undefined {
  const texts = new Set<string>();
  for (const one of listOf(given).map(textOf)) {
    const written = rewrite(one, kind);
    if ('why' in written) {
      notes.push(`without the condition ${one.slice(0, 200)}: ${written.why}`);
      continue;
    }
    rewritings.set(one, written.text);
    texts.add(written.text);
  }
  // A check that does not connect fails without a condition that says so.
  const judged = [...texts].filter((one) => one !== 'true');
  if (judged.length === 0) return texts.size > 0 && kind === 'http' ? 'status > 0' : undefined;
  return judged
    .map((one) => (judged.length > 1 && one.includes(' || ') ? `(${one})` : one))
    .join(' && ');
}

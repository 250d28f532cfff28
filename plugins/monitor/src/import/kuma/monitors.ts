import { addressOf, headersOf, noteShown, timesOf } from '../settings.ts';
import type { Item, Values } from '../types.ts';
import {
  isYes,
  jsonOf,
  lineOf,
  listOf,
  membersOf,
  numberOf,
  OFF,
  present,
  textOf,
} from '../values.ts';
import { statusCondition, valueCondition } from './conditions.ts';

/** Reasons for kinds that are not made. */
const CANNOT: Readonly<Record<string, string>> = {
  docker: 'containers are watched by the agent of their machine',
  steam: 'game servers are not spoken with',
  gamedig: 'game servers are not spoken with',
  mqtt: 'MQTT is not spoken: check its port',
  'kafka-producer': 'Kafka is not spoken: check its port',
  'grpc-keyword': 'gRPC is not spoken: check its port',
  radius: 'RADIUS is not spoken',
  snmp: 'SNMP is not spoken',
  'real-browser': 'no browser is run: check the address with http',
  'tailscale-ping': 'Tailscale is not spoken: check the host with ping',
  rabbitmq: 'RabbitMQ is not spoken: check its port, or its page with http',
  'sip-options': 'SIP is not spoken',
  manual: 'a state that people set is no check',
  'system-service': 'services are watched by the agent of their machine',
  globalping: 'the check runs at another service',
};
const DATABASES = ['sqlserver', 'postgres', 'mysql', 'mongodb', 'redis', 'oracledb'];

type Made = {
  readonly kind: string;
  readonly spec: Values;
  readonly secret?: Values;
  readonly condition?: string | undefined;
};
type Maker = (row: Values, notes: string[]) => Made | { readonly why: string };

const MAKERS: Readonly<Record<string, Maker>> = {
  http: (row, notes) => httpOf(row, notes),
  keyword(row, notes) {
    const word = `body.contains(${JSON.stringify(textOf(row['keyword']))})`;
    return httpOf(row, notes, isYes(row['invert_keyword']) ? `!${word}` : word);
  },
  'json-query'(row, notes) {
    const written = valueCondition(row);
    if ('why' in written) return written;
    return httpOf(row, notes, written.text);
  },
  'websocket-upgrade'(row, notes) {
    notes.push('the address is called with http, the connection is not upgraded');
    const made = httpOf({ ...row, url: textOf(row['url']).replace(/^ws/i, 'http') }, notes);
    return 'why' in made ? made : { ...made, condition: 'status > 0 && status < 500' };
  },
  port: (row) => ({
    kind: 'tcp',
    spec: { host: textOf(row['hostname']), port: numberOf(row['port']) },
  }),
  smtp(row, notes) {
    notes.push('only the greeting of the mail server is checked');
    const spec = {
      host: textOf(row['hostname']),
      port: numberOf(row['port']) ?? 25,
      expect: '220',
    };
    return {
      kind: 'tcp',
      spec: { ...spec, ...(textOf(row['smtp_security']) === 'secure' && { tls: true }) },
    };
  },
  ping: (row) => ({ kind: 'ping', spec: { host: textOf(row['hostname']) } }),
  dns(row) {
    const [server, port] = [
      textOf(row['dns_resolve_server']).split(',')[0] ?? '',
      numberOf(row['port']) ?? 53,
    ];
    const at = server === '' || port === 53 ? server : `${server}:${port}`;
    const type = textOf(row['dns_resolve_type']) || 'A';
    return { kind: 'dns', spec: { name: textOf(row['hostname']), type, server: at } };
  },
};

/** Returns what is made of the monitors of a table, groups last. */
export function monitorsOf(
  rows: readonly Values[],
  tags: ReadonlyMap<string, readonly string[]>,
): Item[] {
  const names = new Map(rows.map((row) => [textOf(row['id']), lineOf(row['name'])]));
  const groups = new Map(
    rows.filter((row) => row['type'] === 'group').map((row) => [textOf(row['id']), row]),
  );
  const children = childrenOf(rows);
  const shared = (row: Values): Values =>
    present({ group: names.get(textOf(row['parent'])), tags: tags.get(textOf(row['id'])) });
  const checked = rows
    .filter((row) => row['type'] !== 'group')
    .map((row) => monitorOf(row, shared(row)));
  return [
    ...checked,
    ...[...groups.values()].map((row) => groupOf(row, { children, shared: shared(row) })),
  ];
}

const itemOf = (row: Values) => ({
  id: `monitor:${textOf(row['id'])}`,
  type: 'monitor' as const,
  name: lineOf(row['name']) || `monitor ${textOf(row['id'])}`,
  was: textOf(row['type']).slice(0, 40),
});

function monitorOf(row: Values, shared: Values): Item {
  const item = itemOf(row);
  const notes: string[] = isYes(row['active'] ?? 1) ? [] : [OFF];
  if (item.was === 'push') return pushOf(row, { item, notes, shared });
  const maker = Object.hasOwn(MAKERS, item.was) ? MAKERS[item.was] : undefined;
  const other = DATABASES.includes(item.was)
    ? 'databases are not logged in to: check the port'
    : `there is no kind '${item.was}'`;
  const made = maker?.(row, notes) ?? { why: CANNOT[item.was] ?? other };
  if ('why' in made) return { ...item, notes: [], why: made.why };
  const { kind, spec, secret, condition } = made;
  if (listOf(jsonOf(row['conditions'])).length > 0)
    notes.push('without its conditions: write them in CEL');
  if (textOf(row['proxy_id']) !== '') notes.push('without its proxy');
  const times = timesOf(timesIn(row), notes);
  const make = {
    ...{ kind, spec: present(spec), ...shared, ...times, ...describedBy(row) },
    ...(secret && Object.keys(secret).length > 0 && { secret }),
    ...(condition !== undefined && { condition }),
    ...(isYes(row['upside_down']) && { upside_down: true }),
  };
  return { ...item, notes, make };
}

const describedBy = (row: Values) => present({ note: textOf(row['description']).slice(0, 2_000) });

function timesIn(row: Values) {
  const interval_s = numberOf(row['interval']) ?? 60;
  const timeout = numberOf(row['timeout']) ?? 0;
  // The first version had no such setting and waited for four fifths of the interval.
  const timeout_s = Math.min(timeout > 0 ? timeout : interval_s * 0.8, 60);
  return {
    interval_s,
    timeout_s,
    retries: numberOf(row['maxretries']) ?? 0,
    retry_s: numberOf(row['retry_interval']) ?? interval_s,
  };
}

function httpOf(row: Values, notes: string[], more?: string): Made | { readonly why: string } {
  const auth = textOf(row['auth_method']);
  if (/^(?:ntlm|oauth2-cc|mtls)$/.test(auth))
    return { why: `authentication by ${auth} is not possible` };
  const { url, user, password } = addressOf(textOf(row['url']));
  const pairs = Object.entries(membersOf(jsonOf(row['headers']))).map(
    ([name, value]) => [name, textOf(value)] as const,
  );
  const { headers, secret_headers } = headersOf(pairs);
  const body = textOf(row['body']);
  noteShown(url, body, notes);
  if (isYes(row['expiry_notification']) && /^https:/i.test(url))
    notes.push('its certificate is told of by the rule Certificate expiring');
  const isBasic = auth === 'basic' || (auth === '' && textOf(row['basic_auth_user']) !== '');
  const follow = Math.min(5, numberOf(row['maxredirects']) ?? 5);
  const spec = {
    ...{ url, method: textOf(row['method']).toUpperCase() || 'GET', headers, body, follow },
    ...(isYes(row['ignore_tls']) && { ignore_tls: true }),
    ...(isBasic ? { user: textOf(row['basic_auth_user']) } : { user }),
  };
  const secret = present({
    secret_headers,
    password: isBasic ? textOf(row['basic_auth_pass']) : password,
  });
  const status = statusCondition(
    jsonOf(row['accepted_statuscodes_json'] ?? row['accepted_statuscodes']),
  );
  return {
    kind: 'http',
    spec,
    secret,
    condition: more === undefined ? status : `(${status}) && ${more}`,
  };
}

interface PushParts {
  readonly item: ReturnType<typeof itemOf>;
  readonly notes: string[];
  readonly shared: Values;
}

function pushOf(row: Values, { item, notes, shared }: PushParts): Item {
  const interval = numberOf(row['interval']) ?? 60;
  const retries = numberOf(row['maxretries']) ?? 0;
  const period_s = Math.max(10, interval);
  const grace_s = Math.max(
    1,
    Math.round(retries * (numberOf(row['retry_interval']) ?? interval)) || 10,
  );
  notes.push('its job calls another address: /svc/push/KEY instead of /api/push/KEY');
  if (isYes(row['upside_down'])) notes.push('it was upside down, which heartbeats cannot be');
  const make = { kind: 'heartbeat', spec: { period_s, grace_s }, ...shared, ...describedBy(row) };
  const key = textOf(row['push_token']);
  return key === ''
    ? { ...item, notes: [], why: 'it has no push token' }
    : { ...item, notes, make, key };
}

function groupOf(
  row: Values,
  { children, shared }: { readonly children: Children; readonly shared: Values },
): Item {
  const item = itemOf(row);
  const notes: string[] = [];
  const { members, groups } = insideOf(textOf(row['id']), children);
  if (groups.length > 1) notes.push('the members of groups in it are its own');
  if (members.length > 50) notes.push(`it has the first 50 of ${members.length} members`);
  if (members.length === 0) return { ...item, notes: [], why: 'no monitor is in it' };
  const make = { kind: 'group', spec: { rule: 'worst' }, ...shared, ...describedBy(row) };
  return { ...item, notes, make, members: members.slice(0, 50) };
}

/** Rows by the ids of the groups that they are in. */
export type Children = ReadonlyMap<string, readonly Values[]>;

export const childrenOf = (rows: readonly Values[]): Children =>
  Map.groupBy(rows, (row) => textOf(row['parent']));

/** Returns the items of the monitors in a group and in the groups in it, and of these groups with itself. */
export function insideOf(group: string, children: Children) {
  const members: string[] = [];
  const seen = new Set<string>();
  const below = [group];
  for (let id = below.pop(); id !== undefined; id = below.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    for (const child of children.get(id) ?? []) {
      if (child['type'] !== 'group') members.push(`monitor:${textOf(child['id'])}`);
      else below.push(textOf(child['id']));
    }
  }
  return { members, groups: [...seen].map((id) => `monitor:${id}`) };
}

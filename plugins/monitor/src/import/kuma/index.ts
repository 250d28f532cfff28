import type { SourceFile } from '../store-source.ts';
import { ImportFault, type Item, type Plan, type Values } from '../types.ts';
import { jsonOf, lineOf, listOf, membersOf, shortHash, textOf } from '../values.ts';
import { channelsOf } from './channels.ts';
import { type Children, childrenOf, insideOf, monitorsOf } from './monitors.ts';
import { windowOf } from './windows.ts';

const MOST = 5_000;
const MONITOR = [
  ...['id', 'name', 'active', 'type', 'url', 'hostname', 'port', 'interval', 'retry_interval'],
  ...['maxretries', 'timeout', 'upside_down', 'maxredirects', 'keyword', 'invert_keyword'],
  ...['json_path', 'json_path_operator', 'expected_value', 'accepted_statuscodes_json', 'method'],
  ...['headers', 'body', 'auth_method', 'basic_auth_user', 'basic_auth_pass', 'ignore_tls'],
  ...['expiry_notification', 'dns_resolve_type', 'dns_resolve_server', 'push_token', 'parent'],
  ...['description', 'proxy_id', 'conditions', 'smtp_security'],
];
const MAINTENANCE = [
  ...['id', 'title', 'active', 'strategy', 'start_date', 'end_date', 'start_time', 'end_time'],
  ...['weekdays', 'days_of_month', 'interval_day', 'cron', 'duration', 'timezone'],
];

/** Returns what a database of Uptime Kuma holds, versions 1.23 and 2. @throws ImportFault */
export function readKuma(file: SourceFile, name: string): Plan {
  const settings = file.rows('setting', ['key', 'value']);
  const setting = (key: string) =>
    textOf(jsonOf(settings.find((row) => row['key'] === key)?.['value']));
  // Random, and the same as long as the installation is: its digest names it and tells nothing of it.
  const secret = textOf(settings.find((row) => row['key'] === 'jwtSecret')?.['value']);
  const monitors = bounded(file.rows('monitor', MONITOR));
  const children = childrenOf(monitors);
  const links = file.rows('monitor_maintenance', ['monitor_id', 'maintenance_id']);
  const parts = (id: string) => ({
    monitors: coveredBy(
      links.flatMap((row) =>
        textOf(row['maintenance_id']) === id ? textOf(row['monitor_id']) : [],
      ),
      children,
    ),
    zone: setting('serverTimezone') || 'UTC',
  });
  const items = [
    ...channelsOf(file.rows('notification', ['id', 'name', 'config'])),
    ...monitorsOf(monitors, tagsOf(file)),
    ...file.rows('maintenance', MAINTENANCE).map((row) => windowOf(row, parts(textOf(row['id'])))),
    ...file.rows('status_page', ['id', 'slug', 'title']).map(statusPage),
  ];
  return planOf(items, secret || name);
}

/** Returns what a backup of Uptime Kuma 1 holds. @throws ImportFault */
export function readKumaBackup(content: Values, name: string): Plan {
  const monitors = bounded(listOf(content['monitorList']).map(membersOf)).map(columnsOf);
  const tags = new Map(
    monitors.map((row) => [
      textOf(row['id']),
      listOf(row['tags']).map((one) => tagOf(membersOf(one))),
    ]),
  );
  const channels = listOf(content['notificationList']).slice(0, MOST).map(membersOf);
  return planOf([...channelsOf(channels), ...monitorsOf(monitors, tags)], name);
}

/** Returns the items of what a maintenance is about: with a group, what is in it. */
function coveredBy(ids: readonly string[], children: Children): string[] {
  const inside = ids.map((id) => insideOf(id, children));
  return [...new Set(inside.flatMap(({ groups, members }) => [...groups, ...members]))];
}

const planOf = (items: readonly Item[], named: string): Plan => ({
  ...{ format: 'kuma', source: `kuma:${shortHash(named)}`, items, rewritings: [] },
});

function bounded(rows: readonly Values[]): readonly Values[] {
  if (rows.length > MOST) throw new ImportFault(`the file has more than ${MOST} monitors`);
  return rows;
}

const tagOf = ({ name, value }: Values) =>
  lineOf(textOf(value) === '' ? name : `${textOf(name)}:${textOf(value)}`);

function tagsOf(file: SourceFile): ReadonlyMap<string, readonly string[]> {
  const names = new Map(
    file.rows('tag', ['id', 'name']).map((row) => [textOf(row['id']), row['name']]),
  );
  const found = new Map<string, string[]>();
  for (const row of file.rows('monitor_tag', ['monitor_id', 'tag_id', 'value'])) {
    const id = textOf(row['monitor_id']);
    const tag = tagOf({ name: names.get(textOf(row['tag_id'])), value: row['value'] });
    if (tag !== '') found.set(id, [...(found.get(id) ?? []), tag].slice(0, 50));
  }
  return found;
}

/** Members of a backup by the names of the columns. */
function columnsOf(row: Values): Values {
  const snake = Object.entries(row).map(([name, value]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ]);
  return Object.fromEntries(snake);
}

function statusPage(row: Values): Item {
  const name = lineOf(row['title']) || lineOf(row['slug']);
  const why = 'status pages are made under Status page';
  return {
    id: `page:${textOf(row['id'])}`,
    type: 'monitor',
    name,
    was: 'status page',
    notes: [],
    why,
  };
}

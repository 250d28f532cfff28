/** Files as other programs write them, made by their documented forms: no line of them is anybody's. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';

type Row = Readonly<Record<string, string | number | null>>;
export type Tables = Readonly<Record<string, readonly Row[]>>;

/** Bytes of a database with these tables; `more` is SQL behind them. */
export function database(tables: Tables, more = ''): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'svc-import-test-'));
  try {
    const path = join(folder, 'file.db');
    const db = new Sqlite(path);
    for (const [table, rows] of Object.entries(tables)) {
      const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
      db.exec(`create table "${table}" (${columns.map((name) => `"${name}"`).join(', ')})`);
      const insert = db.prepare(
        `insert into "${table}" values (${columns.map(() => '?').join(', ')})`,
      );
      for (const row of rows) insert.run(columns.map((name) => row[name] ?? null));
    }
    if (more !== '') db.exec(more);
    db.close();
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const monitor = (id: number, type: string, name: string, more: Row = {}): Row => ({
  ...{ id, type, name, active: 1, interval: 60, retry_interval: 30, maxretries: 2, timeout: 20 },
  ...{ upside_down: 0, maxredirects: 10, accepted_statuscodes_json: '["200-299"]', method: 'GET' },
  ...{ parent: null, headers: null, body: null, description: null, ignore_tls: 0 },
  ...{ expiry_notification: 0, url: 'https://' },
  ...more,
});

export const PUSH_TOKEN = 'Xk2v9QpL7tRw3ZsB8nMcY4hGdJ6fKaE1';
export const OLD_PUSH_TOKEN = 'oldToken10';
/** Secrets that stand in the files below: no answer and no output holds one. */
export const SECRETS = [
  ...['hunter2-basic', 'key-of-a-header', '1234567:telegram-bot-token', 'smtp-pass-word'],
  ...['$2a$10$jwt-secret-of-an-installation', 'gatus-hook-token', 'beszel-gotify-token'],
];

const CANNOT = [
  ...['docker', 'steam', 'gamedig', 'mqtt', 'kafka-producer', 'grpc-keyword', 'radius', 'snmp'],
  ...['real-browser', 'tailscale-ping', 'postgres', 'mysql', 'mongodb', 'redis', 'sqlserver'],
];

/** Database of Uptime Kuma with each kind of monitor. */
export const kuma = (): Tables => ({
  setting: [
    { id: 1, key: 'jwtSecret', value: '$2a$10$jwt-secret-of-an-installation', type: null },
    { id: 2, key: 'serverTimezone', value: '"Europe/Berlin"', type: 'general' },
  ],
  monitor: [
    monitor(1, 'group', 'Shop'),
    monitor(2, 'http', 'Front page', {
      ...{ url: 'https://shop.example.net/', parent: 1, auth_method: 'basic' },
      ...{ basic_auth_user: 'anna', basic_auth_pass: 'hunter2-basic' },
      headers: '{"Accept":"text/html","X-Api-Key":"key-of-a-header"}',
      accepted_statuscodes_json: '["200-299","404"]',
    }),
    monitor(3, 'keyword', 'Word', { url: 'https://a.example.net/', keyword: 'it "works"' }),
    monitor(4, 'keyword', 'No word', {
      ...{ url: 'https://a.example.net/', keyword: 'error', invert_keyword: 1, active: 0 },
    }),
    monitor(5, 'json-query', 'Query', {
      ...{ url: 'https://a.example.net/', json_path: '$.checks[0].state', expected_value: 'ok' },
      json_path_operator: '==',
    }),
    monitor(6, 'json-query', 'Hard query', {
      ...{ url: 'https://a.example.net/', json_path: '$sum(a.b)', expected_value: '5' },
    }),
    monitor(7, 'port', 'Database', { hostname: 'db.example.net', port: 5432, parent: 1 }),
    monitor(8, 'ping', 'Router', { hostname: '192.0.2.1', upside_down: 1, interval: 20 }),
    monitor(9, 'dns', 'Name', {
      ...{ hostname: 'example.net', dns_resolve_type: 'MX', dns_resolve_server: '192.0.2.53' },
      port: 53,
    }),
    monitor(10, 'push', 'Backup', { push_token: PUSH_TOKEN, interval: 3600 }),
    monitor(11, 'push', 'Old backup', { push_token: OLD_PUSH_TOKEN, interval: 3600 }),
    monitor(12, 'smtp', 'Mail', { hostname: 'mail.example.net', port: 25 }),
    monitor(13, 'websocket-upgrade', 'Socket', { url: 'wss://a.example.net/ws' }),
    monitor(14, 'group', 'Empty'),
    monitor(15, 'http', 'Front page', {
      url: 'https://twice.example.net/',
      timeout: 0,
      maxretries: 90,
    }),
    monitor(16, 'push', 'Guessable', { push_token: 'abc', interval: 3600 }),
    ...CANNOT.map((type, index) => monitor(100 + index, type, `kind ${type}`)),
  ],
  tag: [{ id: 1, name: 'web', color: '#fff' }],
  monitor_tag: [
    { id: 1, monitor_id: 2, tag_id: 1, value: '' },
    { id: 2, monitor_id: 7, tag_id: 1, value: 'eu' },
  ],
  notification: [
    {
      ...{ id: 1, name: 'Phones of ops', active: 1, user_id: 1 },
      config: JSON.stringify({
        ...{ type: 'telegram', telegramBotToken: '1234567:telegram-bot-token' },
        telegramChatID: '-100123',
      }),
    },
    {
      ...{ id: 2, name: 'Mail', active: 1, user_id: 1 },
      config: JSON.stringify({
        ...{ type: 'smtp', smtpHost: 'mail.example.net', smtpPort: 465, smtpSecure: true },
        ...{ smtpUsername: 'a', smtpPassword: 'smtp-pass-word', smtpTo: 'b@example.net' },
        smtpFrom: '"Kuma" <kuma@example.net>',
      }),
    },
    { id: 3, name: 'Other', active: 1, user_id: 1, config: '{"type":"octopush"}' },
  ],
  maintenance: [
    {
      ...{
        id: 1,
        title: 'Updates',
        active: 1,
        strategy: 'cron',
        cron: '0 3 * * 0',
        duration: 3600,
      },
      timezone: 'Europe/Berlin',
    },
    {
      ...{ id: 2, title: 'Move', active: 1, strategy: 'single', timezone: 'SAME_AS_SERVER' },
      ...{ start_date: '2027-07-01 10:00:00', end_date: '2027-07-01 12:00:00' },
    },
    {
      ...{ id: 3, title: 'Week', active: 1, strategy: 'recurring-weekday', weekdays: '[1,3]' },
      ...{ start_time: '22:30:00', end_time: '01:00:00', timezone: 'UTC' },
    },
    { id: 4, title: 'By hand', active: 1, strategy: 'manual' },
  ],
  monitor_maintenance: [1, 2, 3, 4].map((maintenance_id) => ({ monitor_id: 2, maintenance_id })),
  status_page: [{ id: 1, slug: 'public', title: 'Public' }],
});

/** What differs in the first version: no kinds of conditions, `active` of a group, an old timeout. */
export const kuma1 = (): Tables => ({
  setting: [{ id: 1, key: 'jwtSecret', value: 'another', type: null }],
  monitor: [
    { id: 1, name: 'One', active: 1, interval: 60, type: 'http', url: 'https://one.example.net/' },
    { id: 2, name: 'Two', active: 1, interval: 60, type: 'push', push_token: PUSH_TOKEN },
  ],
  notification: [{ id: 1, name: 'x', config: '{"type":"octopush"}' }],
});

export const gatus = `
default: &default
  group: core
  interval: 2m
alerting:
  discord:
    webhook-url: https://discord.com/api/webhooks/123/gatus-hook-token
  opsgenie: {api-key: x}
maintenance: {start: "23:00", duration: 1h, timezone: Europe/Berlin, every: [Monday]}
endpoints:
  - name: page
    <<: *default
    url: https://example.net/health
    conditions:
      - "[STATUS] == any(200, 429)"
      - "[BODY].status == pat(he*)"
      - "len([BODY].items) > 2"
      - "[CERTIFICATE_EXPIRATION] > 48h"
      - "[RESPONSE_TIME] < 300"
      - "[DOMAIN_EXPIRATION] > 720h"
    alerts: [{type: discord, failure-threshold: 4, success-threshold: 3}]
  - {name: from env, url: "https://\${HOST_OF_GATUS}/", conditions: ["[STATUS] == 200"]}
  - {name: host, url: "icmp://192.0.2.1", conditions: ["[CONNECTED] == true"]}
  - {name: port, url: "tcp://192.0.2.1:22", conditions: ["[CONNECTED] == true"]}
  - {name: cert, url: "tls://192.0.2.1:443", conditions: ["[CERTIFICATE_EXPIRATION] > 240h"]}
  - {name: mail, url: "starttls://192.0.2.1:587", conditions: ["[CERTIFICATE_EXPIRATION] > 240h"]}
  - name: name
    url: "192.0.2.53"
    dns: {query-name: example.net, query-type: A}
    conditions: ["[BODY] == 192.0.2.7", "[DNS_RCODE] == NOERROR"]
  - {name: shell, url: "ssh://192.0.2.1:22", conditions: ["[CONNECTED] == true"]}
external-endpoints:
  - {name: job, group: core, token: "0b0d0c0e-1111-4222-8333-444455556666", heartbeat: {interval: 30m}}
  - {name: loose, token: abc}
suites:
  - {name: flow}
`;

export const UUID = 'f618072a-7bde-4eee-af63-71a77c5723bc';
export const healthchecks = JSON.stringify({
  checks: [
    {
      ...{
        name: 'Nightly',
        slug: 'nightly',
        tags: 'prod db',
        desc: 'dump',
        grace: 600,
        n_pings: 1,
      },
      ...{ status: 'up', uuid: UUID, schedule: '15 5 * * *', tz: 'Europe/Riga', methods: '' },
    },
    {
      ...{ name: 'Often', tags: '', desc: '', grace: 60, status: 'paused', methods: 'POST' },
      ...{ ping_url: 'https://hc-ping.com/803f680d-e89b-492b-82ef-2be7b774a92d', timeout: 300 },
    },
    { name: 'Read only', unique_key: 'a6c7b0a8', grace: 60, timeout: 300 },
  ],
});

/** Database of Beszel: PocketBase's, with `machine` among its systems. */
export const beszel = (machine: string): Tables => ({
  systems: [
    { id: 'sys000000000001', name: machine, host: '192.0.2.1', status: 'up' },
    { id: 'sys000000000002', name: 'gone', host: '192.0.2.2', status: 'down' },
  ],
  alerts: [
    { id: 'alt1', system: 'sys000000000001', user: 'u1', name: 'CPU', value: 80, min: 10 },
    { id: 'alt2', system: 'sys000000000002', user: 'u1', name: 'CPU', value: 80, min: 10 },
    { id: 'alt3', system: 'sys000000000001', user: 'u1', name: 'Status', value: 0, min: 5 },
    { id: 'alt4', system: 'sys000000000001', user: 'u1', name: 'Disk', value: 90, min: 10 },
    { id: 'alt5', system: 'sys000000000001', user: 'u1', name: 'Temperature', value: 70, min: 1 },
    { id: 'alt6', system: 'sys000000000002', user: 'u1', name: 'Memory', value: 70, min: 1 },
  ],
  quiet_hours: [
    {
      ...{ id: 'qh1', system: 'sys000000000001', user: 'u1', type: 'daily' },
      ...{ start: '2026-01-01 22:00:00.000Z', end: '2026-01-02 06:00:00.000Z' },
    },
  ],
  user_settings: [
    {
      ...{ id: 'us1', user: 'u1' },
      settings:
        '{"emails":["a@example.net"],"webhooks":["gotify://gotify.example.net/beszel-gotify-token"]}',
    },
  ],
});

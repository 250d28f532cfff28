import type { Example } from '@svc/plugin-sdk';

const settings = {
  name: 'shop',
  kind: 'http',
  spec: { url: 'http://127.0.0.1:8080/health' },
  interval_s: 20,
  condition: 'status == 200 && ms < 2000',
  tags: ['web'],
} as const;
const verdict = { state: 'unknown', since: 1781000000000, up: 0, down: 0, unknown: 0, detail: '' };
const answer = {
  id: 7,
  ...settings,
  secret: { bearer: { set: true } },
  group: null,
  timeout_s: 10,
  retries: 2,
  retry_s: 20,
  recover_after: 1,
  places: { server: true },
  down_when: null,
  upside_down: false,
  parent: null,
  severity: 'critical',
  public_name: null,
  enable: true,
  note: '',
  owner: null,
  imported_from: null,
  created_at: 1781000000000,
  updated_at: 1781000000000,
  problem: null,
  verdict,
  paused_by: null,
  ping_url: null,
  push_url: null,
};
const beat = {
  name: 'backup',
  kind: 'heartbeat',
  spec: { cron: '0 3 * * *', zone: 'Europe/Berlin', grace_s: 1800 },
} as const;
const key = '5f0c1a52-8d1e-4c3b-9a77-2b6f0e4d9c11';
const uptime = {
  from: 1780913600000,
  to: 1781000000000,
  uptime: null,
  coverage: 0,
  up_s: 0,
  degraded_s: 0,
  down_s: 0,
  unknown_s: 0,
  paused_s: 0,
};

/** Calls for the documentation, in an order in which they work (test/discovery/examples.test.ts). */
export const examples: readonly Example[] = [
  {
    method: 'monitor_kinds',
    params: {},
    result: [
      {
        kind: 'ping',
        title: 'Ping',
        summary: 'A host: echoes, their loss and their times.',
        fields: [
          {
            name: 'count',
            title: 'Echoes',
            type: 'number',
            required: false,
            secret: false,
            default: 3,
            help: '1 to 10',
          },
        ],
      },
    ],
  },
  {
    method: 'monitor_try',
    params: { monitor: { name: 'nobody', kind: 'tcp', spec: { host: '127.0.0.1', port: 1 } } },
    result: {
      ok: false,
      ms: null,
      code: null,
      detail: 'the connection was refused: 127.0.0.1 port 1',
      values: { ms_dns: 0.9 },
      sample: null,
      certificate: null,
    },
  },
  {
    method: 'monitor_create',
    params: { monitor: { ...settings, secret: { bearer: 'EXAMPLE' } } },
    result: answer,
  },
  {
    method: 'monitor_create',
    params: { monitor: { ...settings, name: 'cart', condition: 'statsu == 200' } },
    error: {
      code: 108,
      message:
        'Invalid input: condition, characters 0 to 6: there is no variable statsu; did you mean status?',
    },
  },
  {
    method: 'monitor_get',
    params: { name: 'shop' },
    result: { ...answer, states: [], certificates: [], last_answer: null, next_at: null },
  },
  {
    method: 'monitor_list',
    params: {},
    result: {
      monitors: [
        {
          id: 7,
          name: 'shop',
          kind: 'http',
          target: 'http://127.0.0.1:8080/health',
          group: null,
          tags: ['web'],
          interval_s: 20,
          enable: true,
          state: 'unknown',
          since: 1781000000000,
          detail: '',
          ms: null,
          not_after: null,
          last_at: null,
          recent: '',
          uptime: null,
        },
      ],
      next: null,
    },
  },
  {
    method: 'monitor_overview',
    params: { ids: [1] },
    result: [{ id: 1, uptime_30d: null, states: [] }],
  },
  {
    method: 'monitor_update',
    params: {
      name: 'shop',
      change: { spec: { url: 'http://127.0.0.2:8080/health' }, retries: 1 },
    },
    result: {
      ...answer,
      spec: { url: 'http://127.0.0.2:8080/health' },
      secret: {},
      retries: 1,
      emptied: ['bearer'],
    },
  },
  { method: 'monitor_check_now', params: { name: 'shop' }, result: { success: true } },
  {
    method: 'monitor_results',
    params: { name: 'shop', limit: 100 },
    result: { results: [], next: null },
  },
  { method: 'monitor_outages', params: { name: 'shop' }, result: [] },
  {
    method: 'monitor_query_uptime',
    params: { name: 'shop', days: 1, zone: 'Europe/Berlin' },
    result: { spans: [uptime], days: [uptime] },
  },
  {
    method: 'monitor_query_series',
    params: { name: 'shop' },
    result: { step: 3600000, points: [] },
  },
  {
    method: 'monitor_set_enable',
    params: { name: 'shop', enable: false },
    result: {
      ...answer,
      enable: false,
      spec: { url: 'http://127.0.0.2:8080/health' },
      secret: {},
      retries: 1,
    },
  },
  {
    method: 'monitor_register',
    params: { uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411', kinds: ['tcp_ping', 'ping'] },
    result: 93226151235180,
    item: { time: 1781000000000, whole: true, checks: [], gone: [], now: [] },
  },
  {
    method: 'monitor_report',
    params: {
      uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411',
      results: [
        { monitor: 7, at: 1781000000000, ok: true, ms: 12.5, code: null, detail: null },
        {
          ...{ monitor: 8, at: 1781000000000, ok: false, ms: null, code: null },
          detail: 'the connection was refused: 192.0.2.7 port 443',
        },
      ],
    },
    result: { taken: 2, refused: 0 },
  },
  { method: 'monitor_delete', params: { name: 'shop' }, result: { success: true } },
  {
    method: 'monitor_create',
    params: { monitor: beat },
    result: {
      ...answer,
      ...beat,
      ...{ id: 8, interval_s: 60, condition: null, tags: [], secret: {} },
      ping_url: `https://svc.example.net/svc/ping/${key}`,
      push_url: `https://svc.example.net/svc/push/${key}`,
    },
  },
  { method: 'monitor_pings', params: { name: 'backup', limit: 10 }, result: [] },
  ...imports(),
];

/** Import of a file of Gatus, and its undo. */
function imports(): Example[] {
  const base64 =
    'ZW5kcG9pbnRzOgogIC0ge25hbWU6IGRvY3MsIHVybDogImh0dHA6Ly8xMjcuMC4wLjI6ODA4MC8iLCBjb25kaXRpb25zOiBbIltTVEFUVVNdID09IDIwMCJdfQo=';
  const file = { name: 'gatus.yaml', base64 };
  const [source, item] = ['gatus:1d4c469cf970', 'endpoint:_docs'];
  const row = { item, type: 'monitor', name: 'docs', was: 'http', kind: 'http', notes: [] };
  const rewritings = [{ from: '[STATUS] == 200', to: 'status == 200' }];
  const report = { format: 'gatus', source, rewritings };
  const later = { ...report, rewritings: [] };
  const result = { ...report, rows: [{ ...row, outcome: 'made', as: 'docs' }] };
  const found = { ...row, was: '', kind: '' };
  return [
    { method: 'monitor_import_plan', params: { file }, result },
    { method: 'monitor_import_apply', params: { file }, result },
    {
      method: 'monitor_import_switch_on',
      params: { source },
      result: { ...later, rows: [{ ...found, outcome: 'switched_on', as: 'docs' }] },
    },
    {
      method: 'monitor_import_undo',
      params: { source },
      result: { ...later, rows: [{ ...found, outcome: 'deleted', as: null }] },
    },
  ];
}

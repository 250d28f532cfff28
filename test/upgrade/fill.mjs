/**
 * Fills a running server with something of everything that it stores, and writes down what it answers about it:
 * `node fill.mjs http://127.0.0.1:PORT KEY:SECRET > answers.json`. Each version leaves such a folder for the next ones
 * (README.md says how).
 */
import { FULL_REPORT, STATIC_REPORT } from '../../plugins/agent/src/samples.ts';

const [url, token] = process.argv.slice(2);
const AGENT = '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411';
const base64 = (text) => Buffer.from(text).toString('base64');
const day = (n) => 1781000000000 + n * 86_400_000;

async function call(method, params) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = await response.json();
  if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
  return result;
}

const limits = [
  {
    scopes: [{ agent_uuid: AGENT }],
    permissions: [{ dynamic_monitoring_summary: 'write' }, { task: 'listen' }],
  },
  { scopes: [{ kv_namespace: 'settings' }], permissions: [{ kv: { read: 'colour*' } }] },
];
const user = { username: 'operator', password: 'a long password', token_limit: limits };
const made = await call('token_create', [token, user]);

const summary = (time) => ({
  uuid: AGENT,
  time,
  cpu_usage: 172,
  gpu_usage: null,
  used_memory: 1073741824,
  total_memory: 4294967296,
  load_one: 3,
  uptime: 100001,
});
const dynamic = (time) => ({ ...FULL_REPORT, time });
await call('agent_report_static', [token, { ...STATIC_REPORT, time: day(0) }]);
for (const n of [0, 1, 2]) {
  await call('agent_report_dynamic', [token, dynamic(day(n))]);
  await call('agent_report_dynamic_summary', [token, summary(day(n))]);
}

await call('kv_create', [token, 'settings']);
await call('kv_set_value', [token, 'settings', 'colour.sky', 'blue']);
await call('kv_set_value', [token, 'settings', 'numbers', [1, 2.5, -3, 'text', null]]);

await call('db_create', [token, 'notes']);
await call('db_exec_sql', [token, 'notes', 'create table note (id integer primary key, text)']);
await call('db_exec_sql', [token, 'notes', 'insert into note (text) values (?), (?)', ['a', 'b']]);

await call('static-bucket_create', [token, 'site', 'site', false, true]);
await call('static-bucket-file_upload', [
  token,
  'site',
  'docs/page.txt',
  [...Buffer.from('A page.')],
]);

await call('js-worker_create', {
  token,
  name: 'adder',
  js_script_base64: base64('export default { onCall: ({ a, b }) => a + b }'),
});
const run = await call('js-worker_run', { token, js_script_name: 'adder', params: { a: 1, b: 2 } });
const runs = () => call('js-result_query', { token, query: { condition: [{ id: run.id }] } });
while (!(await runs())[0]?.finish_time) await new Promise((wake) => setTimeout(wake, 50));

const job = { agent: [[AGENT], { task: 'ip' }] };
await call('crontab_create', [token, 'never', '0 0 0 1 1 * 2100', job]);
const addition = { server: { js_worker: ['adder', { a: 3, b: 4 }] } };
await call('crontab_create', [token, 'addition', '0 0 0 1 1 * 2100', addition]);

await call('kv_create', [token, AGENT]);
await call('kv_set_value', [token, AGENT, 'metadata_name', 'edge-7']);
const entry = { key: 'web', name: 'Web', group: 'Servers', agent: AGENT };
await call('status-page_create', {
  token,
  slug: 'example',
  page: { title: 'Example status', entries: [entry] },
});
const incident = { title: 'New power supply', impact: 'maintenance', begins_at: day(1) };
await call('status-page_incident_add', { token, slug: 'example', incident });

const channel = { name: 'phone', kind: 'ntfy', enable: false };
const server = { server: 'https://ntfy.example.net', topic: 'ops' };
await call('channel_create', { token, channel: { ...channel, config: server } });
const quiet = { from: '22:00', to: '07:00', zone: 'Europe/Berlin' };
const steps = [{ after_s: 0, channels: ['phone'] }];
await call('alert_policy_set', { token, policy: { name: 'nights', steps, quiet } });
const rule = { name: 'edge busy', source: 'machine', scope: { agents: [AGENT] }, for_s: 300 };
const condition = 'avg("cpu_usage", "5m") > 90';
await call('alert_rule_create', { token, rule: { ...rule, condition, policy: 'nights' } });
await call('alert_rule_set_enable', { token, name: 'CPU busy', enable: false });
const once = { from: 4102440000000, to: 4102443600000 };
const window = { name: 'move', scope: { tags: ['edge'] }, zone: 'UTC', once };
await call('alert_window_create', { token, window });
const silence = { scope: { agents: [AGENT] }, reason: 'new disk', ends_at: 4102444800000 };
await call('alert_silence_create', { token, silence });

const fields = ['cpu_usage', 'used_memory', 'uptime'];
const range = { from: day(0), to: day(3), points: 3 };
const reads = [
  ['token_get', ['operator|a long password']],
  ['token_get', [`${made.key}:${made.secret}`]],
  ['svc-server_list_all_agent_uuid', [token]],
  ['agent_query_static', [token, { fields: ['cpu', 'system'], condition: [{ uuid: AGENT }] }]],
  ['agent_query_dynamic', [token, { fields: ['ram', 'load'], condition: [{ uuid: AGENT }] }]],
  ['agent_query_dynamic_summary', [token, { fields, condition: [{ uuid: AGENT }] }]],
  ['agent_dynamic_summary_multi_last_query', [token, [AGENT], fields]],
  ['kv_get_all_keys', [token, 'settings']],
  ['kv_get_value', [token, 'settings', 'colour.sky']],
  ['kv_get_value', [`${made.key}:${made.secret}`, 'settings', 'colour.sky']],
  ['kv_get_value', [token, 'settings', 'numbers']],
  ['db_exec_sql', [token, 'notes', 'select id, text from note order by id']],
  ['db_list', [token]],
  ['static-bucket_list', [token]],
  ['static-bucket-file_read', [token, 'site', 'docs/page.txt']],
  ['js-worker_read', { token, name: 'adder' }],
  ['js-result_query', { token, query: { condition: [{ id: run.id }] } }],
  ['crontab_get', [token]],
  ['agent_query_series', { token, agents: [AGENT], fields: ['cpu_usage'], ...range }],
  ['agent_query_series', { token, agents: [AGENT], fields, ...range, source: 'minute' }],
  ['agent-uuid_list_all_with_agent_mode', [token]],
  ['status-page_get', { token, slug: 'example' }],
  ['status-page_incident_list', { token, slug: 'example' }],
  ['channel_list', { token }],
  ['alert_rule_get', { token, name: 'edge busy' }],
  ['alert_rule_get', { token, name: 'CPU busy' }],
  ['alert_policy_list', { token }],
  ['alert_window_list', { token }],
  ['alert_silence_list', { token }],
];
const answers = [];
for (const [method, params] of reads) {
  try {
    answers.push({ method, params, result: await call(method, params) });
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
  }
}
process.stdout.write(`${JSON.stringify({ token, answers }, null, 1)}\n`);

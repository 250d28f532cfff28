// conventions.md §2.3: what `error.data` of -32602 says about a value that does not fit.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';

const test = suite('reasons of invalid parameters');
let app: TestApp;
test.before(async () => {
  app = await bootForTest(['token', 'agent-uuid', 'agent', 'task', 'crontab', 'kv']);
});
test.after(() => app.stop());

const UUID = '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411';
const task = (type: unknown) => ['task_create_task', ['x:y', UUID, type]] as const;
const tasks = (...conditions: unknown[]) =>
  ['task_query', ['x:y', { condition: conditions }]] as const;
const job = (type: unknown) => ['crontab_create', ['x:y', 'n', '* * * * * *', type]] as const;
const fields = (...names: unknown[]) =>
  ['agent_query_static', ['x:y', { fields: names, condition: [] }]] as const;

const TYPES =
  '`read_config`, `ip`, `version`, `ping`, `tcp_ping`, `http_ping`, `http_request`, `dns`, `execute`, `web_shell`, `edit_config`, `self_update`';
const CONDITIONS =
  '`is_success`, `is_failure`, `is_running`, `is_manual`, `last`, `task_id`, `uuid`, `timestamp_from_to`, `timestamp_from`, `timestamp_to`, `type`, `cron_source`, `limit`';

// biome-ignore format: one case per line
const cases: [name: string, call: readonly [method: string, params: unknown], data: string][] = [
  ['the branch that was meant, and what it lacks', task({ execute: { args: [] } }), 'missing field `cmd`, in task_type.execute: `cmd` is missing'],
  ['everything that it lacks', task({ execute: {} }), 'missing field `cmd`, in task_type.execute: `cmd`, `args` are missing'],
  ['a misspelt name beside a missing one', task({ execute: { comand: 'df', args: [] } }), 'missing field `cmd`, in task_type.execute: `cmd` is missing; unknown field `comand`, expected one of `cmd`, `args`'],
  ['a wrong type deep in a branch', task({ execute: { cmd: 'df', args: ['-h', 5] } }), 'invalid type: integer `5`, expected a string, at task_type.execute.args.1'],
  ['a wrong type of a branch', task({ execute: 'df' }), 'invalid type: string, expected an object, at task_type.execute'],
  ['content for a word', task({ ip: 'x' }), 'invalid type: string, expected a null, at task_type.ip'],
  ['a word without its content', task('execute'), 'missing content, expected {"execute": …}, at task_type'],
  ['an unknown tag', task({ exec: { cmd: 'df' } }), `unknown variant \`exec\`, expected one of ${TYPES}, at task_type`],
  ['an unknown word', task('reboot'), `unknown variant \`reboot\`, expected one of ${TYPES}, at task_type`],
  ['no tag', task({}), `missing field, expected one of ${TYPES}, in task_type`],
  ['two tags', task({ ping: 'a', execute: { cmd: 'df', args: [] } }), 'unknown field `execute`, expected `ping`, in task_type'],
  ['a type that no branch has', task(5), `invalid type: integer \`5\`, expected one of ${TYPES}, at task_type`],
  ['a branch inside a branch', job({ agent: [[UUID], { task: { dns: { domain: 'x', record_types: ['mx', 'q'] } } }] }), 'unknown variant `q`, expected one of `a`, `aaaa`, `cname`, `mx`, `txt`, `ns`, `srv`, `ptr`, `soa`, `caa`, at cron_type.agent.1.task.dns.record_types.1'],
  ['a list that is too short', job({ server: { js_worker: ['w'] } }), 'invalid value: sequence, must not have fewer than 2 items, at cron_type.server.js_worker'],
  ['an unknown member of a branch', job({ server: { worker: ['w', 1] } }), 'unknown field `worker`, expected `js_worker`, in cron_type.server'],
  ['an unknown condition', tasks({ last: null }, { uid: UUID }), `unknown variant \`uid\`, expected one of ${CONDITIONS}, at task_data_query.condition.1`],
  ['a value of a condition', tasks({ limit: -1 }), 'invalid value: integer `-1`, Unsigned 64-bit integer, at task_data_query.condition.0.limit'],
  ['a fraction', tasks({ limit: 1.5 }), 'invalid type: floating point `1.5`, expected an integer, at task_data_query.condition.0.limit'],
  ['a malformed UUID', tasks({ uuid: 'none' }), 'UUID parsing failed, UUID: hyphenated, 32 hex digits, in braces, or as urn:uuid, at task_data_query.condition.0.uuid'],
  ['an unknown field', fields('cpu', 'ram'), 'unknown variant `ram`, expected one of `cpu`, `system`, `gpu`, at static_data_query.fields.1'],
  ['a field that is no text', fields(5), 'invalid type: integer `5`, expected one of `cpu`, `system`, `gpu`, at static_data_query.fields.0'],
  ['a parameter that lacks a member', ['agent_query_static', ['x:y', { field: [] }]], 'missing field `fields`, in static_data_query: `fields`, `condition` are missing; unknown field `field`, expected one of `fields`, `condition`'],
  ['a misspelt parameter', ['task_create_task', { token: 'x:y', uuid: UUID, task_type: 'ip' }], 'missing field `target_uuid`; unknown field `uuid`, expected one of `token`, `target_uuid`, `task_type`'],
  ['a long text of the caller is cut', task({ ['x'.repeat(500)]: 1 }), `unknown variant \`${'x'.repeat(64)}\`, expected one of ${TYPES}, at task_type`],
  ['the text of a string is not shown', task({ execute: { cmd: 'df', args: 'hidden-secret' } }), 'invalid type: string, expected an array, at task_type.execute.args'],
];
for (const [name, [method, params], data] of cases) {
  test(`-32602 names ${name}`, async () => {
    const { error } = await app.rpc({ jsonrpc: '2.0', id: 1, method, params });
    assert.equal(error, { code: -32602, message: 'Invalid params', data });
  });
}

test.run();

// Every list that a caller may send has a bound. A method that is added is looked at by itself.
import type { App } from '@svc/kernel';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from './runner/suite.ts';

interface Schema {
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: { readonly [name: string]: Schema };
  readonly patternProperties?: { readonly [pattern: string]: Schema };
  readonly maxProperties?: number;
  readonly items?: Schema | readonly Schema[];
  readonly maxItems?: number;
}

/** Parameters that take any JSON, and what bounds their size. */
const ANY: { readonly [place: string]: string } = {
  'token_create.token_creation.token_limit[]': 'limit-size.ts, scopes and permissions together',
  'token_edit.limit[]': 'limit-size.ts, scopes and permissions together',
  'token_explain.params{}': 'the schemas of the method that is explained',
  'kv_set_value.value': '[kv] max_value_bytes',
  'db_exec_sql.params': 'placeholders of the statements',
  'svc-server_exec_sql.params': 'placeholders of the statement',
  'js-worker_create.env': 'bytes of a worker',
  'js-worker_update.env': 'bytes of a worker',
  'js-worker_run.params': 'bytes of a run',
  'js-worker_run.env': 'bytes of a run',
  'crontab_create.cron_type.server.js_worker[1]': 'characters of a job',
  'crontab_edit.cron_type.server.js_worker[1]': 'characters of a job',
  'channel_create.channel.config{}': '16 kB, and the fields of the kind (checkValues)',
  'channel_create.channel.secret{}': '16 kB, and the fields of the kind (checkValues)',
  'channel_test.channel.config{}': '16 kB, and the fields of the kind (checkValues)',
  'channel_test.channel.secret{}': '16 kB, and the fields of the kind (checkValues)',
  'channel_update.change.config{}': '16 kB, and the fields of the kind (checkValues)',
  'channel_update.change.secret{}': '16 kB, and the fields of the kind (checkValues)',
  'monitor_create.monitor.secret{}': '16 kB, and the fields of the kind (checkSpec)',
  'monitor_create.monitor.spec{}': '16 kB, and the fields of the kind (checkSpec)',
  'monitor_try.monitor.secret{}': '16 kB, and the fields of the kind (checkSpec)',
  'monitor_try.monitor.spec{}': '16 kB, and the fields of the kind (checkSpec)',
  'monitor_update.change.secret{}': '16 kB, and the fields of the kind (checkSpec)',
  'monitor_update.change.spec{}': '16 kB, and the fields of the kind (checkSpec)',
  'static-bucket-file_upload.body': 'bytes of a message',
};

interface List {
  readonly method: string;
  /** Path below the parameters: `query.condition`. */
  readonly path: readonly (string | number)[];
  readonly most: number | undefined;
  readonly isRecord: boolean;
}

/** Lists, records and values of any kind, of every parameter of every method. */
function findingsOf({ methods }: App) {
  const lists: List[] = [];
  const any: string[] = [];
  const walk = (method: string, path: List['path'], at: string, schema: Schema): void => {
    const { type, anyOf, items, properties, patternProperties } = schema;
    if (anyOf) for (const branch of anyOf) walk(method, path, at, branch);
    else if (type === 'array' && Array.isArray(items))
      for (const [place, item] of items.entries())
        walk(method, [...path, place], `${at}[${place}]`, item);
    else if (type === 'array') {
      lists.push({ method, path, most: schema.maxItems, isRecord: false });
      walk(method, [...path, 0], `${at}[]`, items as Schema);
    } else if (patternProperties) {
      lists.push({ method, path, most: schema.maxProperties, isRecord: true });
      const [member = {}] = Object.values(patternProperties);
      walk(method, [...path, 'x'], `${at}{}`, member);
    } else if (properties)
      for (const [name, member] of Object.entries(properties))
        walk(method, [...path, name], `${at}.${name}`, member);
    else if (type === undefined && !schema.enum && schema.const === undefined) any.push(at);
    else if (type === 'object') any.push(at);
  };
  for (const { name, definition } of methods.values())
    for (const [parameter, schema] of Object.entries(definition.params))
      walk(name, [parameter], `${name}.${parameter}`, schema as Schema);
  return { lists, any };
}

const test = suite('bounds of lists');
let app: TestApp;

test.before(async () => {
  app = await bootForTest(undefined);
});
test.after(() => app.stop());

const shown = ({ method, path }: List) => `${method} ${path.join('.')}`;

test('every list and record in the parameters of every method has a bound', () => {
  const { lists } = findingsOf(app.kernel as App);
  const without = lists.filter(({ most }) => most === undefined).map(shown);
  assert.equal(without, [], 'give them maxItems or maxProperties');
  assert.ok(lists.length > 50, String(lists.length));
});

test('a value of any kind stands in the list that says what bounds it', () => {
  const { any } = findingsOf(app.kernel as App);
  assert.equal([...new Set(any)].sort(), Object.keys(ANY).sort());
});

/** The parameters with `value` at a path; elements around it are the only ones of their lists. */
const wrapped = (path: List['path'], value: unknown): unknown =>
  path.reduceRight((inner, step) => {
    if (typeof step === 'string') return { [step]: inner };
    return [...Array(step).fill(null), inner];
  }, value);

test('a list that is too long is refused with its bound and its place, before its entries are looked at', async () => {
  const { methods } = app.kernel as App;
  const asked = findingsOf(app.kernel as App).lists.filter(({ most }) => Number(most) < 100_000);
  for (const { method, path, most = 0, isRecord } of asked) {
    const value = isRecord
      ? Object.fromEntries(Array.from({ length: most + 1 }, (_, at) => [`n${at}`, null]))
      : Array(most + 1).fill(null);
    const [name = ''] = path;
    const params = wrapped(path, value) as object;
    const schemas = methods.get(method)?.definition.params ?? {};
    const others = Object.keys(schemas);
    // What stands before it in the parameters would be missed first.
    const before = others
      .slice(0, others.indexOf(String(name)))
      .filter((each) => !('~optional' in (schemas[each] as object)));
    const answer = await app.rpc({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        [methods.get(method)?.credential ?? 'token']: app.superToken,
        ...Object.fromEntries(
          before.map((each) => [each, SOUND[`${method}.${each}`] ?? SOUND[each] ?? 'x']),
        ),
        ...params,
      },
    });
    const length = `${most + 1} entries, expected at most ${most} entries`;
    assert.equal(
      [answer.error?.code, answer.error?.data],
      [-32602, `invalid length: ${length}, at ${path.join('.')}`],
      `${method} ${path.join('.')}`,
    );
  }
});

/** Parameters that stand before a list. */
const SOUND: { readonly [name: string]: unknown } = {
  'alert_list.state': 'all',
  condition: 'cpu_usage > 90',
  agents: ['0b6f1c52-7a35-4d0e-9c1b-000000000001'],
  from: 1,
  rule: { name: 'x', source: 'machine', scope: { all: true }, condition: 'cpu_usage > 1' },
  source: 'machine',
  target_uuid: '0b6f1c52-7a35-4d0e-9c1b-000000000001',
  timeout_ms: 1_000,
  to: 2,
  type: 'ping',
  uuid: '0b6f1c52-7a35-4d0e-9c1b-000000000001',
  uuids: [],
};

test.run();

/** Every key of every built-in plugin: what names what is executed or trusted is changed in the file on the machine only. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileOnly, type Plugin, Type } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import { stringify } from 'smol-toml';
import type { TObject } from 'typebox';
import * as assert from 'uvu/assert';
import { changesOf, changesText } from '../../plugins/server-info/src/config-changes.ts';
import { builtInNames, loadPlugin } from '../../server/src/plugins/find.ts';
import { schemaOf } from '../../server/src/plugins/sections.ts';
import { suite } from '../runner/suite.ts';
import { type Key, keysOf } from './configuration-keys.ts';

const test = suite('keys that change in the file only');
const plugins: Plugin[] = await Promise.all(builtInNames().map((name) => loadPlugin(name, '.')));
const schema = schemaOf(plugins);
const keys = keysOf(schema);

/** Texts that may change over the wire, because they are neither run, opened nor trusted. A new one is a decision. */
const HARMLESS = new Set([
  // Another name of the same server.
  ...['server_uuid', 'ws_listener', 'brand.word', 'brand.permission', 'brand.title'],
  // What is told to whom who may read it anyway.
  ...['logging.log_filter', 'logging.json_log_filter', 'logging.memory_log_filter'],
  // Which tokens get how much.
  'admission.tokens',
  // Limits and choices among words.
  ...['retention.budget', 'series.traffic_plans'],
  // Closes more tables of exec_sql; headers that scripts may send.
  ...['server-info.exec_sql_secret_tables', 'js-worker.route_headers'],
]);

test('every key that holds a text is marked, or known to be harmless', () => {
  const open = keys.filter(({ schema, wire }) => wire !== false && holdsText(schema));
  assert.equal(
    open.map(({ path }) => path.join('.')).filter((key) => !HARMLESS.has(key)),
    [],
    'mark it with fileOnly(…) of the SDK, or say in HARMLESS why not',
  );
  const all = keys.map(({ path }) => path.join('.'));
  assert.equal(
    [...HARMLESS].filter((key) => !all.includes(key)),
    [],
  );
});

const holdsText = ({ type, items, enum: words, properties }: Key['schema']): boolean =>
  (type === 'string' && !words) ||
  (items !== undefined && holdsText(items)) ||
  Object.values(properties ?? {}).some(holdsText);

/** Keys that this rule was made for. */
const NAMED =
  'plugins extra_plugins allowed_paths static_path db_path unix_socket_path tls_cert tls_key trusted_proxies allowed_hosts database.database_url logging.json_log_file enrol.url enrol.pin enrol.runtime_path metrics.otlp_url metrics.otlp_headers metrics.listener bus-nats.servers bus-nats.tls bus-nats.tls_ca bus-postgres.database_url server-info.exec_sql_vacuum_folder audit.keep_days';
test('paths, addresses, plugins, proxies, keys and outlets are marked', () => {
  const marked = keys.filter(({ wire }) => wire === false).map(({ path }) => path.join('.'));
  assert.equal(
    NAMED.split(' ').filter((key) => !marked.includes(key)),
    [],
  );
});

/** Values of keys whose form is checked. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  tls_cert: 'x.pem',
  'database.database_url': 'postgres://a@b/c',
  'bus-postgres.database_url': 'postgres://a@b/c',
  'enrol.url': 'http://evil.example',
  'enrol.pin': '',
  'metrics.otlp_url': 'http://evil.example',
  'metrics.otlp_headers': ['a: b'],
  'monitor.rdap_list': 'http://evil.example/dns.json',
  'dashboard.servers': ['http://evil.example'],
};

function sampleOf({ path, schema: { type, items, default: usual } }: Key): unknown {
  const known = SAMPLES[path.join('.')];
  if (known !== undefined) return known;
  if (type === 'boolean') return usual !== true;
  if (type === 'integer' || type === 'number') return 7;
  return type === 'array' && items?.type === 'string' ? ['evil'] : 'evil';
}

const nested = (path: readonly string[], value: unknown): Record<string, unknown> =>
  Object.fromEntries([
    [path[0], path.length === 1 ? value : nested(path.slice(1), value)],
  ]) as Record<string, unknown>;

for (const key of keys) {
  const name = key.path.join('.');
  const change = () => changesOf(schema, {}, nested(key.path, sampleOf(key)));
  test(`${name} ${key.wire === false ? 'is refused' : 'changes'} over the wire`, () => {
    const [found, ...more] = change();
    assert.equal([found?.key, more.length], [name, 0]);
    assert.is(found?.fileOnly !== undefined, key.wire === false);
  });
}

for (const [which, loaded] of [
  ['with every plugin', undefined],
  ['with few plugins', ['token', 'server-info']],
] as const) {
  const server = suite(`edit_config and keys of the file (${which})`);
  let app: TestApp;
  server.before(async () => {
    app = await bootForTest(loaded && [...loaded]);
  });
  server.after(() => app.stop());

  for (const key of keys.filter(({ wire }) => wire === false)) {
    const name = key.path.join('.');
    server(`${name} is refused, by its name, and the file stays`, async () => {
      const file = join(app.dir, 'config.toml');
      const before = readFileSync(file, 'utf8');
      const text = withKey(before, key, sampleOf(key));
      const error = await app
        .call('svc-server_edit_config', [app.superToken, text])
        .catch((refusal) => refusal);
      assert.is(error.code, 107, `${text}\n${error.message}`);
      assert.ok(error.message.includes(`${name}`), error.message);
      assert.is(readFileSync(file, 'utf8'), before);
    });
  }
  server.run();
}

/** The text with one key changed; a certificate needs its key. */
function withKey(text: string, { path }: Key, value: unknown): string {
  const [section = '', key] = path;
  const line = (name: string) => stringify({ [name]: value });
  if (section === 'tls_cert' || section === 'tls_key')
    return `tls_cert = "x"\ntls_key = "y"\n${text}`;
  if (key === undefined)
    return `${line(section)}\n${text.replace(new RegExp(`^${section} = .*$`, 'm'), '')}`;
  const old = new RegExp(`^${key} = .*$`, 'm');
  if (text.includes(`[${section}]`) && old.test(text)) return text.replace(old, line(key).trim());
  if (text.includes(`[${section}]`))
    return text.replace(`[${section}]`, `[${section}]\n${line(key)}`);
  return `${text}\n[${section}]\n${line(key)}`;
}

const foreign: TObject = Type.Object({
  greeter: Type.Object({
    word: Type.String(),
    script_file: Type.String(),
    hook_url: Type.String(),
    start_command: Type.Array(Type.String()),
    cache_path: Type.String({ wire: true }),
    outlet: fileOnly(Type.Object({ level: Type.String() })),
    max_files: Type.Integer(),
    scriptPath: Type.String(),
    'hook-command': Type.String(),
    exec: Type.String(),
    upstreams: Type.Array(Type.String()),
    hooks: Type.Array(
      Type.Object({ on: Type.String(), run: Type.Object({ command: Type.String() }) }),
    ),
    levels: Type.Array(Type.Object({ name: Type.String(), weight: Type.Integer() })),
    mirrors: Type.Array(Type.Object({ url: Type.String() }), { wire: true }),
  }),
});
const guessed: readonly [key: string, value: unknown, fileOnly: boolean][] = [
  ['word', 'hi', false],
  ['script_file', 'x', true],
  ['hook_url', 'http://x', true],
  ['start_command', ['x'], true],
  ['cache_path', 'x', false],
  ['max_files', 3, false],
  ['scriptPath', 'x', true],
  ['hook-command', 'x', true],
  ['exec', 'x', true],
  ['upstreams', ['x'], true],
  ['hooks', [{ on: 'start', run: { command: 'x' } }], true],
  ['levels', [{ name: 'x', weight: 3 }], false],
  ['mirrors', [{ url: 'x' }], false],
  ['misspelt', [{ script_file: 'x' }], true],
  ['monkey', 'x', false],
];
for (const [key, value, isRefused] of guessed)
  test(`a plugin from elsewhere: ${key} ${isRefused ? 'is refused for its name' : 'changes'}`, () => {
    const [found] = changesOf(foreign, {}, { greeter: { [key]: value } });
    assert.is(found?.fileOnly !== undefined, isRefused);
  });
test('a plugin from elsewhere: the mark of a table holds for what is in it', () => {
  const [found] = changesOf(foreign, {}, { greeter: { outlet: { level: 'x' } } });
  assert.is(found?.key, 'greeter.outlet.level');
  assert.ok(found?.fileOnly);
});

const told: readonly [string, Record<string, unknown>, Record<string, unknown>, string][] = [
  ['values of keys', { kv: { max_items: 5 } }, { kv: { max_items: 6 } }, 'kv.max_items 5 → 6'],
  ['the default that was in force', {}, { kv: { max_items: 6 } }, 'kv.max_items 100000 → 6'],
  [
    'no value of a secret',
    {},
    { metrics: { otlp_headers: ['a: hush'], otlp_url: 'http://h/hush' } },
    'metrics.otlp_headers, metrics.otlp_url',
  ],
  ['no value of a key that nobody knows', {}, { kv: { pasword: 'hush' } }, 'kv.pasword'],
  ['no value of a section that nobody knows', {}, { x: { y: 'hush' } }, 'x'],
  ['that only the text changed', { a: 1 }, { a: 1 }, 'no key'],
];
for (const [what, before, after, text] of told)
  test(`the audit is told ${what}`, () =>
    assert.is(changesText(changesOf(schema, before, after)), text));

test.run();

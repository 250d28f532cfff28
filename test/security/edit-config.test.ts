// edit_config over the wire: a stolen Super Token must not become the files of the host.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootForTest, type RpcFailure, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';

const test = suite('edit_config over the wire');
let app: TestApp;
let file = '';
let original = '';
/** Folders of the operator, outside of the configuration's. */
let elsewhere = '';
let outside = '';

const edit = (text: string) => app.call('svc-server_edit_config', [app.superToken, text]);
const refusal = (text: string): Promise<RpcFailure | undefined> =>
  edit(text).then(
    () => undefined,
    (error) => error,
  );
const set = (key: string, value: unknown) => (text: string) => {
  const line = `${key} = ${JSON.stringify(value)}`;
  const known = new RegExp(`^${key} = .*$`, 'm');
  return known.test(text) ? text.replace(known, line) : `${line}\n${text}`;
};
const append = (more: string) => (text: string) => `${text}\n${more}\n`;

test.before(async () => {
  elsewhere = mkdtempSync(join(tmpdir(), 'svc-elsewhere-'));
  outside = mkdtempSync(join(tmpdir(), 'svc-outside-'));
  for (const folder of ['old', 'old-log']) mkdirSync(join(elsewhere, folder));
  const config = {
    db_path: join(elsewhere, 'old', 'db'),
    allowed_paths: [join(elsewhere, 'open')],
    logging: { json_log_file: join(elsewhere, 'old-log', 'log.jsonl') },
  };
  app = await bootForTest(['token', 'server-info', 'static-bucket', 'db'], config);
  file = join(app.dir, 'config.toml');
  original = await app.call('svc-server_read_config', [app.superToken]);
  symlinkSync(outside, join(app.dir, 'link'));
  symlinkSync(join(outside, 'not-there'), join(app.dir, 'dangling'));
  mkdirSync(join(elsewhere, 'open'));
  writeFileSync(join(outside, 'plugin.mjs'), 'export default {}');
});
test.after(async () => {
  await app?.stop();
  for (const folder of [elsewhere, outside]) rmSync(folder, { recursive: true, force: true });
});
test.before.each(() => writeFileSync(file, original));

/** [what, the new text, the key that the error names] */
const attacks: readonly [string, (text: string) => string, RegExp][] = [
  ['the root folder as static_path', set('static_path', '/'), /static_path/],
  ['/etc as static_path', set('static_path', '/etc'), /static_path/],
  ['a folder elsewhere', (text) => set('static_path', outside)(text), /static_path/],
  [
    'a way up',
    (text) => set('static_path', join(app.dir, 'x/../../y').replace('/y', '/../y'))(text),
    /static_path/,
  ],
  ['a relative way up', set('static_path', '../../../../../../etc'), /static_path/],
  [
    'a link inside that leads out',
    (text) => set('static_path', join(app.dir, 'link', 'x'))(text),
    /static_path/,
  ],
  [
    'a link to what is not there yet',
    (text) => set('static_path', join(app.dir, 'dangling'))(text),
    /static_path/,
  ],
  ["the configuration's folder itself", (text) => set('static_path', app.dir)(text), /static_path/],
  [
    'a name that only begins like the folder',
    (text) => set('static_path', `${app.dir}-2`)(text),
    /static_path/,
  ],
  ['db_path elsewhere', (text) => set('db_path', join(outside, 'db'))(text), /db_path/],
  [
    'another SQLite file',
    set('database_url', 'sqlite:///etc/x.db?mode=rwc'),
    /database\.database_url/,
  ],
  [
    'another SQLite file with escapes',
    set('database_url', 'sqlite://%2Fetc%2Fx.db?mode=rwc'),
    /database\.database_url/,
  ],
  [
    'a certificate of the host',
    (text) => `tls_cert = "/etc/ssl/c.pem"\ntls_key = "/etc/ssl/k.pem"\n${text}`,
    /tls_cert/,
  ],
  [
    'a log file elsewhere',
    (text) => set('json_log_file', join(outside, 'log'))(text),
    /logging\.json_log_file/,
  ],
  [
    'a log file in a web folder',
    set('json_log_file', '/var/www/html/x.php'),
    /logging\.json_log_file/,
  ],
  [
    'the configuration as a log file',
    (text) => set('json_log_file', file)(text),
    /logging\.json_log_file/,
  ],
  [
    'a socket elsewhere',
    (text) => set('unix_socket_path', join(outside, 's'))(text),
    /unix_socket_path/,
  ],
  [
    'a file of a plugin that is not loaded',
    append('[bus-nats]\ncreds_file = "/etc/shadow"'),
    /bus-nats\.creds_file/,
  ],
  ['more allowed paths', set('allowed_paths', ['/']), /allowed_paths/],
  ['no allowed paths', (text) => text.replace(/^allowed_paths = .*$/m, ''), /allowed_paths/],
  [
    'a folder for VACUUM INTO, even below the configuration',
    (text) => `${text}\n[server-info]\nexec_sql_vacuum_folder = ${JSON.stringify(app.dir)}\n`,
    /exec_sql_vacuum_folder/,
  ],
  [
    'a plugin by its path',
    (text) => set('plugins', ['token', 'server-info', join(outside, 'plugin.mjs')])(text),
    /plugins/,
  ],
  [
    'a plugin by a relative path',
    set('plugins', ['token', 'server-info', './plugin.mjs']),
    /plugins/,
  ],
  ['a plugin of a registry', set('plugins', ['token', 'server-info', 'left-pad']), /plugins/],
  ['a plugin whose name walks', set('plugins', ['token', 'server-info', '../../x']), /plugins/],
  ['a scoped package', set('plugins', ['token', 'server-info', '@evil/plugin']), /plugins/],
  ['an extra plugin by its path', set('extra_plugins', ['./plugin.mjs']), /extra_plugins/],
  ['an extra plugin of a registry', set('extra_plugins', ['left-pad']), /extra_plugins/],
  ['a built-in plugin', set('extra_plugins', ['static-bucket', 'kv']), /extra_plugins/],
  ['a plugin less', set('plugins', ['token', 'server-info']), /plugins/],
  ['a path beside the old one', set('db_path', 'OLD/db2'), /db_path/],
  [
    'a log file beside the old one',
    (text) => set('json_log_file', join(elsewhere, 'old-log', '.ssh', 'authorized_keys'))(text),
    /logging\.json_log_file/,
  ],
  [
    'a path in an allowed folder',
    (text) => set('static_path', join(elsewhere, 'open'))(text),
    /static_path/,
  ],
  [
    "a folder below the configuration's",
    (text) => set('static_path', join(app.dir, 'sites'))(text),
    /static_path/,
  ],
  [
    'another database server',
    set('database_url', 'postgres://svc:pw@db.example/svc'),
    /database_url/,
  ],
  [
    'a runtime that was uploaded',
    append('[enrol]\nruntime_path = "./static/rt/"'),
    /enrol\.runtime_path/,
  ],
  ['the address of another server', append('[enrol]\nurl = "http://evil.example"'), /enrol\.url/],
  [
    'the section as an inline table',
    (text) => `enrol = { url = "http://evil.example" }\n${text}`,
    /enrol\.url/,
  ],
  ['the section as a list of tables', append('[[enrol]]\nurl = "http://evil.example"'), /enrol/],
  ['a text in the place of the section', (text) => `enrol = "x"\n${text}`, /enrol/],
  [
    'two keys at once, both named',
    append('[enrol]\nurl = "http://evil.example"\npin = ""'),
    /enrol\.url, enrol\.pin/,
  ],
  [
    'a section that no plugin knows',
    append('[greeter]\nword = "hi"'),
    /greeter: .*no plugin here knows this section/,
  ],
  ['an empty one', append('[greeter]'), /greeter/],
  [
    'a path under a name that nobody knows',
    append('[kv]\nsecond_path = "/etc"'),
    /kv\.second_path/,
  ],
  ['a command above the tables', (text) => `start_command = "/tmp/x"\n${text}`, /start_command/],
  ['a shorter memory of the audit', append('[audit]\nkeep_days = 1'), /audit\.keep_days/],
];

for (const [what, change, key] of attacks) {
  test(`is refused with 107, and nothing changes: ${what}`, async () => {
    const text = change(original);
    assert.is.not(text, original);
    const error = await refusal(text);
    assert.ok(error, 'the edit was taken');
    assert.is(error.code, 107, error.message);
    assert.match(error.message, key);
    assert.match(error.message, /: change it in the file on the machine \(/);
    assert.is(readFileSync(file, 'utf8'), original);
  });
}

const allowed: readonly [string, (text: string) => string][] = [
  ['what stands in the file', (text) => text],
  ['other values', append('[server-info]\nexec_sql_timeout_ms = 5')],
  ['a key of a plugin that is not loaded', append('[kv]\nmax_items = 5')],
  ['a default, written out', set('unix_socket_path', '/var/lib/svc.sock')],
  [
    'the defaults of a section, written out',
    append('[enrol]\nurl = ""\nruntime_path = "./runtimes/"'),
  ],
  ['a key that nobody knows', (text) => `colour = "red"\n${text}`],
];

for (const [what, change] of allowed) {
  test(`is taken: ${what}`, async () => {
    const text = change(original);
    assert.is((await refusal(text))?.message, undefined);
    assert.is(readFileSync(file, 'utf8'), text);
  });
}

test('the refusals are counted as an attack', () => {
  const reasons = app.records().map(({ fields }) => fields['reason']);
  assert.ok(reasons.includes('configuration that only the operator may write'));
});

test('what the operator has written in the file may be sent back, wherever it leads', async () => {
  const plugin = join(outside, 'plugin.mjs');
  const list = `plugins = ["token", "server-info", ${JSON.stringify(plugin)}]\n`;
  const own = `${list}${set('static_path', outside)(original)}\n[greeter]\nword = "hi"\n[enrol]\nurl = "https://fleet.example"\n`;
  writeFileSync(file, own);
  assert.is((await refusal(`# a comment\n${own}`))?.message, undefined);
  assert.is(readFileSync(file, 'utf8'), `# a comment\n${own}`);
  for (const [change, key] of [
    [own.replace('word = "hi"', 'word = "ho"'), /greeter/],
    [own.replace('[greeter]\nword = "hi"', ''), /greeter/],
    [own.replace('url = "https://fleet.example"', ''), /enrol\.url/],
    [own.replace('[enrol]\nurl = "https://fleet.example"\n', ''), /enrol\.url/],
  ] as const) {
    assert.is.not(change, own);
    assert.match(String((await refusal(change))?.message), key);
  }
});

test('a file that was broken by hand is mended over the wire, to what is in force', async () => {
  await app.reload();
  writeFileSync(file, `${original}\nthis is no TOML`);
  assert.match(
    String((await refusal(set('static_path', '/etc')(original)))?.message),
    /static_path/,
  );
  assert.is((await refusal(original))?.message, undefined);
});

test('a text that is no configuration is 101 first', async () => {
  assert.is((await refusal('static_path = "/etc"'))?.code, 101);
});

test.run();

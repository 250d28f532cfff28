/** What an operator has to mend stops the start with a sentence that names the file; it leaves nothing behind. */
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserError } from '@svc/plugin-sdk';
import { start } from '@svc/server';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import * as assert from 'uvu/assert';
import { sharedPostgres } from '../postgres.ts';
import { suite } from '../runner/suite.ts';

const test = suite('errors of a start');
let dir = '';
let file = '';
let shown: string[] = [];

test.before.each(() => {
  dir = mkdtempSync(join(tmpdir(), 'svc-start-errors-'));
  file = join(dir, 'server.toml');
  shown = [];
});
test.after.each(() => rmSync(dir, { recursive: true, force: true }));

const write = (head: string) =>
  writeFileSync(
    file,
    `${head}\n[database]\ndatabase_url = "sqlite://${join(dir, 'svc.db')}?mode=rwc"\n`,
  );
const open = (mode: 'serve' | 'tool' = 'serve') =>
  start({ config: file, mode, console: (line) => void shown.push(line) });

async function failure(): Promise<string> {
  const error = await open().catch((error: unknown) => error);
  assert.instance(error, UserError);
  return (error as Error).message;
}

const sound = 'server_uuid = "auto_gen"\nws_listener = "127.0.0.1:0"';
const faulty: [name: string, head: string, problem: RegExp][] = [
  ['no TOML', 'server_uuid = ', /^server_uuid: .*\(line 1, column/],
  ['a bad address', sound.replace('127.0.0.1:0', 'localhost:1'), /^ws_listener: must be IP:port/],
  [
    'a misspelt key',
    sound.replace('ws_listener', 'ws_listner'),
    /^ws_listener: is missing; is 'ws_listner' meant to be it\?/,
  ],
  [
    'a port beyond 65535',
    sound.replace(':0', ':65536'),
    /^ws_listener: must be IP:port, with a port of at most 65535 \(line 2\)/,
  ],
  ['half of TLS', `${sound}\ntls_cert = "cert.pem"`, /^tls_cert: is set without tls_key/],
  [
    'TLS files that are not there',
    `${sound}\ntls_cert = "/nowhere/c"\ntls_key = "/nowhere/k"`,
    /^tls_cert, tls_key: ENOENT/,
  ],
  [
    'a section of a plugin',
    `${sound}\nkv.max_items = "many"`,
    /^\[kv\] max_items: must be a whole number without quotes and units/,
  ],
  ['a plugin that is not there', `${sound}\nplugins = ["weather"]`, /^plugin 'weather': neither/],
  [
    'an address of another machine',
    sound.replace('127.0.0.1:0', '192.0.2.1:47123'),
    /^ws_listener: cannot listen on 192\.0\.2\.1:47123/,
  ],
];
for (const [name, head, problem] of faulty) {
  test(`${name}: a sentence that names the file, and no database`, async () => {
    write(head);
    const message = await failure();
    assert.match(message, problem);
    assert.ok(message.endsWith(`\n(configuration: ${file})`), message);
    assert.not.ok(existsSync(join(dir, 'svc.db')));
  });
}

/** Who wrote these wants TLS: without the keys of this server they would be served in clear. */
const tls: [head: string, key: string][] = [
  [`${sound}\n[tls]\ncert = "c.pem"\nkey = "k.pem"`, 'tls'],
  [`tls = true\n${sound}`, 'tls'],
  [`tls.cert = "c.pem"\n${sound}`, 'tls'],
  [`ssl_certificate = "c.pem"\n${sound}`, 'ssl_certificate'],
  [`${sound}\n[server]\ntls_cert = "c.pem"`, '\\[server\\] tls_cert'],
  [`${sound}\n[logging]\ntls_cert = "c.pem"`, '\\[logging\\] tls_cert'],
];
for (const [head, key] of tls) {
  test(`a wish for TLS that no key of this server carries stops the start: ${head.replaceAll('\n', ' ')}`, async () => {
    write(head);
    const message = await failure();
    assert.match(message, new RegExp(`^${key}: .*write tls_cert = "FILE" and tls_key = "FILE"`));
    assert.not.ok(existsSync(join(dir, 'svc.db')));
  });
}

const harmless = ['tls = false', 'log_level = "info"', '[bus-nats]\ntls = false', 'key = "x"'];
for (const more of harmless)
  test(`other unknown keys are warned about, and the start goes on: ${more.replace('\n', ' ')}`, async () => {
    write(more.startsWith('[') ? `${sound}\n${more}` : `${more}\n${sound}`);
    await (await open('tool')).stop('test');
  });

test('an address that another program has: a sentence that says how to find it', async () => {
  const other = createServer();
  await once(other.listen(0, '127.0.0.1'), 'listening');
  try {
    const { port } = other.address() as AddressInfo;
    write(sound.replace(':0', `:${port}`));
    const says = `ws_listener: cannot listen on 127.0.0.1:${port}: another program listens there: end it`;
    assert.ok((await failure()).startsWith(says));
    assert.not.ok(existsSync(join(dir, 'svc.db')));
  } finally {
    other.close();
  }
});

test('a folder that cannot be written into is told at the start, with what to do', async () => {
  const wall = join(dir, 'wall');
  writeFileSync(wall, '');
  write(`${sound}\nstatic_path = "${wall}/static"\ndb_path = "${wall}/db"`);
  await (await open()).stop('test');
  const told = shown.filter((line) => line.includes(' WARN '));
  assert.is(told.length, 2, told.join('\n'));
  for (const key of ['static_path', 'db_path'])
    assert.ok(told.some((line) => line.includes(`${key}: nothing can be written into ${wall}`)));
  for (const line of told) assert.match(line, /chown/);
});

const postgres: [name: string, url: string, says: RegExp][] = [
  [
    'nobody listens',
    'postgres://svc:hush@127.0.0.1:1/svc',
    /^database\.database_url: Postgres does not answer at 127\.0\.0\.1:1 \(.*ECONNREFUSED.*\): start it, or correct the address$/,
  ],
  [
    'no such host',
    'postgres://svc:hush@nohost.invalid/svc',
    /^database\.database_url: no address is known for the host of nohost\.invalid \(.*\): correct its name$/,
  ],
];
for (const [name, url, says] of postgres) {
  test(`Postgres that is away is told in one sentence: ${name}`, async () => {
    writeFileSync(file, `${sound}\n[database]\ndatabase_url = "${url}"\n`);
    const [sentence, where, ...more] = (await failure()).split('\n');
    assert.match(sentence ?? '', says);
    assert.equal([where, more], [`(configuration: ${file})`, []]);
    assert.equal(shown.join('\n').match(/^.*(?:WARN|ERROR|hush).*$/gm) ?? [], []);
  });
}

test('Postgres without this database (postgres)', async () => {
  const url = new URL(sharedPostgres());
  url.pathname = '/svc_that_is_not_there';
  writeFileSync(file, `${sound}\n[database]\ndatabase_url = "${url}"\n`);
  assert.match(await failure(), /has no database 'svc_that_is_not_there': make it with createdb/);
});

test('Postgres in an encoding that lacks most characters (postgres)', async () => {
  const shared = sharedPostgres();
  const name = `svc_latin1_${process.pid}`;
  const client = new pg.Client({ connectionString: shared });
  await client.connect();
  const made = "lc_collate 'C' lc_ctype 'C' template template0";
  await client.query(`create database ${name} encoding 'LATIN1' ${made}`);
  try {
    const url = new URL(shared);
    url.pathname = `/${name}`;
    writeFileSync(file, `${sound}\n[database]\ndatabase_url = "${url}"\n`);
    assert.match(
      await failure(),
      /^database\.database_url: cannot use .*: it is encoded in LATIN1, and UTF8 is needed; make one with createdb --encoding=UTF8 --template=template0 NAME\n/,
    );
    const left = new pg.Client({ connectionString: url.href });
    await left.connect();
    const { rows } = await left.query("select 1 from pg_tables where schemaname = 'public'");
    assert.equal(rows, [], 'no table was made');
    await left.end();
  } finally {
    await client.query(`drop database ${name} with (force)`);
    await client.end();
  }
});

test('a list without any plugin that knows credentials is said in the log', async () => {
  for (const [plugins, isTold] of [
    ['["server-info"]', true],
    ['["server-info", "token"]', false],
  ] as const) {
    shown = [];
    write(`${sound}\nplugins = ${plugins}`);
    const app = await open();
    const lines = shown.filter((line) => /WARN.*add "token" to plugins/.test(line));
    assert.is(lines.length, isTold ? 1 : 0, shown.join('\n'));
    await app.stop('test');
  }
});

const atOnce =
  /^database\.database_url: cannot open .*svc\.db: it is damaged, .*: restore a backup/;
const damages: [name: string, says: RegExp, damage: (bytes: Buffer) => Buffer][] = [
  ['other content', atOnce, () => Buffer.from('this is no database\n'.repeat(99))],
  ['overwritten pages', atOnce, (bytes) => bytes.fill(0x5a, 100)],
  [
    'overwritten later pages',
    /^Database error: a page of the database is damaged \(database disk image is malformed\): restore a backup/,
    (bytes) => bytes.fill(0x5a, bytes.length >> 1),
  ],
  ['a file that was cut off', atOnce, (bytes) => bytes.subarray(0, 6000)],
];
for (const [name, says, damage] of damages) {
  test(`a damaged database is told in one sentence, without a stack in the log: ${name}`, async () => {
    write(`${sound}\nplugins = ["token"]`);
    const app = await open('tool');
    await app.stop('test');
    const database = join(dir, 'svc.db');
    writeFileSync(database, damage(readFileSync(database)));
    shown = [];
    const message = await failure();
    assert.match(message, says);
    assert.ok(message.endsWith(`\n(configuration: ${file})`), message);
    assert.is(message.split('\n').length, 2);
    assert.not.match(shown.join('\n'), /stack=/);
  });
}

test('a folder of the database that cannot be made is told, and several levels are made', async () => {
  const at = (path: string) =>
    writeFileSync(
      file,
      `${sound}\nplugins = ["token"]\n[database]\ndatabase_url = "sqlite://${path}?mode=rwc"\n`,
    );
  if (process.platform === 'linux') {
    at('/proc/x/y/svc.db');
    assert.match(await failure(), /\/proc\/x\/y\/svc\.db: its folder cannot be made: ENOENT/);
  }
  at(join(dir, 'server.toml', 'svc.db'));
  assert.match(await failure(), /its folder cannot be made: EEXIST|ENOTDIR/);
  at(join(dir, 'a', 'b', 'svc.db'));
  await (await open()).stop('test');
  assert.is(existsSync(join(dir, 'a', 'b', 'svc.db')), true);
});

test('a plugin that the lists name twice, in whatever spelling, runs once', async () => {
  const source = "export default { name: 'once', version: '1.0.0', setup() {} };";
  writeFileSync(join(dir, 'once.mjs'), source);
  const extra = ['kv', 'kv', './once.mjs', join(dir, 'once.mjs')];
  write(`${sound}\nplugins = ["token", "token"]\nextra_plugins = ${JSON.stringify(extra)}`);
  await (await open()).stop('test');
});

test('a package that is not installed is told with the folder in which it was looked for', async () => {
  write(`${sound}\nextra_plugins = ["not-there"]`);
  assert.match(await failure(), `looked for from ${dir}`);
});

const outlets: [syslog: string, plugins: string[], says: RegExp][] = [
  ['tcp://127.0.0.1:601', ['audit'], /\[audit\] syslog: add 'egress' to the list of plugins/],
  ['logs', ['audit', 'egress'], /\[audit\] syslog: 'logs' is no tcp:/],
];
for (const [syslog, plugins, says] of outlets)
  test(`the receiver ${syslog} of the audit with the plugins ${plugins.join(' and ')} ends a start before a table is made`, async () => {
    write(`${sound}\nplugins = ${JSON.stringify(plugins)}\naudit.syslog = "${syslog}"`);
    assert.match(await failure(), says);
    const path = join(dir, 'svc.db');
    if (!existsSync(path)) return;
    const db = new Sqlite(path, { readonly: true });
    assert.equal(db.prepare('select name from sqlite_master').all(), []);
    db.close();
  });

test.run();

/** What an operator has to mend stops the start with a sentence that names the file; it leaves nothing behind. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserError } from '@svc/plugin-sdk';
import { start } from '@svc/server';
import * as assert from 'uvu/assert';
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
  ['half of TLS', `${sound}\ntls_cert = "cert.pem"`, /^tls_cert: is set without tls_key/],
  [
    'TLS files that are not there',
    `${sound}\ntls_cert = "/nowhere/c"\ntls_key = "/nowhere/k"`,
    /^tls_cert, tls_key: ENOENT/,
  ],
  [
    'a section of a plugin',
    `${sound}\nkv.max_items = "many"`,
    /^\[kv\] max_items: must be integer/,
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

const atOnce =
  /^database\.database_url: cannot open .*svc\.db: it is damaged, .*: restore a backup/;
const damages: [name: string, says: RegExp, damage: (bytes: Buffer) => Buffer][] = [
  ['other content', atOnce, () => Buffer.from('this is no database\n'.repeat(99))],
  ['overwritten pages', atOnce, (bytes) => bytes.fill(0x5a, 100)],
  [
    'overwritten later pages',
    /^Database error: database disk image is malformed/,
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

test.run();

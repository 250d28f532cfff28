// proof only: 12
/** Backups of everything beside the main database, and what damages, interrupts or outlives them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { start } from '../../server/src/start.ts';
import { until } from '../process/havoc.ts';
import { killAtExit, rpc } from '../process/server.ts';
import { suite } from '../runner/suite.ts';
import { command, configOf, emptyTarget, folder, PLUGINS } from './kit.ts';

const test = suite('backup of files');
const place = folder();
const at = (name: string) => join(place.dir, name);
const bin = join(import.meta.dirname, '../../server/bin/svc-server.js');
const SECRET = 'not-for-others';
const LONG = `${'a long folder/'.repeat(12)}ü.txt`;
let app: TestApp;
let buckets = '';

const backup = (target: string, values = {}, answers: string[] = []) =>
  command(configOf(app), 'backup', [target], values, answers);
const failure = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'it worked',
    (error) => error.message,
  );
const sql = (name: string, text: string) =>
  app.call('db_exec_sql', { token: app.superToken, name, sql: text });

test.before(async () => {
  app = await bootForTest(
    undefined,
    {
      plugins: PLUGINS,
      database: { password: SECRET },
      'bus-nats': { password: SECRET, token: SECRET },
    },
    { empty: true },
  );
  const { superToken: token } = app;
  await app.call('static-bucket_create', {
    token,
    name: 'site',
    path: 'site',
    is_http_root: false,
    cors: false,
  });
  buckets = join(app.dir, 'static', 'site');
  mkdirSync(join(buckets, LONG, '..'), { recursive: true });
  mkdirSync(join(buckets, 'empty'));
  writeFileSync(join(buckets, LONG), 'deep');
  writeFileSync(join(buckets, 'page.html'), '<p>A page.');
  writeFileSync(join(buckets, 'none'), '');
  symlinkSync('page.html', join(buckets, 'link'));
  utimesSync(join(buckets, 'page.html'), 1_700_000_000, 1_700_000_000);
  await app.call('db_create', { token, name: 'notes' });
  await app.call('db_create', { token, name: 'unused' });
  await sql('notes', 'create table note (text)');
  await sql('notes', `insert into note values ('kept')`);
  await backup(at('one.tar'), { 'with-secrets': true }, ['a passphrase', 'a passphrase']);
});
test.after(async () => {
  await app?.stop();
  place.clean();
});

for (const to of ['sqlite', 'postgres'] as const)
  test(`databases of callers, files of buckets and their times, links and empty folders come back (${to})`, async () => {
    const target = await emptyTarget(to, configOf(app));
    try {
      await command(target.config, 'restore', [at('one.tar')]);
      const site = join(target.dir, 'static', 'site');
      assert.is(readFileSync(join(site, LONG), 'utf8'), 'deep');
      assert.is(readFileSync(join(site, 'link'), 'utf8'), '<p>A page.');
      assert.is(statSync(join(site, 'page.html')).mtimeMs, 1_700_000_000_000);
      assert.is(statSync(join(site, 'none')).size, 0);
      assert.ok(statSync(join(site, 'empty')).isDirectory());
      const server = await start({ config: target.config, console: () => {} });
      try {
        const params = [app.superToken, 'notes', 'select text from note'];
        const { result } = await rpc(server.url, 'db_exec_sql', params);
        assert.equal(result.data, [{ text: 'kept' }]);
      } finally {
        await server.stop('test');
      }
    } finally {
      await target.remove();
    }
  });

test('a restore that was interrupted is repeated over its own files, and never over others', async () => {
  const target = await emptyTarget('sqlite', configOf(app));
  try {
    const page = join(target.dir, 'static', 'site', 'page.html');
    mkdirSync(join(page, '..'), { recursive: true });
    writeFileSync(page, 'another page');
    const again = () => command(target.config, 'restore', [at('one.tar')]);
    assert.match(await failure(again()), /page\.html is there already, and differs/);
    assert.equal(readdirSync(join(page, '..')), ['page.html']);
    writeFileSync(page, '<p>A page.');
    await again();
  } finally {
    await target.remove();
  }
});

test('secrets are in a backup only where they are asked for, and then behind the passphrase', async () => {
  await backup(at('plain.tar'));
  assert.not.ok(readFileSync(at('plain.tar')).includes(SECRET));
  assert.not.ok(readFileSync(at('one.tar')).includes(SECRET));
  const target = await emptyTarget('sqlite', configOf(app));
  let written = join(target.dir, 'restored.toml');
  const restore = (file: string, answers: string[]) =>
    command(target.config, 'restore', [at(file)], { configuration: written }, answers);
  try {
    assert.match(await failure(restore('one.tar', ['wrong'])), /passphrase does not open/);
    assert.equal(readdirSync(target.dir), ['config.toml']);
    // What is in the way of one file stops all of it before anything is written.
    const key = join(target.dir, 'audit.key');
    writeFileSync(key, 'of another server');
    writeFileSync(join(app.dir, 'audit.key'), 'of this server');
    writeFileSync(join(app.dir, 'signing.key'), 'signs agents');
    await backup(at('keyed.tar'), { 'with-secrets': true }, ['a passphrase', 'a passphrase']);
    rmSync(join(app.dir, 'audit.key'));
    const inTheWay = await failure(restore('keyed.tar', ['a passphrase']));
    assert.match(inTheWay, /audit\.key is there already, and nothing was restored.*another folder/);
    assert.equal(readdirSync(target.dir).sort(), ['audit.key', 'config.toml']);
    rmSync(key);
    written = join(target.dir, 'restored', 'server.toml');
    await restore('keyed.tar', ['a passphrase']);
    assert.is(readFileSync(join(target.dir, 'restored', 'audit.key'), 'utf8'), 'of this server');
    assert.is(readFileSync(join(target.dir, 'restored', 'signing.key'), 'utf8'), 'signs agents');
    assert.is(readFileSync(written, 'utf8'), readFileSync(configOf(app), 'utf8'));
    assert.is(statSync(written).mode & 0o777, 0o600);
  } finally {
    await target.remove();
  }
});

const weak: [name: string, answers: string[], text: RegExp][] = [
  ['a short passphrase is refused', ['short'], /at least 8 characters/],
  ['a mistyped passphrase is refused', ['a passphrase', 'a pasphrase'], /differ/],
];
for (const [name, answers, text] of weak)
  test(name, async () => {
    const refused = await failure(backup(at('weak.tar'), { 'with-secrets': true }, answers));
    assert.match(refused, text);
    assert.not.ok(readdirSync(place.dir).some((found) => found.startsWith('weak')));
  });

test('one changed bit anywhere is refused with the name of the part; without it the database alone can be restored', async () => {
  const target = await emptyTarget('sqlite', configOf(app));
  const whole = readFileSync(at('one.tar'));
  try {
    for (const part of [
      'database.sqlite.gz',
      'static/site/page.html',
      'db/notes.db.gz',
      'secrets.enc',
      'manifest.json',
    ]) {
      const bytes = Buffer.from(whole);
      const place = bytes.indexOf(`${part}\0`) + 512 + 5;
      bytes[place] = (bytes[place] ?? 0) ^ 4;
      writeFileSync(at('flipped.tar'), bytes);
      const refused = await failure(command(target.config, 'restore', [at('flipped.tar')]));
      assert.ok(refused.includes(part), `${part}: ${refused}`);
    }
    writeFileSync(at('flipped.tar'), whole.subarray(0, whole.length - 5000));
    const cut = await failure(command(target.config, 'restore', [at('flipped.tar')]));
    assert.ok(/damaged|no whole backup/.test(cut), cut);
    assert.not.ok(readdirSync(target.dir).includes('static'));
    await command(target.config, 'restore', [at('one.tar')], { 'database-only': true });
    assert.not.ok(readdirSync(target.dir).includes('static'));
  } finally {
    await target.remove();
  }
});

test('later backups into a folder share unchanged files, and the oldest go beyond --keep', async () => {
  const dir = at('many');
  const names = () => readdirSync(dir).sort();
  const inode = (name: string, file: string) => statSync(join(dir, name, 'static/site', file)).ino;
  await backup(`${dir}/`);
  writeFileSync(join(buckets, 'page.html'), '<p>Another page.');
  await backup(dir, { keep: '2' });
  const [first = '', second = ''] = names();
  assert.is(inode(first, LONG), inode(second, LONG));
  assert.is.not(inode(first, 'page.html'), inode(second, 'page.html'));
  await backup(dir, { keep: '2' });
  assert.equal([names().length, names()[0]], [2, second]);
  const target = await emptyTarget('sqlite', configOf(app));
  try {
    await command(target.config, 'restore', [dir]);
    const page = join(target.dir, 'static', 'site', 'page.html');
    assert.is(readFileSync(page, 'utf8'), '<p>Another page.');
  } finally {
    await target.remove();
  }
  writeFileSync(join(buckets, 'page.html'), '<p>A page.');
});

test('the program makes a backup each period, also after one that failed, and leaves nothing half when it is ended', async () => {
  const dir = at('service');
  const args = ['backup', dir, '--every', '1s', '--keep', '1', '-c', configOf(app)];
  const program = spawn(process.execPath, [bin, ...args], { cwd: app.dir, stdio: 'pipe' });
  killAtExit(program);
  const ended = once(program, 'exit');
  const seen = { out: '', err: '' };
  program.stdout.on('data', (chunk) => (seen.out += chunk));
  program.stderr.on('data', (chunk) => (seen.err += chunk));
  const removed = () => seen.out.match(/: removed\n/g)?.length ?? 0;
  await until('a backup that takes the place of another', () => removed() > 0);
  const notes = join(app.dir, 'db', 'notes.db');
  renameSync(notes, `${notes}.away`);
  mkdirSync(notes);
  await until('a failure', () => /A backup failed/.test(seen.err));
  rmdirSync(notes);
  renameSync(`${notes}.away`, notes);
  const before = removed();
  await until('the next backup', () => removed() > before);
  program.kill();
  const [code] = await ended;
  assert.is(code, 0);
  const names = readdirSync(dir);
  assert.equal([names.length, /^backup-[^.]*\.\d+Z$/.test(names[0] ?? '')], [1, true]);
});

test('a backup that fails leaves nothing, under the final name or another', async () => {
  rmSync(join(app.dir, 'db', 'notes.db'));
  mkdirSync(join(app.dir, 'db', 'notes.db'));
  for (const target of [at('failed.tar'), `${at('failed')}/`])
    assert.match(await failure(backup(target)), /directory|unable to open/i);
  assert.not.ok(readdirSync(place.dir).includes('failed.tar'));
  assert.equal(
    readdirSync(place.dir).filter((name) => /unfinished|parts/.test(name)),
    [],
  );
  assert.equal(readdirSync(at('failed')), []);
});

test('a place among the files of buckets is refused', async () => {
  for (const target of [join(buckets, 'own.tar'), `${app.dir}/static/backups/`])
    assert.match(await failure(backup(target)), /lies below static_path .* choose a place outside/);
  assert.not.ok(readdirSync(join(app.dir, 'static')).includes('backups'));
});

const wrong: [name: string, values: Record<string, string>, text: RegExp][] = [
  ['a time without a unit is refused', { every: '10' }, /--every: write a time/],
  ['no backup to keep is refused', { keep: '0' }, /--keep: write how many/],
  ['a file takes one backup', { keep: '2' }, /need a folder/],
];
for (const [name, values, text] of wrong)
  test(name, async () => {
    writeFileSync(at('file'), '');
    assert.match(await failure(backup(at('file'), values)), text);
  });

test.run();

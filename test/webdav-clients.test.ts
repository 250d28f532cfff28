// proof only: 60
// WebDAV as programs of other people speak it: litmus, rclone, cadaver and davfs2, on both databases.
import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, mkdtempSync, rmdirSync } from 'node:fs';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import * as assert from 'uvu/assert';
import { type DavServer, davServer, ROOT } from './protocol/webdav-kit.ts';
import { suite } from './runner/suite.ts';

const WAIT_MS = 120_000;
const MB = 1024 * 1024;

/** Only what is in PATH: the user of the tests decides what is installed. */
const inPath = (program: string): boolean =>
  `${process.env['PATH']}${delimiter}/usr/sbin${delimiter}/sbin`
    .split(delimiter)
    .some((folder) => existsSync(join(folder, program)));

/** Why a program cannot be tried here; undefined when it can. */
const missing = (program: string): string | undefined =>
  inPath(program) ? undefined : `${program} is not installed`;

const withoutMount = missing('mount.davfs') ?? mountRefused();

/** Mounting needs rights that a container seldom has. */
function mountRefused(): string | undefined {
  if (process.getuid?.() !== 0) return 'mounting needs root';
  try {
    accessSync('/dev/fuse', constants.R_OK | constants.W_OK);
  } catch {
    // Whatever the reason, there is no FUSE to mount with.
    return 'there is no /dev/fuse';
  }
  const place = mkdtempSync(join(tmpdir(), 'svc-mount-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', place]).status === 0;
  if (mounted) spawnSync('umount', [place]);
  rmdirSync(place);
  return mounted ? undefined : 'mounting is not allowed here';
}

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a program to its end, which must come in time. */
function run(
  program: string,
  args: readonly string[],
  { cwd, env = {}, input = '' }: { cwd: string; env?: Record<string, string>; input?: string },
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, HOME: cwd, LC_ALL: 'C.UTF-8', ...env },
      timeout: WAIT_MS,
    });
    let output = '';
    const collect = (chunk: Buffer) => {
      output += String(chunk);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
    child.stdin.on('error', () => child.kill());
    child.stdin.end(input);
  });
}

/** A tree as people have it: nested, empty, large, with names of every kind. */
async function growTree(root: string): Promise<void> {
  const names = [
    'plain.txt',
    'with space.txt',
    'ünïcödé – 日本語 😀.txt',
    'percent%20sign.txt',
    'hash#and?question&plus+.txt',
    "quote'and(brackets)[x]{y}.txt",
    '.hidden',
    '._resource',
    'UPPER.TXT',
    'semi;colon=equals,comma@at!.txt',
    'trailing.dot.',
    'no-extension',
  ];
  for (const folder of ['', 'a', 'a/b/c/d/e', 'ordner mit leerzeichen/ä', '100% of it']) {
    for (const [at, name] of names.entries()) {
      const path = join(root, folder, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, randomBytes((at * 37_777) % 150_000));
      const time = new Date(Date.UTC(2020, at, 1));
      await utimes(path, time, time);
    }
  }
  await mkdir(join(root, 'empty/inner'), { recursive: true });
  await writeFile(join(root, 'nothing'), '');
  await writeFile(join(root, 'large.bin'), randomBytes(5 * MB));
  await mkdir(join(root, 'many'));
  for (let at = 0; at < 60; at++) await writeFile(join(root, 'many', `${at}.txt`), `file ${at}`);
}

/** Every file with the digest of its bytes, and every directory. */
async function digests(root: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(root.length + 1);
    if (entry.isDirectory()) found.push(`${name}/`);
    else
      found.push(
        `${name} ${createHash('sha256')
          .update(await readFile(path))
          .digest('hex')}`,
      );
  }
  return found.sort();
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`WebDAV clients (${dialect})`);
  let server: DavServer;
  let cwd: string;
  let url: string;
  let user: string;
  let password: string;

  test.before(async () => {
    server = await davServer({ dialect });
  });
  test.after(() => server.app.stop());
  test.before.each(async () => {
    await server.renew();
    url = `${server.app.url}${ROOT}/b/`;
    const token = await server.token();
    user = token.slice(0, token.indexOf(':'));
    password = token.slice(user.length + 1);
    cwd = await mkdtemp(join(tmpdir(), 'svc-webdav-'));
  });
  test.after.each(() => rm(cwd, { recursive: true, force: true }));

  /** Registers a test, or its visible absence. */
  const client = (reason: string | undefined, name: string, body: () => Promise<void>) => {
    if (reason === undefined) test(name, body);
    else {
      process.stdout.write(`  skipped (${dialect}): ${name}: ${reason}\n`);
      test.skip(name, body);
    }
  };

  client(missing('litmus'), 'litmus: 104 of 104, without a warning', async () => {
    const { output } = await run('litmus', ['-k', url, user, password], { cwd });
    const pattern = /summary for `(\w+)': of (\d+) tests run: (\d+) passed, (\d+) failed/g;
    const suites = [...output.matchAll(pattern)].map(([, name, ...counts]) => [
      name,
      ...counts.map(Number),
    ]);
    assert.equal(
      suites,
      [
        ['basic', 16, 16, 0],
        ['copymove', 13, 13, 0],
        ['props', 30, 30, 0],
        ['locks', 41, 41, 0],
        ['http', 4, 4, 0],
      ],
      output,
    );
    assert.not.match(output, /WARNING|SKIPPED/, output);
    process.stdout.write(`  litmus (${dialect}): 104 of 104\n`);
  });

  client(missing('rclone'), 'rclone: a tree there and back is the same', async () => {
    const obscured = await run('rclone', ['obscure', '-'], { cwd, input: password });
    const env = {
      RCLONE_CONFIG: join(cwd, 'rclone.conf'),
      RCLONE_CONFIG_DAV_TYPE: 'webdav',
      RCLONE_CONFIG_DAV_URL: url,
      RCLONE_CONFIG_DAV_VENDOR: 'other',
      RCLONE_CONFIG_DAV_USER: user,
      RCLONE_CONFIG_DAV_PASS: obscured.output.trim(),
    };
    const rclone = async (...args: string[]) => {
      const ended = await run('rclone', [...args, '--retries', '1', '--transfers', '8'], {
        cwd,
        env,
      });
      assert.is(ended.code, 0, ended.output);
      return ended.output;
    };
    const [there, back] = [join(cwd, 'there'), join(cwd, 'back')];
    await growTree(there);
    await rclone('sync', there, 'dav:', '--create-empty-src-dirs');
    const expected = await digests(there);
    assert.ok(expected.length > 120, `${expected.length} entries`);
    assert.equal(await digests(server.disk()), expected);
    await rclone('sync', 'dav:', back, '--create-empty-src-dirs');
    assert.equal(await digests(back), expected);

    await rm(join(there, 'many'), { recursive: true });
    await writeFile(join(there, 'plain.txt'), 'changed, and of another length');
    await rclone('sync', there, 'dav:', '--create-empty-src-dirs');
    await rclone('check', there, 'dav:', '--download');
    assert.equal(await digests(server.disk()), await digests(there));
    assert.match(await rclone('about', 'dav:'), /Free:/);
    await rclone('moveto', 'dav:a', 'dav:moved');
    assert.ok((await stat(server.disk('moved/b/c/d/e/plain.txt'))).isFile());
  });

  client(missing('cadaver'), 'cadaver: a session of put, list, lock, get and remove', async () => {
    const netrc = join(cwd, '.netrc');
    await writeFile(netrc, `machine 127.0.0.1 login ${user} password ${password}\n`);
    await chmod(netrc, 0o600);
    await writeFile(join(cwd, 'local file.txt'), 'from cadaver');
    const session = [
      'mkcol folder',
      'cd folder',
      'put "local file.txt"',
      'ls',
      'lock "local file.txt"',
      'discover "local file.txt"',
      'propset "local file.txt" colour blue',
      'propget "local file.txt" colour',
      'unlock "local file.txt"',
      'copy "local file.txt" second.txt',
      'move second.txt third.txt',
      'get third.txt fetched.txt',
      'delete "local file.txt"',
      'cd ..',
      'ls',
      'quit',
    ];
    const { output } = await run('cadaver', [url], { cwd, input: `${session.join('\n')}\n` });
    assert.is(await readFile(join(cwd, 'fetched.txt'), 'utf8'), 'from cadaver', output);
    assert.equal(await digests(server.disk()), [
      'folder/',
      `folder/third.txt ${createHash('sha256').update('from cadaver').digest('hex')}`,
    ]);
    assert.match(output, /local file\.txt\s+12 /);
    assert.match(output, /Coll:\s+folder/);
    assert.match(output, /Value of colour is: blue/);
    assert.not.match(output, /failed/i, output);
  });

  client(withoutMount, 'davfs2: a mount reads, writes, moves and removes', async () => {
    const [mount, cache] = [join(cwd, 'mount'), join(cwd, 'cache')];
    await mkdir(mount);
    await mkdir(cache);
    // The program gives its rights up and still has to get there.
    await chmod(cwd, 0o711);
    await chmod(cache, 0o777);
    await writeFile(join(cwd, 'secrets'), `${url} ${user} ${password}\n`);
    await chmod(join(cwd, 'secrets'), 0o600);
    const conf = `secrets ${join(cwd, 'secrets')}\ncache_dir ${cache}\nask_auth 0\ndelay_upload 0\n`;
    await writeFile(join(cwd, 'conf'), conf);
    await server.put('a/hello.txt', 'hello');
    const args = ['-t', 'davfs', '-o', `conf=${join(cwd, 'conf')}`, url, mount];
    const mounted = await run('mount', args, { cwd });
    assert.is(mounted.code, 0, mounted.output);
    const script = [
      'cat a/hello.txt',
      'echo world > a/written.txt',
      'mkdir -p d/e',
      'mv a/written.txt "d/e/moved file.txt"',
      'rm a/hello.txt',
      'head -c 3000000 /dev/zero > d/zeros',
    ].join(' && ');
    const worked = await run('sh', ['-c', `cd ${mount} && ${script}`], { cwd });
    const ended = await run('umount', [mount], { cwd });
    assert.equal([worked.code, worked.output, ended.code], [0, 'hello', 0], ended.output);
    assert.is(await readFile(server.disk('d/e/moved file.txt'), 'utf8'), 'world\n');
    assert.is((await stat(server.disk('d/zeros'))).size, 3_000_000);
    assert.equal((await readdir(server.disk('a'))).sort(), []);
  });

  test.run();
}

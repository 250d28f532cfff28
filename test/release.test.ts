/** `npm run release`: what it makes, installed where there is neither a source nor a registry. */
// proof only: 150
import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as assert from 'uvu/assert';
import { run } from './plugin-project.ts';
import { freePort } from './ports.ts';
import { rpc, startServer } from './process/server.ts';
import { suite } from './runner/suite.ts';
import { NODE, SystemdMachine, startService, whyNot } from './systemd-machine.ts';

const repository = resolve(import.meta.dirname, '..');
const { version } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'));
/** Of a server that an operator reaches over a slow line. */
const MOST_BYTES = 25 * 2 ** 20;
let dir: string;
let made: string;

const test = suite('release');
test.before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-release-test-'));
  made = await release('made');
});
test.after(() => rm(dir, { recursive: true, force: true }));

async function release(name: string, sources = repository): Promise<string> {
  const into = join(dir, name);
  await run(sources, process.execPath, 'scripts/release.mjs', '--into', into);
  return into;
}

/** The same commit in another folder, with what is installed here. */
async function cloned(): Promise<string> {
  const clone = join(dir, 'another place/of other length/svc');
  await run(repository, 'git', 'clone', '-q', `file://${repository}`, clone);
  await run(repository, 'cp', '-a', 'node_modules', clone);
  // Newer than the lock file, so nothing is installed again.
  const now = new Date();
  await utimes(join(clone, 'node_modules/.package-lock.json'), now, now);
  return clone;
}

const isCommitted =
  spawnSync('git', ['status', '--porcelain'], { cwd: repository, encoding: 'utf8' }).stdout === '';
if (!isCommitted) process.stdout.write('  skipped: a clone lacks what is not committed here\n');

test('it makes the package, what is inside, and digests of both', async () => {
  const files = ['SHA256SUMS', `svc-${version}.cdx.json`, `svc-${version}.tgz`];
  assert.equal((await readdir(made)).sort(), files);
  const checked = await run(made, 'sha256sum', '-c', 'SHA256SUMS');
  assert.is(
    checked,
    files
      .slice(1)
      .map((file) => `${file}: OK\n`)
      .join(''),
  );
  assert.ok((await readFile(join(made, `svc-${version}.tgz`))).length < MOST_BYTES);
});

test('the list of what is inside names every package, with its version and licence', async () => {
  const listed = await run(made, 'tar', '-tzf', `svc-${version}.tgz`);
  const inside = [...listed.matchAll(/^package\/node_modules\/(.*\/)?package\.json$/gm)]
    .map(([, path = '']) => path.split('node_modules/').at(-1)?.slice(0, -1) ?? '')
    .filter((name) => name.split('/').length === (name.startsWith('@') ? 2 : 1));
  const bill = JSON.parse(await readFile(join(made, `svc-${version}.cdx.json`), 'utf8'));
  const named = bill.components.map(({ group, name }: any) => (group ? `${group}/${name}` : name));
  assert.equal([...new Set(named)].sort(), [...new Set(inside)].sort());
  for (const { name, version, licenses } of bill.components)
    assert.ok(version && licenses?.length > 0, name);
  assert.is(bill.metadata.component.name, 'svc');
});

test('nothing inside has to be compiled, and no source is there', async () => {
  const listed = (await run(made, 'tar', '-tzf', `svc-${version}.tgz`)).split('\n');
  const wrong = listed.filter((path) => /\/binding\.gyp$|package\/lib\/.*(?<!\.d)\.ts$/.test(path));
  assert.equal(
    wrong.filter((path) => !path.includes('/templates/')),
    [],
  );
});

(isCommitted ? test : test.skip)('made of a clone elsewhere it has the same bytes', async () => {
  const again = await release('again', await cloned());
  const sums = (folder: string) => readFile(join(folder, 'SHA256SUMS'), 'utf8');
  assert.is(await sums(again), await sums(made));
});

test('installed without a registry the programs serve, report, answer and stop', async () => {
  const prefix = join(dir, 'prefix');
  const options = ['--prefix', prefix, '--offline', '--cache', join(dir, 'cache')];
  await run(dir, 'npm', 'install', '-g', ...options, join(made, `svc-${version}.tgz`));
  const bin = join(prefix, 'bin');
  assert.equal((await readdir(bin)).sort(), ['svc', 'svc-agent', 'svc-server']);
  const steps = await run(
    dir,
    process.execPath,
    join(repository, 'scripts/smoke.mjs'),
    '--bin',
    bin,
  );
  assert.match(steps, /^5 passed, 0 failed$/m);
  const program = join(bin, 'svc-server');
  assert.match(await run(dir, program, 'version'), `svc Server Version: ${version}\n`);

  const listen = `127.0.0.1:${await freePort()}`;
  await run(dir, program, 'setup', 'place', '--listen', listen);
  const place = join(dir, 'place');
  const site = {
    dir: place,
    config: join(place, 'server.toml'),
    url: `http://${listen}`,
    remove: () => {},
  };
  const server = await startServer(site, { program });
  try {
    const page = await fetch(`${site.url}/svc/dashboard/`);
    assert.is(page.status, 200);
    const [, script = ''] =
      /<script type="module"[^>]* src="([^"]+)"/.exec(await page.text()) ?? [];
    assert.is((await fetch(new URL(script, page.url))).status, 200);
    const said = await run(dir, join(bin, 'svc'), '--help');
    assert.match(said, /svc agents/);
  } finally {
    assert.is((await server.end('SIGTERM')).code, 0);
  }
});

const reason = whyNot();
if (reason !== undefined) process.stdout.write(`  skipped: ${reason}\n`);
(reason === undefined ? test : test.skip)(
  'installed on a machine with systemd, the lines of the guide make a service of it',
  async () => {
    const machine = await SystemdMachine.boot();
    try {
      const file = `svc-${version}.tgz`;
      machine.put(join(made, file), `/root/${file}`);
      // A Node of the whole machine, as the guide wants it.
      await machine.done(`ln -sf ${NODE} /usr/local/bin/node`);
      await machine.done('npm config set --global prefix /usr/local');
      await machine.done(`npm install -g --offline --no-audit /root/${file}`);
      const port = await freePort();
      assert.match(await startService(machine, port), /Super Token: \S+/);
      const about = await rpc(`http://127.0.0.1:${port}`, 'svc-server_version', []);
      assert.match(JSON.stringify(about), version);
      const { User, ActiveState } = await machine.show('svc-server');
      assert.equal([User, ActiveState], ['svc', 'active']);
      const line = await machine.done('runuser -u svc -- svc-server enrol 2>/dev/null');
      const brought = await machine.done(line.trim());
      assert.match(brought, 'This machine is in the fleet: ');
      await machine.done('systemctl stop svc-server');
      const { Result } = await machine.show('svc-server');
      assert.is(Result, 'success');
    } finally {
      await machine.end();
    }
  },
);

test.run();

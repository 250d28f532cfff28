/** `npm run release -- --signing-key FILE`: a package whose servers give machines what was signed when it was made. */
// proof only: 90
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as assert from 'uvu/assert';
import { fingerprintOf, readManifest } from '../agent/src/signed/manifest.ts';
import { digestOf } from './enrol/attacker.ts';
import { run } from './plugin-project.ts';
import { freePort } from './ports.ts';
import { startServer } from './process/server.ts';
import { suite } from './runner/suite.ts';

const repository = resolve(import.meta.dirname, '..');
const { version } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'));
const test = suite('signed release');
let dir: string;
test.before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-signed-'));
});
test.after(() => rm(dir, { recursive: true, force: true }));

test('its server hands out the manifest of the release, has no key, and makes none', async () => {
  const key = join(dir, 'release.key');
  await run(dir, 'openssl', 'genpkey', '-algorithm', 'ed25519', '-out', key);
  const made = join(dir, 'made');
  const args = ['scripts/release.mjs', '--into', made, '--signing-key', key];
  await run(repository, process.execPath, ...args);
  const prefix = join(dir, 'prefix');
  const options = ['--prefix', prefix, '--offline', '--cache', join(dir, 'cache')];
  await run(dir, 'npm', 'install', '-g', ...options, join(made, `svc-${version}.tgz`));
  const program = join(prefix, 'bin', 'svc-server');
  const listen = `127.0.0.1:${await freePort()}`;
  await run(dir, program, 'setup', 'place', '--listen', listen);
  const place = join(dir, 'place');
  const [config, url] = [join(place, 'server.toml'), `http://${listen}`];
  const server = await startServer({ dir: place, config, url, remove: () => {} }, { program });
  try {
    const read = async (part: string) => await (await fetch(`${url}/svc/enrol/${part}`)).text();
    const manifest = readManifest(await read('manifest'));
    assert.is(manifest.version, version);
    assert.is(manifest.parts.get(`agent ${version}`), digestOf(await read('agent')));
    assert.is(manifest.parts.get(`installer ${version}`), digestOf(await read('installer')));
    const told = await run(place, program, 'signing-key', '-c', config);
    assert.is(told.split('\n')[0], fingerprintOf(manifest.key));
    assert.match(await read('install'), `KEY='${fingerprintOf(manifest.key)}'`);
  } finally {
    assert.is((await server.end('SIGTERM')).code, 0);
  }
  const der = await run(dir, 'openssl', 'pkey', '-in', key, '-pubout');
  const lines = der
    .split('\n')
    .filter((line) => !line.startsWith('-'))
    .join('');
  assert.not.ok((await readdir(place)).includes('signing.key'));
  assert.match(
    await readFile(join(prefix, 'lib/node_modules/svc/lib/plugins/enrol/public/manifest'), 'utf8'),
    `key ${lines}\n`,
  );
});

test.run();

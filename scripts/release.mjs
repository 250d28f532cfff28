/**
 * `npm run release [-- --into DIR --signing-key FILE --runtimes DIR]`: makes in `release/`
 *
 * - `svc-VERSION.tgz`, which `npm install -g ./svc-VERSION.tgz` turns into the programs `svc-server`, `svc` and `svc-agent`,
 *   without sources, a compiler or a registry: everything that they run is inside, in the versions of the lock file;
 * - `svc-VERSION.cdx.json`, what is inside, as CycloneDX;
 * - `SHA256SUMS` of both.
 *
 * `--signing-key FILE` (a file of `svc-server signing-key export`, or of `openssl genpkey -algorithm ed25519`) signs agent,
 * installer and runtimes inside, so that its servers need no key: what machines get cannot be changed by root there either.
 * They can then give no other Node than this one, and those of `--runtimes DIR` (`DIR/PLATFORM/node`, as `fetch-runtime` makes it).
 * Without it each server signs with a key of its own.
 *
 * The same commit gives the same bytes under the same npm: `SOURCE_DATE_EPOCH` (Unix seconds) stands for all times, by
 * itself that of the commit.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { build, install, packages, readJson } from './prepare.mjs';
import { root } from './runtime.mjs';

/** Pages that an operator finds next to the programs, below `npm root -g`. */
const PAGES = ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'LICENSE', 'config', 'deploy'];
const PROGRAMS = { 'svc-server': 'server', svc: 'cli', 'svc-agent': 'agent' };
/** Parts of a package with native code that only a compiler needs. Its binaries for all systems are inside. */
const TO_COMPILE = ['binding.gyp', 'build', 'deps', 'src'];

async function release(target, signing) {
  install();
  await build();
  const place = mkdtempSync(join(tmpdir(), 'svc-release-'));
  // npm takes the name of the folder for that of the package.
  const stage = join(place, 'svc');
  try {
    const description = putTogether(stage);
    if (signing.key) await signManifest(stage, description.version, signing);
    evenModes(stage);
    mkdirSync(target, { recursive: true });
    for (const old of readdirSync(target)) if (isOurs(old)) rmSync(join(target, old));
    npm(stage, 'pack', '--pack-destination', target);
    const name = `svc-${description.version}`;
    writeFileSync(join(target, `${name}.cdx.json`), billOfMaterials(stage));
    const sums = [`${name}.cdx.json`, `${name}.tgz`].map((file) => digestLine(target, file));
    writeFileSync(join(target, 'SHA256SUMS'), sums.join(''));
    process.stdout.write(`${sums.join('')}in ${target}\n`);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

async function signManifest(stage, version, { key, runtimes }) {
  const { releaseManifest } = await import('../plugins/enrol/src/shipped.ts');
  const facts = { version, made: epoch() * 1000, runtimes: resolve(runtimes ?? 'runtimes') };
  const text = await releaseManifest(resolve(key), facts);
  writeFileSync(join(stage, 'lib/plugins/enrol/public/manifest'), text);
}

const isOurs = (file) => /^(?:svc-.*\.(?:tgz|cdx\.json)|SHA256SUMS)$/.test(file);

/** One package that has all others in its `node_modules`; returns its description. */
function putTogether(stage) {
  const own = packages().map((folder) => ({
    folder,
    ...readJson(join(root, folder, 'package.json')),
  }));
  for (const one of own) {
    cpSync(join(root, 'dist', one.folder), join(stage, 'lib', one.folder), { recursive: true });
    passOn(stage, one);
  }
  stampTime(join(stage, 'lib/plugins/server-info/src/build-info.json'));
  const optional = Object.assign({}, ...own.map((one) => one.optionalDependencies));
  const left = Object.fromEntries(Object.entries(optional).filter(([name]) => hasOwnSystems(name)));
  const direct = Object.assign({}, ...own.map((one) => one.dependencies), optional);
  for (const name of Object.keys(left)) delete direct[name];
  const seen = new Set();
  for (const name of Object.keys(direct).filter((name) => !isSvc(name)))
    copy(name, root, stage, seen);
  for (const page of PAGES) {
    if (existsSync(join(root, page)))
      cpSync(join(root, page), join(stage, page), { recursive: true });
  }
  const { version, description, license, type } = readJson(join(root, 'package.json'));
  const { engines } = readJson(join(root, 'server', 'package.json'));
  const inside = { ...direct, ...Object.fromEntries(own.map(({ name }) => [name, version])) };
  const bin = Object.entries(PROGRAMS).map(([name, folder]) => [
    name,
    `lib/${folder}/bin/${name}.js`,
  ]);
  const made = {
    ...{ name: 'svc', version, description, license, type, engines },
    bin: Object.fromEntries(bin),
    dependencies: Object.fromEntries(Object.entries(inside).sort()),
    bundleDependencies: Object.keys(inside).sort(),
    // Shells of the agent: binaries of one system each. Where no registry is in reach, npm goes on without.
    optionalDependencies: left,
  };
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(made, null, 2)}\n`);
  return made;
}

/** Tells whether a package is made of binaries of one system each, which npm chooses from. */
const hasOwnSystems = (name) =>
  'optionalDependencies' in readJson(join(installed(name, root), 'package.json'));

const isSvc = (name) => name.startsWith('@svc/');

/** Passes imports of a package of ours by its name on to `lib`, which has the folders that the built server expects. */
function passOn(
  stage,
  { folder, exports = {}, scripts: _scripts, bin: _bin, files: _files, ...rest },
) {
  const target = join(stage, 'node_modules', rest.name);
  mkdirSync(target, { recursive: true });
  const entries = Object.entries(exports).map(([entry, source]) => {
    const module = join(stage, 'lib', folder, source.replace(/\.ts$/, '.js'));
    const from = relative(target, module).split(sep).join('/');
    const hasDefault = /^export default |\bas default\b/m.test(readFileSync(module, 'utf8'));
    const text = `export * from '${from}';\n${hasDefault ? `export { default } from '${from}';\n` : ''}`;
    const name = entry === '.' ? './index' : entry;
    for (const kind of ['js', 'd.ts']) writeFileSync(join(target, `${name}.${kind}`), text);
    return [entry, `${name}.js`];
  });
  const { imports: _imports, optionalDependencies: _optional, ...kept } = rest;
  const description = { ...kept, exports: Object.fromEntries(entries) };
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(description, null, 2)}\n`);
}

/** A package that is installed in the repository, and what it needs, each in the place where imports look for it. */
function copy(name, from, stage, seen) {
  const folder = installed(name, from);
  if (seen.has(folder)) return;
  seen.add(folder);
  const left = existsSync(join(folder, 'binding.gyp')) ? TO_COMPILE : [];
  const skipped = new Set([...left, 'node_modules'].map((part) => join(folder, part)));
  const filter = (path) => !skipped.has(path);
  cpSync(folder, join(stage, relative(root, folder)), { recursive: true, filter });
  const { dependencies = {} } = readJson(join(folder, 'package.json'));
  for (const needed of Object.keys(dependencies)) copy(needed, folder, stage, seen);
}

/** @throws Error where the package is not installed */
function installed(name, from) {
  const folder = join(from, 'node_modules', name);
  if (existsSync(folder)) return folder;
  if (from === root) throw new Error(`${name} is not installed: npm ci`);
  return installed(name, dirname(from));
}

/** Unix seconds that stand for all times of the release; without git and `SOURCE_DATE_EPOCH`, now. */
function epoch() {
  const { SOURCE_DATE_EPOCH: given } = process.env;
  if (given) return given;
  const options = { cwd: root, encoding: 'utf8' };
  const { status, stdout } = spawnSync('git', ['log', '-1', '--format=%ct'], options);
  return status === 0 ? stdout.trim() : String(Math.floor(Date.now() / 1000));
}

function stampTime(file) {
  const facts = { ...readJson(file), build_time: epoch() };
  writeFileSync(file, `${JSON.stringify(facts, null, 2)}\n`);
}

/** Sets the modes of files, whatever the umask of this machine. */
function evenModes(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) chmodSync(path, statSync(path).mode & 0o100 ? 0o755 : 0o644);
  }
}

/** Bill of what is inside, without what differs from one run to the next. */
function billOfMaterials(stage) {
  const options = ['--sbom-format=cyclonedx', '--sbom-type=application', '--omit=dev'];
  const bill = JSON.parse(npm(stage, 'sbom', ...options));
  delete bill.serialNumber;
  bill.metadata.timestamp = new Date(epoch() * 1000).toISOString();
  return `${JSON.stringify(bill, null, 2)}\n`;
}

function digestLine(folder, file) {
  const digest = createHash('sha256')
    .update(readFileSync(join(folder, file)))
    .digest('hex');
  return `${digest}  ${file}\n`;
}

/** Runs npm without a registry; returns what it printed. */
function npm(cwd, ...args) {
  const options = ['--silent', '--offline', '--ignore-scripts'];
  const shell = process.platform === 'win32';
  return execFileSync('npm', [...args, ...options], {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
    stdio: ['ignore', 'pipe', 'inherit'],
    shell,
  });
}

try {
  const options = {
    into: { type: 'string' },
    'signing-key': { type: 'string' },
    runtimes: { type: 'string' },
  };
  const { into, 'signing-key': key, runtimes } = parseArgs({ options }).values;
  await release(resolve(into ?? join(root, 'release')), { key, runtimes });
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

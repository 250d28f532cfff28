import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { buildDashboard } from '../plugins/dashboard/build.mjs';
import { buildAgent } from '../plugins/enrol/build.mjs';
import { missing } from './missing.mjs';
import { root } from './runtime.mjs';

/**
 * `npm ci` when nothing is installed, when the lock file is newer than what is, or when a part is missing.
 * `production`: what serving needs is enough; `development`: with what tests and builds need.
 */
export function install(what = 'development') {
  const hasDevelopment = existsSync(join(root, 'node_modules', 'typescript'));
  const isEnough = what === 'production' || hasDevelopment;
  const lock = join(root, 'package-lock.json');
  if (isEnough && newest(installed) >= newest(lock) && isComplete(lock)) return;
  process.stdout.write('Installing dependencies …\n');
  // What tests and builds need stays installed where it is.
  const all = what === 'production' && !hasDevelopment ? ['--omit=dev'] : [];
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error', ...all]);
  writeFileSync(complete, '');
}

const installed = join(root, 'node_modules', '.package-lock.json');

/** Made after an installation by `install`, under a Node that fits. `npm ci` removes it. */
const complete = join(root, 'node_modules', '.complete');

function isComplete(lock) {
  if (existsSync(complete)) return true;
  return missing(readJson(lock).packages, readJson(installed).packages).length === 0;
}

/** Builds when a source is newer than the last build. Looking costs some milliseconds, `tsc` a second. */
export async function build() {
  await buildDashboard();
  if (newest(stamp) >= newestSource()) return;
  process.stdout.write('Building …\n');
  await compile();
}

/**
 * Makes `dist/`: the packages as they are published, with compiled code. Started as `node dist/svc-server.js` the program
 * needs less memory and time than from its sources.
 */
export async function compile() {
  const begun = new Date();
  await buildDashboard();
  await buildAgent();
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  run(process.execPath, [tsc, '-p', 'tsconfig.build.json']);
  for (const folder of packages()) publish(folder);
  packSchemas();
  const minimal = join(root, 'config', 'minimal.toml');
  cpSync(minimal, join(root, 'dist', 'server', 'templates', 'minimal.toml'));
  run(process.execPath, [join(root, 'plugins', 'server-info', 'build-info.mjs')]);
  // Serving alone does not need the bundler.
  const { bundle } = await import('./bundle.mjs');
  await bundle(join(root, 'dist'), readdirSync(join(root, 'plugins')));
  writeFileSync(stamp, '');
  utimesSync(stamp, begun, begun);
}

/** Folders of the workspaces that are published, relative to the repository: sources of a page alone are not. */
export function packages() {
  const { workspaces } = readJson(join(root, 'package.json'));
  return workspaces
    .flatMap((pattern) => {
      if (!pattern.endsWith('/*')) return [pattern];
      const parent = pattern.slice(0, -2);
      return readdirSync(join(root, parent)).map((name) => join(parent, name));
    })
    .filter((folder) => existsSync(join(root, folder, 'src')));
}

/** Puts what belongs to a package next to its compiled code, and its name where imports look for it. */
function publish(folder) {
  const target = join(root, 'dist', folder);
  const description = readJson(join(root, folder, 'package.json'));
  const { scripts: _scripts, ...published } = description;
  const { name, bin = {}, files = [], exports, imports } = description;
  published.exports = compiled(exports);
  published.imports = compiled(imports);
  published.files = ['src', 'bin', ...files];
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  for (const part of ['bin', 'README.md', ...files])
    if (existsSync(join(root, folder, part)))
      cpSync(join(root, folder, part), join(target, part), { recursive: true });
  for (const program of Object.values(bin))
    writeFileSync(join(root, 'dist', basename(program)), `import './${folder}/${program}';\n`);
  const link = join(root, 'dist', 'node_modules', name);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(target, link, 'junction');
}

/** Entries of a package's description: `./src/x.ts` → `./src/x.js` and its types. */
const compiled = (entries) =>
  entries &&
  Object.fromEntries(
    Object.entries(entries).map(([name, source]) => {
      const path = source.replace(/\.ts$/, '');
      return [name, { types: `${path}.d.ts`, default: `${path}.js` }];
    }),
  );

/** The schema library in one file (plugin-sdk/src/typebox.ts says why). Packing a packed file changes nothing. */
function packSchemas() {
  const file = join(root, 'dist', 'plugin-sdk', 'src', 'typebox.js');
  const esbuild = join(root, 'node_modules', 'esbuild', 'bin', 'esbuild');
  const options = ['--bundle', '--format=esm', '--platform=node', '--target=node22'];
  run(esbuild, [file, ...options, '--allow-overwrite', '--log-level=warning', `--outfile=${file}`]);
}

const stamp = join(root, 'dist', '.built');

function run(command, args) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32' && command === 'npm',
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with status ${status}`);
}

export const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** Modification time in ms; 0 when the file does not exist. */
function newest(path) {
  return existsSync(path) ? statSync(path).mtimeMs : 0;
}

function newestSource() {
  const files = ['tsconfig.json', 'tsconfig.build.json'].map((name) => join(root, name));
  for (const folder of packages()) collect(join(root, folder), files);
  return Math.max(...files.map(newest));
}

function collect(folder, files) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules') collect(path, files);
    } else if (/\.ts$|\.js$|\.sh$|^package\.json$/.test(entry.name)) files.push(path);
  }
}

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** `npm ci` when nothing is installed, or when the lock file is newer than what is. */
export function install() {
  const installed = join(root, 'node_modules', '.package-lock.json');
  if (newest(installed) >= newest(join(root, 'package-lock.json'))) return;
  process.stdout.write(
    'Installing dependencies (the first time takes two or three minutes: one is compiled) …\n',
  );
  run('npm', ['ci', '--no-audit', '--no-fund']);
}

/** Compiles when a source is newer than the last build. Looking costs some milliseconds, `tsc` a second. */
export function build() {
  if (newest(stamp) >= newestSource() && hasOutput()) return;
  process.stdout.write('Building …\n');
  compile();
}

/** `tsc -b`, then the facts about this build that the server reports. */
export function compile() {
  const begun = new Date();
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  // Where somebody removed the output, tsc would still believe its own notes.
  run(process.execPath, hasOutput() ? [tsc, '-b'] : [tsc, '-b', '--force']);
  packSchemas();
  run(process.execPath, [join(root, 'plugins', 'server-info', 'build-info.mjs')]);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, '');
  utimesSync(stamp, begun, begun);
}

/** The schema library in one file (plugin-sdk/src/typebox.ts says why). Packing a packed file changes nothing. */
function packSchemas() {
  const file = join(root, 'plugin-sdk', 'dist', 'typebox.js');
  const esbuild = join(root, 'node_modules', 'esbuild', 'bin', 'esbuild');
  const options = ['--bundle', '--format=esm', '--platform=node', '--target=node20'];
  run(esbuild, [file, ...options, '--allow-overwrite', '--log-level=warning', `--outfile=${file}`]);
}

const stamp = join(root, 'node_modules', '.cache', 'built');

function run(command, args) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32' && command === 'npm',
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with status ${status}`);
}

const hasOutput = () => existsSync(join(root, 'kernel', 'dist', 'index.js'));

/** Modification time in ms; 0 when the file does not exist. */
function newest(path) {
  return existsSync(path) ? statSync(path).mtimeMs : 0;
}

function newestSource() {
  const files = ['tsconfig.json', 'tsconfig.base.json'].map((name) => join(root, name));
  const folders = ['plugin-sdk', 'kernel', 'plugins', 'examples'].map((name) => join(root, name));
  for (const folder of folders) collect(folder, files);
  return Math.max(...files.map(newest));
}

function collect(folder, files) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules' && entry.name !== 'dist') collect(path, files);
    } else if (/\.ts$|^tsconfig\.json$|^package\.json$/.test(entry.name)) files.push(path);
  }
}

/**
 * Runs the project's scripts under a supported Node. This file and `run.mjs` run on older ones too: no newer syntax here.
 * @module
 */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The repository. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** As `engines` of package.json. */
const OLDEST = [22, 18];
const FETCHED = '24.21.0';

/**
 * Runs `scripts/<name>` in this process when its Node is new enough, else under Node 24, which is fetched once.
 * The exit status and the signals of the other process become this one's.
 */
export async function runScript(name) {
  const script = join(root, 'scripts', name);
  if (isSupported(process.versions.node)) {
    await import(pathToFileURL(script).href);
    return;
  }
  const node = fetchedNode();
  const child = spawn(node, [script, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => child.kill(signal));
  child.on('close', (status, signal) => {
    if (signal) process.removeAllListeners(signal).kill(process.pid, signal);
    else process.exit(status);
  });
}

export function isSupported(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/** Path of Node 24 in `.runtime/`, fetched with this machine's npm when it is not there. Ends the process where there is none. */
function fetchedNode() {
  const older = `svc needs Node ${OLDEST.join('.')} or later, this is ${process.versions.node}`;
  const folder = join(root, '.runtime', FETCHED);
  const node = join(folder, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node');
  if (existsSync(node)) {
    process.stdout.write(`${older}: using Node ${FETCHED} from .runtime/.\n`);
    return node;
  }
  if (!hasPackage()) end(`${older}: please install a newer Node.`);
  process.stdout.write(`${older}: fetching Node ${FETCHED} into .runtime/ …\n`);
  // The lock file holds the package's checksum.
  mkdirSync(folder, { recursive: true });
  cpSync(join(root, 'scripts', 'runtime'), folder, { recursive: true });
  const { status, error } = spawnSync(
    'npm',
    ['ci', '--no-audit', '--no-fund', '--ignore-scripts'],
    {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  if (status === 0 && existsSync(node)) return node;
  rmSync(folder, { recursive: true, force: true });
  return end(
    `Node ${FETCHED} could not be fetched${error ? ` (${error.message})` : ''}: please install Node ${OLDEST.join('.')} or later.`,
  );
}

/** The platform packages are for Linux with glibc. */
function hasPackage() {
  const { glibcVersionRuntime } = process.report.getReport().header;
  return ['x64', 'arm64'].includes(process.arch) && glibcVersionRuntime !== undefined;
}

function end(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

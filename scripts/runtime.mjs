/**
 * Runs the project's scripts under a supported Node. This file and `run.mjs` run on older ones too: no newer syntax here.
 * @module
 */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The repository. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Oldest Node, as in `engines` of server/package.json: in that of the root npx would warn of it before each answer, and an older Node is no fault of a clone. */
const OLDEST = [22, 18];
const FETCHED = '24.21.0';

/**
 * Runs `scripts/<name>` in this process when its Node is new enough, else under Node 24, which is fetched once.
 */
export async function runScript(name) {
  const script = join(root, 'scripts', name);
  if (isSupported(process.versions.node)) {
    // Shell scripts that are started from here find the same Node.
    process.env.PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
    // Programs that start from sources take half the processor time when they find them compiled.
    process.env.NODE_COMPILE_CACHE ??= join(root, '.runtime', 'compile-cache');
    await import(pathToFileURL(script).href);
    return;
  }
  runUnder(newerNode(), [
    join(root, 'scripts', 'run.mjs'),
    basename(name, '.mjs'),
    ...process.argv.slice(2),
  ]);
}

/**
 * Restarts a program of a clone, started by an older Node, under the one that `npm start` has fetched, and does not
 * return. @returns what to do where there is none
 */
export async function goOnFetched() {
  const node = fetchedNode(FETCHED);
  if (!existsSync(node)) return hasPackage() ? ': npm start fetches one' : undefined;
  runUnder(node, process.argv.slice(1));
  return new Promise(() => {});
}

/** Runs another Node; its exit status and signals become those of this process. */
function runUnder(node, args) {
  const child = spawn(node, args, { stdio: 'inherit' });
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

/** Path of Node 24; ends the process with a sentence where there is none. */
function newerNode() {
  const older = `svc needs Node ${OLDEST.join('.')} or later, this is ${process.versions.node}`;
  try {
    return fetchNode(FETCHED, older);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    return process.exit(1);
  }
}

/**
 * Path of the Node of this version in `.runtime/`, fetched with this machine's npm when it is not there. `version` is a
 * folder of `scripts/runtime`: its lock file holds the checksums of the packages. `why` begins the lines that are printed.
 * @throws Error with a sentence where no package fits the machine, or when the package cannot be fetched
 */
export function fetchNode(version, why) {
  const folder = join(root, '.runtime', version);
  const node = fetchedNode(version);
  if (existsSync(node)) {
    process.stdout.write(`${why}: using Node ${version} from .runtime/.\n`);
    return node;
  }
  if (!hasPackage()) throw new Error(`${why}: please install Node ${version}.`);
  const locked = join(root, 'scripts', 'runtime', version);
  if (!existsSync(locked)) throw new Error(`${why}: scripts/runtime knows no Node ${version}.`);
  process.stdout.write(`${why}: fetching Node ${version} into .runtime/ …\n`);
  mkdirSync(folder, { recursive: true });
  cpSync(locked, folder, { recursive: true });
  const { status, error } = spawnSync(
    'npm',
    // npm waits five minutes for an answer, which is all that the caller has.
    ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--fetch-timeout=60000'],
    { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  if (status === 0 && existsSync(node)) return node;
  rmSync(folder, { recursive: true, force: true });
  const reason = error ? ` (${error.message})` : '';
  throw new Error(`${why}: Node ${version} could not be fetched${reason}, please install it.`);
}

const fetchedNode = (version) =>
  join(root, '.runtime', version, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node');

/** The platform packages are for Linux with glibc. */
function hasPackage() {
  const { glibcVersionRuntime } = process.report.getReport().header;
  return ['x64', 'arm64'].includes(process.arch) && glibcVersionRuntime !== undefined;
}

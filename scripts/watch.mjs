import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync, unwatchFile, watch, watchFile } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packages } from './prepare.mjs';
import { root } from './runtime.mjs';

/** A change counts when nothing else has changed for so long: editors write in several steps. */
const QUIET_MS = 200;
const CONFIG_PERIOD_MS = 300;

/**
 * Runs `start.mjs` with these arguments in a process of its own, and again after each change of the server's sources, of
 * the configuration, or of a plugin that the configuration lists by path. The old process stops in order first.
 * A process that ends by itself is started again after the next change. SIGINT, SIGTERM and SIGHUP end both processes.
 */
export async function serveAndWatch(args, config) {
  const end = new AbortController();
  let child;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      end.abort();
      child?.kill(signal);
    });
  while (!end.signal.aborted) {
    const folders = await foldersToWatch(config);
    if (end.signal.aborted) return;
    const changed = nextChange(folders, config, end.signal, () => child?.exitCode === null);
    child = startServer(args);
    const closed = once(child, 'close');
    const name = await changed;
    if (name !== undefined) {
      process.stdout.write(`${name} has changed: starting again …\n`);
      child.kill('SIGTERM');
    }
    const [status] = await closed;
    process.exitCode = status ?? 1;
  }
}

/** Starts the server in a process group of its own, so that Ctrl-C reaches it once; it ends when this process has gone. */
function startServer(args) {
  const tether = pathToFileURL(join(root, 'scripts', 'tether.mjs')).href;
  const start = join(root, 'scripts', 'start.mjs');
  return spawn(process.execPath, ['--import', tether, start, ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: process.platform !== 'win32',
  });
}

/** The folders with sources of the server, and of the plugins that are listed by path. */
async function foldersToWatch(config) {
  const { loadConfig } = await import('@svc/server');
  // The server says what is wrong with a configuration. Loading it here writes its UUID before the file is watched.
  const { head } = await loadConfig(config).catch(() => ({ head: {} }));
  const listed = [...(head.plugins ?? []), ...(head.extra_plugins ?? [])]
    .flatMap((entry) => [resolve(root, entry), resolve(dirname(config), entry)])
    .filter((path) => existsSync(path))
    .map((path) => (statSync(path).isDirectory() ? path : dirname(path)));
  const sources = packages().map((folder) => join(root, folder, 'src'));
  return [...new Set([...sources, ...listed].flatMap(withSubfolders))];
}

function withSubfolders(folder) {
  if (!existsSync(folder)) return [];
  const inner = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name),
  );
  return [folder, ...inner.flatMap(({ name }) => withSubfolders(join(folder, name)))];
}

/** Path of what changes next; undefined when `signal` aborts first. `isRunning`: the server has not ended. */
async function nextChange(folders, config, signal, isRunning) {
  const { promise, resolve: settle } = Promise.withResolvers();
  let quiet;
  const note = (path) => {
    clearTimeout(quiet);
    quiet = setTimeout(settle, QUIET_MS, path);
  };
  const watchers = folders.map((folder) =>
    watch(folder, (_event, name) => {
      if (/\.(?:ts|[cm]?js|json)$/.test(name ?? '')) note(join(folder, name));
    }),
  );
  const noteConfig = (_now, before) => {
    // The first file is the server's own, written when it had started.
    if (before.mtimeMs > 0 || !isRunning()) note(config);
  };
  watchFile(config, { interval: CONFIG_PERIOD_MS }, noteConfig);
  signal.addEventListener('abort', () => settle(undefined));
  try {
    return await promise;
  } finally {
    clearTimeout(quiet);
    unwatchFile(config, noteConfig);
    for (const watcher of watchers) watcher.close();
  }
}

/**
 * `npm start`: installs what is missing, serves from the sources, and runs an agent for this machine.
 * Options after `--`: `--config FILE`, `--data DIR`, `--listen ADDR`, `--no-agent`, `--watch`, `--help`.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { limitGarbage } from '../server/bin/garbage.js';
import { beginAnew } from '../server/bin/memory.js';
import { runAgent } from './agent.mjs';
import { install } from './prepare.mjs';
import { root } from './runtime.mjs';
import { serveAndWatch } from './watch.mjs';

const usage = `npm start -- [options]
  --config FILE   serve with this configuration instead of data/server.toml
  --data DIR      where configuration, database and agent credential are kept (default: data)
  --listen ADDR   PORT, IP:PORT or [IPv6]:PORT; wins over the configuration in this run. The first start, which makes
                  data/server.toml, keeps it there (default: 127.0.0.1:2211)
  --no-agent      do not run the bundled agent for this machine
  --watch         start again when sources, the configuration or a plugin listed by path change
  --help          show this text
`;

const LONGEST_WAIT_MS = 10_000;

/** A wrong command line: status 2 with the usage. */
class UsageError extends Error {}

main().catch((error) => {
  const text = error.name === 'UserError' ? error.message : (error.stack ?? error);
  const isUsage = error instanceof UsageError;
  process.stderr.write(isUsage ? `${error.message}\n\n${usage}` : `${text}\n`);
  process.exit(isUsage ? 2 : 1);
});

async function main() {
  const options = readOptions();
  if (options.help) return process.stdout.write(usage);
  if (!options.watch) beginAnew(fileURLToPath(import.meta.url), process.argv.slice(2));
  // Where a window is closed, what is printed goes nowhere; the server still stops in order.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  install('production');
  const { buildDashboard } = await import('../plugins/dashboard/build.mjs');
  await buildDashboard();
  // Stripped and compiled sources are kept for the next start.
  enableCompileCache(join(root, 'node_modules', '.cache', 'compiled'));
  const program = await import('@svc/server');
  const { firstText, makePackageFolder, parseListener, serve } = program;
  const { data, listen } = options;
  if (listen !== undefined && !parseListener(listen))
    throw new UsageError(`--listen ${listen}: give PORT, IP:PORT or [IPv6]:PORT`);
  const first = options.config ? { config: options.config } : firstConfig(data, listen, firstText);
  if (options.watch) {
    const others = process.argv.slice(2).filter((argument) => argument !== '--watch');
    return serveAndWatch(others, first.config);
  }
  // Relative paths of a configuration file start at the working directory.
  process.chdir(root);
  const announcement = new program.Announcement();
  const app = await serve({ ...first, listen, announcement, hangUp: 'stop' });
  limitGarbage();
  if (!options.config) makePackageFolder(data);
  try {
    announcement.print(`svc is ready: ${app.url}`);
    if (options.agent) await runAgent(app, data);
    if (announcement.isEmpty) return announcement.print(invitation(app, program.inBrowser));
    // Its first report is logged: what matters comes after it. Of a server that stops meanwhile the end tells it.
    if (options.agent && !(await firstReport(app))) return;
    announcement.flush((lines) => program.welcome(app, lines));
  } catch (error) {
    // Calls of a server that stops fail, and its end prints what waits.
    await app.stop('failed');
    throw error;
  }
}

/** Waits for the first report. @returns false: the server has stopped meanwhile */
async function firstReport(app) {
  const list = () => app.call('svc-server_list_all_agent_uuid', {});
  const count = () =>
    list().then(
      ({ uuids }) => uuids.length,
      () => undefined,
    );
  for (const end = Date.now() + LONGEST_WAIT_MS; Date.now() < end; ) {
    const agents = await count();
    if (agents !== 0) return agents !== undefined;
    await new Promise((done) => setTimeout(done, 100));
  }
  return true;
}

/**
 * `server.toml` in the data directory. On the first start there is none yet: `draft` is then the text that the server
 * writes once it has started, so that a start which failed leaves nothing behind.
 */
function firstConfig(data, listen, firstText) {
  const config = join(data, 'server.toml');
  if (existsSync(config)) return { config };
  mkdirSync(data, { recursive: true, mode: 0o700 });
  return { config, draft: firstText(data, listen) };
}

/** Returns the address that a person opens at every later start. */
function invitation(app, inBrowser) {
  const page = app.kernelOf('dashboard')?.brand.rewrite('/svc/dashboard/');
  if (page === undefined) return `Serves ${app.url}`;
  return `Open ${inBrowser(app.url)}${page}?user=root and log in with the password (lost? npx svc-server roll-super-token makes a new one).`;
}

/** Paths come back absolute: they are meant from where the command was typed. */
function readOptions() {
  const { config, data, listen, help, watch, 'no-agent': noAgent } = parse();
  return {
    config: config && resolve(config),
    data: data ? resolve(data) : join(root, 'data'),
    // A port alone is meant for this machine.
    listen: listen?.replace(/^(?=\d{1,5}$)/, '127.0.0.1:'),
    agent: !noAgent,
    watch,
    help,
  };
}

function parse() {
  try {
    const { values } = parseArgs({
      options: {
        config: { type: 'string' },
        data: { type: 'string' },
        listen: { type: 'string' },
        'no-agent': { type: 'boolean' },
        watch: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    return values;
  } catch (error) {
    throw new UsageError(error.message, { cause: error });
  }
}

/**
 * `npm start`: installs what is missing, serves from the sources, and runs an agent for this machine.
 * Options after `--`: `--config FILE`, `--data DIR`, `--listen ADDR`, `--no-agent`, `--watch`, `--help`.
 */
import { enableCompileCache } from 'node:module';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runAgent } from './agent.mjs';
import { firstConfig } from './first-config.mjs';
import { install } from './prepare.mjs';
import { root } from './runtime.mjs';
import { serveAndWatch } from './watch.mjs';

const usage = `npm start -- [options]
  --config FILE   serve with this configuration instead of data/server.toml
  --data DIR      where configuration, database and agent credential are kept (default: data)
  --listen ADDR   address written into that file on the first start (default: 127.0.0.1:2211)
  --no-agent      do not run the bundled agent for this machine
  --watch         start again when sources, the configuration or a plugin listed by path change
  --help          show this text`;

main().catch((error) => {
  process.stderr.write(`${error.name === 'UserError' ? error.message : (error.stack ?? error)}\n`);
  process.exit(1);
});

async function main() {
  const options = readOptions();
  if (options.help) return process.stdout.write(`${usage}\n`);
  install('production');
  // Stripped and compiled sources are kept for the next start.
  enableCompileCache(join(root, 'node_modules', '.cache', 'compiled'));
  const configPath = options.config ?? (await firstConfig(options.data, options.listen));
  if (options.watch) {
    const others = process.argv.slice(2).filter((argument) => argument !== '--watch');
    return serveAndWatch(others, configPath);
  }
  // Relative paths of a configuration file start at the working directory.
  process.chdir(root);
  const { serve } = await import('@svc/server');
  const app = await serve({ config: configPath });
  process.stdout.write(`svc is ready: ${app.url}\n`);
  if (options.agent) await runAgent(app, options.data);
}

/** Paths come back absolute: they are meant from where the command was typed. */
function readOptions() {
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
  return {
    config: values.config && resolve(values.config),
    data: values.data ? resolve(values.data) : join(root, 'data'),
    listen: values.listen,
    agent: !values['no-agent'],
    watch: values.watch,
    help: values.help,
  };
}

import { readFileSync } from 'node:fs';
import { logConfig, lookOnce, runAgent } from './agent.ts';
import { systemClock as clock } from './clock.ts';
import { createCollector } from './collect/index.ts';
import { HELP, readCommand } from './command-line.ts';
import { ConfigError } from './config.ts';
import { loadConfig } from './config-file.ts';
import { createLogger } from './log.ts';
import { ntpOffset } from './ntp.ts';

/** Time for goodbyes and for what is under way; after it the process ends anyway. */
const STOP_LIMIT_MS = 2000;

async function main(): Promise<void> {
  const command = readCommand(process.argv.slice(2));
  if (command.kind === 'help') return void process.stdout.write(HELP);
  if (command.kind === 'version') return void process.stdout.write(`svc-agent ${version()}\n`);
  if (command.kind === 'wrong') {
    process.stderr.write(`${command.problem}\n\n${HELP}`);
    process.exitCode = 2;
    return;
  }
  await start(command);
}

async function start({ config: path, dryRun }: { config: string; dryRun: boolean }): Promise<void> {
  const config = await loadConfig(path);
  const log = createLogger(config.log_level, (line) => void process.stdout.write(line));
  log.info('svc-agent starts', { version: version(), config: path });
  logConfig(config, log);
  const signal = stopSignal();
  const offset_ms = dryRun ? 0 : await ntpOffset(config.ntp_server, clock, log);
  const collector = createCollector(clock, log, config.dynamic_summary_select_disk);
  const parts = { config, collector, clock, log, offset_ms };
  if (dryRun) await lookOnce(parts);
  else await runAgent(parts, signal);
}

/** Aborts on the first SIGTERM or SIGINT; a second one ends the process at once. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) process.exit(1);
    controller.abort();
    setTimeout(() => process.exit(0), STOP_LIMIT_MS).unref();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return controller.signal;
}

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function describe(error: unknown): string {
  if (error instanceof ConfigError) return `configuration: ${error.message}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

// Nobody reads the log any more: whoever started this process is gone.
process.stdout.on('error', () => process.exit(1));

main().catch((error: unknown) => {
  process.stderr.write(`${describe(error)}\n`);
  process.exitCode = 1;
});

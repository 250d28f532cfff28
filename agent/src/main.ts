// First: it settles the engine for all other code.
import './memory.ts';
import { type AgentParts, collectOnce, logConfig, runAgent } from './agent.ts';
import { systemClock as clock } from './clock.ts';
import { createCollector } from './collect/index.ts';
import { endQuestions } from './collect/room.ts';
import { HELP, readCommand } from './command-line.ts';
import { ConfigError } from './config.ts';
import { loadConfig } from './config-file.ts';
import { dropRoot } from './drop-root.ts';
import { createLogger, type Logger } from './log.ts';
import { beginTrial } from './trial.ts';
import { version } from './version.ts';

/** Time for the agent to stop. After it the process ends in any case: within 2 s, with what remains for its end. */
const STOP_LIMIT_MS = 1800;

const AS_ROOT =
  'THE AGENT RUNS AS ROOT, and so do its tasks: give its file (chown) to a user without rights, and it becomes that user';

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
  const user = await dropRoot(path);
  const config = await loadConfig(path);
  const log = createLogger(config.log_level, (line) => void process.stdout.write(line));
  log.info('svc-agent starts', { version: version(), config: path });
  if (user.kind === 'root') log.warn(AS_ROOT);
  if (user.kind === 'user') log.info('the agent has become the owner of its file', user);
  logConfig(config, log);
  const signal = stopSignal();
  if (!dryRun) beginTrial(clock, log);
  const offset_ms = dryRun || config.ntp_server === '' ? 0 : await askNtp(config.ntp_server, log);
  if (!dryRun) return await runAgain({ config, config_path: path, log, offset_ms }, signal);
  const collector = await createCollector(clock, log, config.dynamic_summary_select_disk);
  await collectOnce({ config, collector, clock, log });
}

/** Loaded only where it is asked: most enrolled agents have no NTP server. */
async function askNtp(server: string, log: Logger): Promise<number> {
  const { ntpOffset } = await import('./ntp.ts');
  return await ntpOffset(server, clock, log);
}

type Start = Pick<AgentParts, 'config' | 'config_path' | 'log' | 'offset_ms'>;

/** Runs the agent, and after each `edit_config` again with the new file. The clock offset is measured only once. */
async function runAgain(start: Start, signal: AbortSignal): Promise<void> {
  let { config, log } = start;
  for (;;) {
    const collector = await createCollector(clock, log, config.dynamic_summary_select_disk);
    const outcome = await runAgent({ ...start, config, log, collector, clock }, signal);
    if (outcome === 'stopped') return;
    try {
      config = await loadConfig(start.config_path);
      log = createLogger(config.log_level, (line) => void process.stdout.write(line));
      logConfig(config, log);
    } catch (error) {
      // The file was changed after the task had checked it. The agent goes on with the configuration that it had.
      log.error('the configuration stays as it was', { reason: describe(error) });
    }
  }
}

/** A signal that aborts on the first SIGTERM or SIGINT. The second one ends the process at once. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) process.exit(1);
    controller.abort();
    setTimeout(endAtOnce, STOP_LIMIT_MS).unref();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return controller.signal;
}

/**
 * Ends the process by the signal itself. `process.exit` waits for the threads of Node's pool, and one that asks a dead mount
 * never comes back. Service managers take an end by SIGTERM for a clean one.
 */
function endAtOnce(): void {
  endQuestions();
  process.removeAllListeners('SIGTERM');
  process.kill(process.pid, 'SIGTERM');
}

function describe(error: unknown): string {
  if (error instanceof ConfigError) return `configuration: ${error.message}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

process.on('exit', endQuestions);

// The reader of the log has gone, and with it the program that started this process.
process.stdout.on('error', () => process.exit(1));

main().catch((error: unknown) => {
  process.stderr.write(`${describe(error)}\n`);
  process.exitCode = 1;
});

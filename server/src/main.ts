import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import type { App } from '@svc/kernel';
import { type Command, type Commands, type CommandTerminal, UserError } from '@svc/plugin-sdk';
import { loadConfig } from './config/load.ts';
import { builtInNames, loadPlugin } from './plugins/find.ts';
import { serve } from './serve.ts';
import { start } from './start.ts';
import { VERSION } from './version.ts';

const HELP = `Usage: svc-server <command> -c FILE

  serve -c FILE             run the server
  init -c FILE              open the database, migrate, create what is missing, exit
  get-uuid -c FILE          print the server's UUID as the last line
  version                   print version lines
  <plugin command> -c FILE  commands of plugins, for example roll-super-token
  -h, --help                this text`;

/** A wrong command line: exit 2 with the help on standard error. */
class UsageError extends Error {}

/** The command line (configuration.md §3). @returns the exit code; undefined while the server runs */
export async function main(args: readonly string[]): Promise<number | undefined> {
  // A reader that has left (`| head`) is no reason to fail.
  process.stdout.on('error', () => {});
  print('Starting svc-server');
  try {
    return await run(args);
  } catch (error) {
    if (error instanceof UsageError) {
      process.stderr.write(`${error.message}\n${HELP}\n`);
      return 2;
    }
    process.stderr.write(`${explain(error)}\n`);
    return 1;
  }
}

async function run(args: readonly string[]): Promise<number | undefined> {
  const { command, file, help } = read(args);
  if (help || command === undefined) {
    print(HELP);
    return 0;
  }
  if (command === 'version') {
    await printVersion();
    return 0;
  }
  if (file === undefined) throw new UsageError(`${command} needs -c FILE`);
  const { head } = await configOf(file);
  if (command === 'get-uuid') {
    print(head.server_uuid);
    return 0;
  }
  if (command === 'serve') {
    await serve({ config: file });
    return undefined;
  }
  return tool(command, file);
}

async function printVersion(): Promise<void> {
  print(`svc Server Version: ${VERSION}`);
  for (const name of builtInNames()) {
    const { about } = await loadPlugin(name, process.cwd());
    for (const [label, value] of Object.entries((await about?.(VERSION)) ?? {}))
      print(`${label}: ${value}`);
  }
}

function read(args: readonly string[]): {
  command: string | undefined;
  file: string | undefined;
  help: boolean;
} {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { config: { type: 'string', short: 'c' }, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
    if (positionals.length > 1)
      throw new UsageError(`one command at a time: ${positionals.join(' ')}`);
    return { command: positionals[0], file: values.config, help: values.help ?? false };
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError((error as Error).message);
  }
}

async function configOf(file: string) {
  try {
    return await loadConfig(file);
  } catch (cause) {
    throw new UserError(`Failed to parse config: ${(cause as Error).message}`, { cause });
  }
}

/** `init`, and the commands of plugins: database and plugins without a listener. */
async function tool(name: string, file: string): Promise<number> {
  const app = await start({ config: file, mode: 'tool' });
  try {
    if (name !== 'init') await runCommand(app, name);
    return 0;
  } finally {
    await app.stop('done');
  }
}

async function runCommand(app: App, name: string): Promise<void> {
  for (const tap of app.hooks.commands.taps) {
    const found: Command[] = [];
    (tap.fn as (commands: Commands) => void)({ add: (command) => found.push(command) });
    const command = found.find((command) => command.name === name);
    const kernel = app.kernelOf(tap.name);
    if (command && kernel) return command.run(kernel, terminal);
  }
  throw new UsageError(`unknown command '${name}'`);
}

const print = (line: string) => {
  process.stdout.write(`${line}\n`);
};

let lines: AsyncIterator<string> | undefined;

const terminal: CommandTerminal = {
  print,
  async ask(prompt) {
    process.stdout.write(prompt);
    lines ??= createInterface({ input: process.stdin })[Symbol.asyncIterator]();
    const { value, done } = await lines.next();
    return done ? undefined : value;
  },
};

/** Operators' mistakes without a stack; anything else with it, and the chain of causes. */
function explain(error: unknown): string {
  if (error instanceof UserError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by: ${explain(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}

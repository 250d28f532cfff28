import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import type { App } from '@svc/kernel';
import { type Command, type Commands, type CommandTerminal, UserError } from '@svc/plugin-sdk';
import { loadConfig } from './config/load.ts';
import { newPlugin } from './new-plugin.ts';
import { builtInNames, loadPlugin } from './plugins/find.ts';
import { serve } from './serve.ts';
import { start } from './start.ts';
import { VERSION } from './version.ts';

const HELP = `Usage: svc-server <command> -c FILE

  serve -c FILE             run the server
  init -c FILE              open the database, migrate, create what is missing, exit
  get-uuid -c FILE          print the server's UUID as the last line
  version                   print version lines
  new-plugin NAME           write the sources of a new plugin into ./NAME, or into --dir DIR
  <plugin command> -c FILE  commands of plugins, for example roll-super-token
  -h, --help                this text`;

/** The commands of configuration.md §3 talk on standard output; another one has it for the document that it prints. */
const TALKS = /^(?:serve|init|roll-super-token|get-uuid|version|new-plugin|-h|--help)$/;

/** A wrong command line: exit 2 with the help on standard error. */
class UsageError extends Error {}

/** The command line (configuration.md §3). @returns the exit code; undefined while the server runs */
export async function main(args: readonly string[]): Promise<number | undefined> {
  // A reader that has left (`| head`) is no reason to fail.
  process.stdout.on('error', () => {});
  (args.every((arg) => !TALKS.test(arg)) && args.length > 0 ? tell : print)('Starting svc-server');
  try {
    return await run(args);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    tell(isUsage ? `${error.message}\n${HELP}` : explain(error));
    return isUsage ? 2 : 1;
  }
}

async function run(args: readonly string[]): Promise<number | undefined> {
  const { values, positionals } = read(args);
  const [command, ...words] = positionals;
  if (values.help || command === undefined) print(HELP);
  else if (command === 'new-plugin') print(newPlugin(words.join(' '), values.dir));
  else if (words.length > 0)
    throw new UsageError(`one command at a time: ${positionals.join(' ')}`);
  else if (command === 'version') await printVersion();
  else if (values.config === undefined) throw new UsageError(`${command} needs -c FILE`);
  else return runWith(values.config, command);
  return 0;
}

async function runWith(file: string, command: string): Promise<number | undefined> {
  const { head } = await loadConfig(file).catch((cause: Error) => {
    throw new UserError(`Failed to parse config: ${cause.message}`, { cause });
  });
  if (command === 'serve') {
    await serve({ config: file });
    return undefined;
  }
  if (command === 'get-uuid') print(head.server_uuid);
  else await tool(command, file);
  return 0;
}

async function printVersion(): Promise<void> {
  print(`svc Server Version: ${VERSION}`);
  for (const name of builtInNames()) {
    const { about } = await loadPlugin(name, process.cwd());
    for (const [label, value] of Object.entries((await about?.(VERSION)) ?? {}))
      print(`${label}: ${value}`);
  }
}

const OPTIONS = {
  config: { type: 'string', short: 'c' },
  dir: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

function read(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** `init`, and the commands of plugins: database and plugins without a listener. */
async function tool(name: string, file: string): Promise<void> {
  process.umask(0o077);
  const console = TALKS.test(name) ? 'stdout' : tell;
  const app = await start({ config: file, mode: 'tool', console });
  try {
    if (name !== 'init') await runCommand(app, name);
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

const print = (line: string) => void process.stdout.write(`${line}\n`);
const tell = (line: string) => void process.stderr.write(`${line}\n`);

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

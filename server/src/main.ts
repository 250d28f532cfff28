import type { App } from '@svc/kernel';
import { UserError } from '@svc/plugin-sdk';
import { didYouMean } from '@svc/plugin-sdk/util';
import { Announcement } from './announcement.ts';
import {
  configurationFile,
  glance,
  OPTIONS,
  parse,
  runTool,
  UsageError,
  usualFile,
} from './command.ts';
import { loadConfig } from './config/load.ts';
import { EXAMINATIONS } from './doctor/index.ts';
import { COMMANDS, commandHelp, programHelp } from './help.ts';
import { newPlugin } from './new-plugin.ts';
import { knownCommands } from './plugin-commands.ts';
import { builtInNames, loadPlugin } from './plugins/find.ts';
import { serve } from './serve.ts';
import { setUp } from './setup.ts';
import { print, printError } from './terminal.ts';
import { VERSION } from './version.ts';
import { welcome } from './welcome.ts';

/**
 * The commands of configuration.md §3 begin with a line of their own, which programs of the field expect, and talk on
 * standard output. All others have it for their answer.
 */
const TALKS = new Set(['serve', 'init', 'roll-super-token', 'get-uuid', 'version']);
const OWN = new Set(COMMANDS.map(({ name }) => name));

/** The command line (configuration.md §3). @returns the exit code; undefined while the server runs */
export async function main(args: readonly string[]): Promise<number | undefined> {
  // A reader that has left (`| head`) is no reason to fail.
  process.stdout.on('error', () => {});
  try {
    return await run(args);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    printError(
      isUsage ? `${error.message}\nsvc-server --help lists the commands.` : explain(error),
    );
    return isUsage ? 2 : 1;
  }
}

async function run(args: readonly string[]): Promise<number | undefined> {
  // `help` and `help COMMAND`, as svc has them.
  const { name, config, help } = glance(args[0] === 'help' ? [...args.slice(1), '--help'] : args);
  if (help || name === undefined) return await printHelp(name, config);
  if (TALKS.has(name)) print('Starting svc-server');
  const examination = EXAMINATIONS.get(name);
  if (examination) return examination(args);
  if (!OWN.has(name) && !TALKS.has(name)) return runOfPlugin(name, args, config);
  const { values, positionals } = parse(args, OPTIONS);
  const [command = '', ...words] = positionals;
  if (command === 'new-plugin') print(newPlugin(words.join(' '), values.dir));
  else if (command === 'setup') print(setUp(words.join(' '), values.listen));
  else if (words.length > 0)
    throw new UsageError(`one command at a time: ${positionals.join(' ')}`);
  else if (command === 'version') await printVersion();
  else if (values.config === undefined) throw new UsageError(`${command} needs -c FILE`);
  else return runWith(values.config, command, args);
  return 0;
}

/** Prints the help of one command, or of all. */
async function printHelp(name: string | undefined, config: string | undefined): Promise<number> {
  const own = COMMANDS.find((command) => command.name === name);
  const ofPlugins = own ? [] : await knownCommands(usualFile(config));
  const command = own ?? ofPlugins.find((one) => one.name === name);
  if (name !== undefined && !command) throw unknownCommand(name, ofPlugins);
  print(command ? commandHelp(command) : programHelp(ofPlugins));
  return 0;
}

function unknownCommand(name: string, ofPlugins: readonly { readonly name: string }[]): UsageError {
  const names = [...OWN, ...ofPlugins.map((command) => command.name)];
  return new UsageError(`unknown command '${name}'${didYouMean(name, names)}`);
}

/** Runs a command of a plugin. Its result goes to standard output, and only what went wrong to standard error. */
async function runOfPlugin(name: string, args: readonly string[], given: string | undefined) {
  const found = usualFile(given);
  if (found === undefined) {
    const known = await knownCommands(undefined);
    if (!known.some((command) => command.name === name)) throw unknownCommand(name, known);
  }
  const config = configurationFile(name, given);
  await head(config);
  return runTool({ name, config, args, console: printError, logFilter: 'warn' });
}

async function head(file: string) {
  const loaded = await loadConfig(file).catch((cause: Error) => {
    throw new UserError(`Failed to parse config: ${cause.message}`, { cause });
  });
  return loaded.head;
}

async function runWith(config: string, name: string, args: readonly string[]) {
  const { server_uuid } = await head(config);
  if (name === 'serve') await serveAndTell(config);
  else if (name === 'get-uuid') print(server_uuid);
  else return runTool({ name, config, args, console: 'stdout' });
  return name === 'serve' ? undefined : 0;
}

async function serveAndTell(config: string): Promise<void> {
  const announcement = new Announcement();
  // A service that is ready has printed it: installers read the journal then.
  const started = (app: App) => announcement.flush((lines) => welcome(app, lines));
  await serve({ config, announcement, started });
}

async function printVersion(): Promise<void> {
  print(`svc Server Version: ${VERSION}`);
  for (const name of builtInNames()) {
    const { about } = await loadPlugin(name, process.cwd());
    for (const [label, value] of Object.entries((await about?.(VERSION)) ?? {}))
      print(`${label}: ${value}`);
  }
}

/** Operators' mistakes without a stack; anything else with it, and the chain of causes. */
function explain(error: unknown): string {
  if (error instanceof UserError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by: ${explain(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}

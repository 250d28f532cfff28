import { UserError } from '@svc/plugin-sdk';
import { Announcement } from './announcement.ts';
import { configurationFile, glance, OPTIONS, parse, runTool, UsageError } from './command.ts';
import { loadConfig } from './config/load.ts';
import { EXAMINATIONS } from './doctor/index.ts';
import { newPlugin } from './new-plugin.ts';
import { builtInNames, loadPlugin } from './plugins/find.ts';
import { serve } from './serve.ts';
import { setUp } from './setup.ts';
import { print, tell } from './terminal.ts';
import { VERSION } from './version.ts';
import { welcome } from './welcome.ts';

const HELP = `Usage: svc-server <command> -c FILE

  setup DIR                 write DIR/server.toml for a server that keeps everything in DIR; with --listen IP:PORT
  serve -c FILE             run the server
  init -c FILE              open the database, migrate, create what is missing, exit
  get-uuid -c FILE          print the server's UUID as the last line
  doctor -c FILE [--json]   look for faults, and say what to do about them: exit 1 when there are any
  upgrade-check -c FILE [--json]
                            say what this version would change in configuration and database
  version                   print version lines
  new-plugin NAME           write the sources of a new plugin into ./NAME, or into --dir DIR
  <plugin command> -c FILE  commands of plugins, for example roll-super-token; without -c they take the file
                            in SVC_CONFIG, data/server.toml, or server.toml in /etc/svc or /var/lib/svc
  -h, --help                this text`;

/** The commands of configuration.md §3 talk on standard output; another one has it for the document that it prints. */
const TALKS = /^(?:serve|init|roll-super-token|get-uuid|version|new-plugin|setup|-h|--help)$/;

/** The command line (configuration.md §3). @returns the exit code; undefined while the server runs */
export async function main(args: readonly string[]): Promise<number | undefined> {
  // A reader that has left (`| head`) is no reason to fail.
  process.stdout.on('error', () => {});
  if (args.length === 0 || args.some((arg) => TALKS.test(arg))) print('Starting svc-server');
  try {
    return await run(args);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    tell(isUsage ? `${error.message}\n${HELP}` : explain(error));
    return isUsage ? 2 : 1;
  }
}

async function run(args: readonly string[]): Promise<number | undefined> {
  const asked = glance(args);
  const examination = EXAMINATIONS.get(asked.name ?? '');
  if (examination && !asked.help) return examination(args);
  if (asked.name !== undefined && !TALKS.test(asked.name) && !asked.help)
    return runOfPlugin(asked.name, args, asked.config);
  const { values, positionals } = parse(args, OPTIONS);
  const [command, ...words] = positionals;
  if (values.help || command === undefined) print(HELP);
  else if (command === 'new-plugin') print(newPlugin(words.join(' '), values.dir));
  else if (command === 'setup') print(setUp(words.join(' '), values.listen));
  else if (words.length > 0)
    throw new UsageError(`one command at a time: ${positionals.join(' ')}`);
  else if (command === 'version') await printVersion();
  else if (values.config === undefined) throw new UsageError(`${command} needs -c FILE`);
  else return runWith(values.config, command, args);
  return 0;
}

/** What was asked for is on standard output; beside it stands only what went wrong. */
async function runOfPlugin(name: string, args: readonly string[], given: string | undefined) {
  const config = configurationFile(name, given);
  await head(config);
  return runTool({ name, config, args, console: tell, logFilter: 'warn' });
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
  const app = await serve({ config, announcement });
  announcement.tell((lines) => welcome(app, lines));
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

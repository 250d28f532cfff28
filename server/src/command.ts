import { existsSync } from 'node:fs';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { App } from '@svc/kernel';
import type { Command } from '@svc/plugin-sdk';
import { Announcement } from './announcement.ts';
import { usageOf } from './help.ts';
import { commandsOf } from './plugin-commands.ts';
import { start } from './start.ts';
import { Stopping } from './stopping.ts';
import { endProgress, terminal } from './terminal.ts';
import { welcome } from './welcome.ts';

/** A wrong command line: exit 2 with the help on standard error. */
export class UsageError extends Error {}

/** Options of the program itself. */
export const OPTIONS = {
  config: { type: 'string', short: 'c' },
  dir: { type: 'string' },
  listen: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Paths at which commands of plugins find a configuration without `-c`: that of `npm start`, and those of a service. */
const USUAL_FILES = ['data/server.toml', '/etc/svc/server.toml', '/var/lib/svc/server.toml'];

/** A command that opens the configured database and its plugins without a listener. */
export interface Tool {
  readonly name: string;
  readonly config: string;
  /** The whole command line: options of a command are known once its plugin is there. */
  readonly args: readonly string[];
  readonly console: 'stdout' | ((line: string) => void);
  readonly logFilter?: string;
}

/** `-c`, `SVC_CONFIG` or a file in one of the usual places. */
export const usualFile = (given: string | undefined): string | undefined =>
  given ?? process.env['SVC_CONFIG'] ?? USUAL_FILES.find((path) => existsSync(path));

/** @throws UsageError when there is none */
export function configurationFile(command: string, given: string | undefined): string {
  const file = usualFile(given);
  if (file === undefined) throw new UsageError(`${command} needs -c FILE`);
  return file;
}

/** `init`, and the commands of plugins. @returns the exit code */
export async function runTool({ name, args, ...options }: Tool): Promise<number> {
  process.umask(0o077);
  const bare = (app: App) =>
    commandsOf(app).find(({ command }) => command.name === name)?.command.bare === true;
  const announcement = new Announcement();
  // What the start made is printed before a signal ends anything.
  const stopping = new Stopping(['SIGTERM', 'SIGINT'], announcement);
  const { early } = stopping;
  const started = start({ ...options, announcement, mode: 'tool', bare, early });
  const app = await started.catch(stopping.failed);
  announcement.flush((lines) => welcome(app, lines, false));
  try {
    if (name === 'init') return 0;
    // A command ends at a signal as it likes.
    stopping.forget();
    return await runCommand(app, name, args);
  } finally {
    endProgress();
    await app.stop('done');
  }
}

async function runCommand(app: App, name: string, args: readonly string[]): Promise<number> {
  const all = commandsOf(app);
  const { command, kernel } = all.find(({ command }) => command.name === name) ?? {};
  if (command && kernel) {
    const code = await command.run(kernel, terminal, argumentsOf(command, args));
    return typeof code === 'number' ? code : 0;
  }
  const usages = all.map(({ command }) => `  ${usageOf(command)}  ${command.summary}`).join('\n');
  throw new UsageError(`unknown command '${name}'; this server's plugins have\n${usages}`);
}

function argumentsOf(command: Command, args: readonly string[]) {
  const { values, positionals } = parse(args, { ...OPTIONS, ...command.options });
  const words = positionals.slice(1);
  const wanted = command.words?.split(' ') ?? [];
  const least = wanted.filter((word) => !word.startsWith('[')).length;
  if (words.length < least || words.length > wanted.length)
    throw new UsageError(`usage: svc-server ${usageOf(command)}`);
  return { words, values };
}

/** @throws UsageError */
export function parse<Options extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Reads a command line before its options are known. */
export function glance(args: readonly string[]) {
  const anything = { options: OPTIONS, strict: false, allowPositionals: true } as const;
  const { values, positionals } = parseArgs({ args: [...args], ...anything });
  const { config, help } = values;
  return {
    name: positionals[0],
    config: typeof config === 'string' ? config : undefined,
    help: help === true,
  };
}

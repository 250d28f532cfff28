import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ConnectionError, RpcError } from '@svc/client';
import { agents, watch } from './commands/agents.ts';
import { ack, alerts } from './commands/alerts.ts';
import { complete, completion } from './commands/completion.ts';
import { call, kv, login, logs } from './commands/data.ts';
import { monitors } from './commands/monitors.ts';
import { shell } from './commands/shell.ts';
import { silence } from './commands/silence.ts';
import { run } from './commands/task.ts';
import { worker } from './commands/worker.ts';
import { faultOf, HELP } from './help.ts';
import { Complaint, type Surroundings } from './io.ts';
import { printTo } from './output.ts';
import { type Flags, Session } from './session.ts';
import { howToAllow, kindOf } from './task-kinds.ts';
import { clean, shown } from './text.ts';

/** One command; a number is the exit code. */
type Command = (session: Session) => Promise<unknown>;

export const COMMANDS: Readonly<Record<string, Command>> = {
  login,
  agents,
  watch,
  run,
  sh: shell,
  call,
  kv,
  worker,
  alerts,
  ack,
  silence,
  monitors,
  logs,
  completion,
  complete,
};

/** Runs one command. @returns the exit code: 1 for a failure, 2 for a wrong command line */
export async function main(args: readonly string[], io: Surroundings): Promise<number> {
  // A reader that has left (`| head`) is no reason to fail, and no reason to go on.
  const left = new Promise<number>((done) => io.stdout.on('error', () => done(0)));
  try {
    return await runCommand(args, io, left);
  } catch (error) {
    printTo(io.stderr, `svc: ${shown(explain(error, args))}\n`);
    return error instanceof Complaint ? error.exit : 1;
  }
}

async function runCommand(
  args: readonly string[],
  io: Surroundings,
  left: Promise<number>,
): Promise<number> {
  const { words, flags, isHelp, isVersion, ahead } = parse(args);
  const [name, ...rest] = words;
  if (isVersion) printTo(io.stdout, `${version()}\n`);
  if (isVersion) return 0;
  if (isHelp || name === undefined) {
    printTo(isHelp ? io.stdout : io.stderr, HELP);
    return isHelp ? 0 : 2;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) throw new Complaint(`no command '${name}'; svc --help lists them`, 2);
  const wrong = faultOf(name, rest, ahead - 1);
  if (wrong !== undefined) throw new Complaint(wrong, 2);
  const session = new Session(io, flags, rest);
  try {
    const code = await Promise.race([command(session), left]);
    return typeof code === 'number' ? code : 0;
  } finally {
    session.close();
  }
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

const OPTIONS = {
  json: flag,
  server: text,
  name: text,
  params: text,
  route: text,
  env: text,
  state: text,
  group: text,
  tag: text,
  as: text,
  monitor: flag,
  'dry-run': flag,
  prune: flag,
  secrets: flag,
  timeout: text,
  count: { ...text, short: 'n' },
  follow: { ...flag, short: 'f' },
  help: { ...flag, short: 'h' },
  version: flag,
} as const;

/** `ahead`: how many words stand before `--`. @throws Complaint for unknown options */
function parse(args: readonly string[]) {
  try {
    const given = {
      args: [...args],
      options: OPTIONS,
      allowPositionals: true,
      tokens: true,
    } as const;
    const { values, positionals, tokens } = parseArgs(given);
    const end = tokens.findIndex(({ kind }) => kind === 'option-terminator');
    const before = end < 0 ? tokens : tokens.slice(0, end);
    const ahead = before.filter(({ kind }) => kind === 'positional').length;
    const {
      json = false,
      follow = false,
      help = false,
      prune = false,
      secrets = false,
      monitor = false,
      server,
      name,
      params,
      route,
      env,
      state,
      group,
      tag,
    } = values;
    const count = numberOf('-n', values.count);
    const timeout_s = numberOf('--timeout', values.timeout);
    const as = handlerOf(values.as);
    const dryRun = values['dry-run'] ?? false;
    const flags = {
      json,
      follow,
      dryRun,
      prune,
      secrets,
      monitor,
      server,
      name,
      params,
      route,
      env,
      state,
      group,
      tag,
      as,
      count,
      timeout_s,
    };
    const isHelp = help || positionals[0] === 'help';
    const isVersion = values.version ?? false;
    return { words: positionals, flags, isHelp, isVersion, ahead };
  } catch (error) {
    if (error instanceof Complaint) throw error;
    const [reason = ''] = (error as Error).message.split('. To specify');
    throw new Complaint(`${reason}; svc --help lists the options`, 2);
  }
}

function numberOf(name: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given);
  throw new Complaint(`${name} '${given}': give a whole number from 1`, 2);
}

function handlerOf(given: string | undefined): Flags['as'] {
  if (given === undefined || given === 'call' || given === 'cron') return given;
  throw new Complaint(`--as '${given}': call or cron`, 2);
}

/** Plugins that a command cannot do without. */
const PLUGINS: Readonly<Record<string, string>> = {
  agents: 'agent and agent-uuid',
  watch: 'agent',
  run: 'task',
  sh: 'task and terminal',
  kv: 'kv',
  worker: 'js-worker',
  alerts: 'alert',
  ack: 'alert',
  silence: 'alert',
  monitors: 'monitor',
  logs: 'server-info',
  complete: 'discovery',
};

/** One sentence with what to change. */
function explain(error: unknown, args: readonly string[]): string {
  if (error instanceof RpcError) return refusal(error, args);
  if (!(error instanceof ConnectionError)) return (error as Error).message;
  if (/wrong version number|packet length/.test(error.message))
    return 'that address speaks no TLS: write http: in place of https:';
  const reason = clean(error.message).trim();
  if (error.status !== undefined) return `that is no server of svc: ${reason}`;
  return `no answer from the server: ${reason}`;
}

function refusal(error: RpcError, args: readonly string[]): string {
  const command = args.find((word) => Object.hasOwn(PLUGINS, word)) ?? '';
  const plugin = PLUGINS[command];
  if (error.code === -32601 && plugin !== undefined)
    return `this server cannot do that: it runs without the plugin ${plugin}`;
  const reason = detailOf(error);
  const help = error.code === -32601 ? '; svc call rpc.discover lists the methods' : '';
  const message = error.message.replace(/^(Permission denied: )Permission [dD]enied: /, '$1');
  const refused = clean(`the server refuses (${error.code}): ${message}${reason}${help}`);
  return `${refused}${error.code === 104 ? absenceHelp(error, command) : ''}`;
}

/** Advice about an agent that takes no tasks now (task.md §4.3). */
function absenceHelp({ data }: RpcError, command: string): string {
  const kind = kindOf(command);
  if (data === 'offline') return '; an agent that is just starting again is back within seconds';
  return kind !== undefined && data !== undefined ? `; ${howToAllow(kind)}` : '';
}

/** The `data` of an error, where it tells more than the message; some methods repeat that there. */
function detailOf({ data, message }: RpcError): string {
  if (data === undefined || data === null) return '';
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return message.includes(text) || text.includes(JSON.stringify(message)) ? '' : `: ${text}`;
}

function version(): string {
  const file = new URL('../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

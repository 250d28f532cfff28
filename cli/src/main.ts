import { parseArgs } from 'node:util';
import { ConnectionError, RpcError } from '@svc/client';
import { agents, watch } from './commands/agents.ts';
import { complete, completion } from './commands/completion.ts';
import { call, kv, login, logs } from './commands/data.ts';
import { shell } from './commands/shell.ts';
import { run } from './commands/task.ts';
import { worker } from './commands/worker.ts';
import { Complaint, type Surroundings } from './io.ts';
import { type Flags, Session } from './session.ts';
import { clean } from './table.ts';

const HELP = `svc talks to a server that supervises machines.

  svc login URL                     asks for a credential and keeps it for this user
  svc agents                        the machines, and how they are
  svc watch AGENT                   a line for each report
  svc run AGENT -- CMD ARGS…        runs a command there and prints what it printed
  svc sh AGENT                      a terminal there; Ctrl-] leaves it
  svc call METHOD key=value…        any method; a value is JSON, or else text
  svc call -f METHOD key=value…     the items of a stream, one a line
  svc kv get NAMESPACE KEY          a value
  svc kv set NAMESPACE KEY VALUE    stores one; - reads it from standard input
  svc worker deploy FILE            stores a script under the name of its file
  svc worker dev FILE               stores and runs it on every save
  svc worker types                  types for scripts, for a file svc.d.ts beside them
  svc logs [-f]                     the server's log, and with -f what comes
  svc completion bash|zsh           completion of commands, agents, methods and parameters

AGENT is a UUID, the beginning of one, or a name.

  --json             JSON instead of tables, one value a line
  --server URL       another server than that of the last login
  --name NAME        worker: instead of the file's name
  --route NAME       worker: its path, /svc/worker-route/NAME
  --env FILE         worker: a file of JSON that its handlers get as env
  --params JSON      worker dev: what the handler gets
  --as call|cron     worker dev: which handler runs; onCall by default
  --timeout SECONDS  the longest wait for an answer
  -n COUNT           watch, logs, call -f, worker dev: so many, then end
  -h, --help         this text

Credentials are kept in svc/credentials.json below $XDG_CONFIG_HOME or ~/.config, readable by you alone.
`;

const COMMANDS: Readonly<Record<string, (session: Session) => Promise<void>>> = {
  login,
  agents,
  watch,
  run,
  sh: shell,
  call,
  kv,
  worker,
  logs,
  completion,
  complete,
};

/** Runs one command. @returns the exit code: 1 for a failure, 2 for a wrong command line */
export async function main(args: readonly string[], io: Surroundings): Promise<number> {
  // A reader that has left (`| head`) is no reason to fail.
  io.stdout.on('error', () => {});
  try {
    return await runCommand(args, io);
  } catch (error) {
    io.stderr.write(`svc: ${explain(error)}\n`);
    return error instanceof Complaint ? error.exit : 1;
  }
}

async function runCommand(args: readonly string[], io: Surroundings): Promise<number> {
  const { words, flags, isHelp } = parse(args);
  const [name, ...rest] = words;
  if (isHelp || name === undefined) {
    (isHelp ? io.stdout : io.stderr).write(HELP);
    return isHelp ? 0 : 2;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) throw new Complaint(`no command '${name}'; svc --help lists them`, 2);
  const session = new Session(io, flags, rest);
  try {
    await command(session);
    return 0;
  } finally {
    session.close();
  }
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

/** @throws Complaint for unknown options */
function parse(args: readonly string[]): { words: string[]; flags: Flags; isHelp: boolean } {
  const options = {
    json: flag,
    server: text,
    name: text,
    params: text,
    route: text,
    env: text,
    as: text,
    timeout: text,
    count: { ...text, short: 'n' },
    follow: { ...flag, short: 'f' },
    help: { ...flag, short: 'h' },
  };
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const { json = false, follow = false, help = false, server, name, params, route, env } = values;
    const count = numberOf('-n', values.count);
    const timeout_s = numberOf('--timeout', values.timeout);
    const as = handlerOf(values.as);
    const flags = { json, follow, server, name, params, route, env, as, count, timeout_s };
    return { words: positionals, flags, isHelp: help };
  } catch (error) {
    if (error instanceof Complaint) throw error;
    throw new Complaint((error as Error).message, 2);
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

/** One sentence with what to change. */
function explain(error: unknown): string {
  if (error instanceof RpcError) {
    const reason = typeof error.data === 'string' && error.code < 0 ? `: ${error.data}` : '';
    const help = error.code === -32601 ? '; svc call rpc.discover lists the methods' : '';
    return clean(`the server refuses (${error.code}): ${error.message}${reason}${help}`);
  }
  if (error instanceof ConnectionError) return `no answer from the server: ${error.message}`;
  return (error as Error).message;
}

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '../ports.ts';

/** One server program in a process of its own. */
export interface ServerProcess {
  readonly child: ChildProcess;
  /** From spawn to the first answered call. */
  readonly startup_ms: number;
  /** Everything printed so far. */
  output(): string;
  /** Sends the signal and waits for the end; after 30 s it kills and throws, and after a call that held the server up it throws. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: string | null }>;
}

/** Files and address of one server; survives its processes. */
export interface Site {
  readonly dir: string;
  readonly config: string;
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  remove(): void;
}

const repository = resolve(import.meta.dirname, '../..');

/** The built program when there is one, else the sources. */
export function serverCommand(): string[] {
  const built = join(repository, 'dist', 'svc-server.js');
  return [existsSync(built) ? built : join(repository, 'server', 'bin', 'svc-server.js')];
}

/** A temporary directory with a configuration file for `database_url` (`{dir}` in it stands for the directory). */
export async function makeSite(database_url: string, head = '', tables = ''): Promise<Site> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-process-'));
  const port = await freePort();
  const config = join(dir, 'server.toml');
  mkdirSync(join(dir, 'static'));
  const text = [
    `ws_listener = "127.0.0.1:${port}"`,
    'server_uuid = "auto_gen"',
    head,
    '[database]',
    `database_url = ${JSON.stringify(database_url.replace('{dir}', dir))}`,
    // A test may ask for much at once, and the machine be busy.
    'connect_timeout_ms = 30_000',
    'acquire_timeout_ms = 30_000',
    tables,
    '',
  ].join('\n');
  writeFileSync(config, text);
  const remove = () => rmSync(dir, { recursive: true, force: true });
  return { dir, config, url: `http://127.0.0.1:${port}`, remove };
}

/**
 * Starts `serve` and waits until it answers, and for what it prints by then unless `quiet`.
 * @throws Error with the output when it ends or takes longer than 60 s
 */
export async function startServer(
  site: Site,
  options: {
    nodeArgs?: readonly string[];
    /** Path of another `svc-server` than that of the repository. */
    program?: string;
    /** In the place of this process's. */
    env?: NodeJS.ProcessEnv;
    ipc?: boolean;
    hello?: string;
    quiet?: boolean;
    /** The test is about calls that hold the server up. */
    mayHold?: boolean;
  } = {},
): Promise<ServerProcess> {
  const { nodeArgs = [], program } = options;
  const command = program === undefined ? serverCommand() : [program];
  const args = [...nodeArgs, ...command, 'serve', '-c', site.config];
  const begun = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: site.dir,
    env: options.env ?? process.env,
    stdio: ['ignore', 'pipe', 'pipe', ...(options.ipc ? (['ipc'] as const) : [])],
  });
  killAtExit(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-200_000);
    });
  }
  const closed = new Promise<{ code: number | null; signal: string | null }>((done) => {
    child.on('close', (code, signal) => done({ code, signal }));
  });
  const server = {
    child,
    output: () => output,
    end: async (signal: NodeJS.Signals) => {
      const status = await endProcess(child, closed, signal);
      // As in a test server of this process; the log says it once a minute.
      const held = /^.*a call held the server up.*$/m.exec(output)?.[0];
      if (held !== undefined && !options.mayHold) throw new Error(held);
      return status;
    },
  };
  const hello = options.hello ?? 'svc-server_hello';
  await untilAnswering(() => answers(site.url, hello), child, server.output);
  const startup_ms = performance.now() - begun;
  if (!options.quiet) await untilPrinted(server.output);
  return { ...server, startup_ms };
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A failed test leaves no process behind. */
export function killAtExit(child: ChildProcess): void {
  running.add(child);
  child.on('close', () => running.delete(child));
}

async function endProcess<T>(child: ChildProcess, closed: Promise<T>, signal: NodeJS.Signals) {
  child.kill(signal);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill('SIGKILL');
  }, 30_000);
  const status = await closed;
  clearTimeout(timer);
  if (late) throw new Error(`the server had not ended 30 s after ${signal}`);
  return status;
}

async function untilAnswering(
  answering: () => Promise<boolean>,
  child: ChildProcess,
  output: () => string,
) {
  const deadline = Date.now() + 60_000;
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`the server ended with ${child.exitCode ?? child.signalCode}:\n${output()}`);
    }
    if (await answering()) return;
    if (Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`the server does not answer:\n${output()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/**
 * Waits for what a start prints: lines from before the first answer may arrive after it, and a first start prints its
 * credentials when it is over. A later start with few logs prints nothing.
 */
async function untilPrinted(output: () => string): Promise<void> {
  const isPrinted = (text: string) =>
    /Root Password: \S+$/m.test(text) || (/listening/.test(text) && !/first start:/.test(text));
  for (let n = 0; n < 300 && !isPrinted(output()); n++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function answers(url: string, hello: string): Promise<boolean> {
  try {
    const answer = await rpc(url, hello, {}, `/${hello.replace(/-server_hello$/, '')}/rpc`);
    return 'result' in answer;
  } catch (error) {
    // Refused or reset: not listening yet. Anything else is a finding.
    if (error instanceof TypeError && error.message === 'fetch failed') return false;
    throw error;
  }
}

/** One call over POST, as the response object. */
export async function rpc(
  url: string,
  method: string,
  params: unknown,
  path = '/svc/rpc',
): Promise<any> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(30_000),
  });
  return response.json();
}

/** `key:secret` that a first start printed. */
export function superToken(output: string): string {
  const token = /Super Token: (\S+)$/m.exec(output)?.[1];
  if (!token) throw new Error(`no Super Token in the output:\n${output}`);
  return token;
}

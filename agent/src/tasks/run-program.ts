import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Clock } from '../clock.ts';
import { signalGroup } from '../process-group.ts';
import type { CapturedOutput } from './captured-output.ts';

/** Longest run of a program: then TERM, and KILL 2 s later (clients.md §2.8, task.md §6). */
const LIMIT_MS = 60_000;
const GRACE_MS = 2000;
/** Time between TERM and KILL when the agent stops, which leaves less time. */
const STOPPING_GRACE_MS = 500;
/** Wait for the rest of the output after the end: a program left in the background may keep the pipes open. */
const PIPES_MS = 1000;

export interface ProgramOptions {
  readonly cmd: string;
  readonly args: readonly string[];
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
  readonly clock: Clock;
}

export interface Ending {
  readonly code: number | null;
  readonly killed_by: NodeJS.Signals | null;
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

/**
 * Runs a program in a process group of its own until it ends.
 * @throws Error when it cannot be started, and when it was ended by its limit or by the signal
 */
export async function runProgram(options: ProgramOptions, signal: AbortSignal): Promise<Ending> {
  const { cmd, args, stdout, stderr, clock } = options;
  signal.throwIfAborted();
  const child = spawn(cmd, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  child.stdout.on('data', (chunk: Buffer) => stdout.add(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.add(chunk));
  const ended = endOf(child, cmd, clock);
  const stopper = new Stopper(child, clock);
  const onAbort = () => stopper.stop(signal.reason, STOPPING_GRACE_MS);
  signal.addEventListener('abort', onAbort);
  const late = new Error(`the command ran longer than ${LIMIT_MS / 1000} s and was ended`);
  const cancel = clock.after('execute', LIMIT_MS, () => stopper.stop(late, GRACE_MS));
  try {
    const ending = await ended;
    if (stopper.reason !== undefined) throw stopper.reason;
    return ending;
  } finally {
    cancel();
    stopper.close();
    signal.removeEventListener('abort', onAbort);
  }
}

/** Ends a program: TERM to its group, KILL after a grace. */
class Stopper {
  reason: unknown;
  readonly #child: Child;
  readonly #clock: Clock;
  #cancel = () => {};

  constructor(child: Child, clock: Clock) {
    this.#child = child;
    this.#clock = clock;
    // The rest of the process group ends with the program.
    child.once('exit', () => {
      if (this.reason !== undefined && child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
    });
  }

  stop(reason: unknown, grace_ms: number): void {
    this.reason ??= reason;
    this.#cancel();
    this.#signal('SIGTERM');
    this.#cancel = this.#clock.after('execute kill', grace_ms, () => this.#signal('SIGKILL'));
  }

  close(): void {
    this.#cancel();
  }

  #signal(name: 'SIGTERM' | 'SIGKILL'): void {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid !== undefined && exitCode === null && signalCode === null) signalGroup(pid, name);
  }
}

/** Resolves when the program has ended and its output has been read. */
function endOf(child: Child, cmd: string, clock: Clock): Promise<Ending> {
  return new Promise((resolve, reject) => {
    let cancel = () => {};
    child.once('error', (error: NodeJS.ErrnoException) => {
      reject(new Error(`cannot start ${cmd}: ${error.code ?? error.message}`));
    });
    child.once('exit', () => {
      cancel = clock.after('execute pipes', PIPES_MS, () => {
        child.stdout.destroy();
        child.stderr.destroy();
      });
    });
    child.once('close', (code, killed_by) => {
      cancel();
      resolve({ code, killed_by });
    });
  });
}

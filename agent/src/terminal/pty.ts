import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** The part of the package `@lydell/node-pty` that is used here; the package itself is optional. */
export interface Pty {
  /** Leads a session and a process group of its own. */
  readonly pid: number;
  /** The terminal's side that is not the program's; not on Windows. */
  readonly fd?: number;
  /** Path of the program's side. */
  readonly ptsName?: string;
  write(data: Buffer): void;
  resize(cols: number, rows: number): void;
  pause(): void;
  resume(): void;
  onData(listen: (data: Buffer) => void): unknown;
  onExit(listen: () => void): unknown;
  on(event: 'error', listen: (error: Error) => void): void;
}

interface PtyModule {
  spawn(file: string, args: string[], options: Record<string, unknown>): Pty;
}

/** A name in a variable: the compiler need not find the package. */
const PACKAGE: string = '@lydell/node-pty';

/**
 * Loads the package.
 * @throws Error when it is not installed, or has no binary for this machine
 */
export async function loadPty(name: string = PACKAGE): Promise<PtyModule> {
  try {
    const loaded = (await import(name)) as PtyModule & { default?: PtyModule };
    return loaded.default ?? loaded;
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw new Error(`web_shell needs the optional package ${name}: ${reason}`);
  }
}

/** Starts a shell in a terminal of 24 rows and 80 columns, in the home directory (clients.md §2.9). */
export function openPty(module: PtyModule, shell: string, home: string): Pty {
  const options = {
    name: 'xterm-256color',
    cols: 80,
    rows: 24,
    cwd: home,
    env: { ...process.env },
  };
  const pty = module.spawn(shell, [], { ...options, encoding: null });
  // Without a listener the package throws from a handler of its own; a broken terminal also ends.
  pty.on('error', () => {});
  void keepUntilExit(pty);
  return pty;
}

/**
 * Holds the program's side of the terminal open until the package has noticed the shell's end. Without it the
 * hang-up arrives together with the last output, and Node takes the first short read after it for the end.
 */
async function keepUntilExit(pty: Pty): Promise<void> {
  const exited = new Promise<void>((resolve) => pty.onExit(resolve));
  if (pty.ptsName === undefined) return;
  try {
    const handle = await open(pty.ptsName, constants.O_RDWR | constants.O_NOCTTY);
    await exited;
    await handle.close();
  } catch {
    // The shell had ended before: there is no output to keep.
  }
}

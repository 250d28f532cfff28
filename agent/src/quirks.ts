/**
 * Parts of `@lydell/node-pty` that the agent uses although the package does not declare them.
 * `test/agent-program-quirks.test.ts` fails when a new version of the package changes one of these points.
 */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Pty } from '@lydell/node-pty';

/** Members that the package's types do not declare. On Windows `fd` and `ptsName` are absent. */
interface Undeclared {
  readonly fd?: number;
  readonly ptsName?: string;
  on(event: 'error', listen: (error: Error) => void): void;
}

const undeclared = (pty: Pty): Undeclared => pty as unknown as Undeclared;

/** The file descriptor that carries the input of the terminal; undefined on Windows. */
export const inputDescriptor = (pty: Pty): number | undefined => undeclared(pty).fd;

/**
 * Keeps a broken terminal from ending the process. Without an `error` listener the package throws the error from a
 * listener of its own. The terminal still ends: `onExit` reports it.
 */
export const ignoreReadErrors = (pty: Pty): void => undeclared(pty).on('error', () => {});

/**
 * Holds the shell's side of the terminal open until the package has reported the shell's exit. Without this the
 * hang-up arrives together with the last output, and Node takes the next short read for the end: output is lost.
 */
export async function keepOutputUntilExit(pty: Pty): Promise<void> {
  const exited = new Promise<void>((resolve) => pty.onExit(() => resolve()));
  const path = undeclared(pty).ptsName;
  if (path === undefined) return;
  try {
    const handle = await open(path, constants.O_RDWR | constants.O_NOCTTY);
    await exited;
    await handle.close();
  } catch {
    // The shell ended before the path was opened, so there is no output left to keep.
  }
}

import type { Pty, PtyModule } from '@lydell/node-pty';
import { ignoreReadErrors, keepOutputUntilExit } from '../quirks.ts';

const PACKAGE = '@lydell/node-pty';
/** Addon of the package for this platform. The agent as one file has the package inside, and this part next to it. */
const ADDON = `${PACKAGE}-${process.platform}-${process.arch}/pty.node`;

/** Tells whether the package is installed, without loading it: an agent that opens no terminal needs no addon. */
export const hasPty = (): boolean => [PACKAGE, ADDON].some(isInstalled);

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * Loads the package at the first call.
 * @throws Error when the package is not installed, or has no binary for this machine
 */
export async function loadPty(): Promise<PtyModule> {
  try {
    return (await import('@lydell/node-pty')).default;
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw new Error(`web_shell needs the optional package ${PACKAGE}: ${reason}`);
  }
}

/**
 * The agent's environment, with a locale of UTF-8 where it names none, as under a service: without one a shell and its
 * programs take each byte of an umlaut for a character.
 */
export function shellEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (env['LC_ALL'] || env['LC_CTYPE'] || env['LANG']) return { ...env };
  return { ...env, LANG: process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8' };
}

/** Starts a shell in a terminal of 24 rows and 80 columns, in the directory `home` (clients.md §2.9). */
export function openPty(module: PtyModule, shell: string, home: string): Pty {
  const pty = module.spawn(shell, [], {
    name: 'xterm-256color',
    cols: 80,
    rows: 24,
    cwd: home,
    env: shellEnvironment(process.env),
    encoding: null,
  });
  ignoreReadErrors(pty);
  void keepOutputUntilExit(pty);
  return pty;
}

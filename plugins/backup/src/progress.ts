import { UserError } from '@svc/plugin-sdk';
import type { CommandTerminal } from '@svc/plugin-sdk/kernel';

/** Lines of progress come no closer than this, ms. */
const PROGRESS_MS = 200;

/** Shows how far the work is. @returns a function that throws once the signal has come */
export function progressOn(terminal: CommandTerminal, signal: AbortSignal): (line: string) => void {
  let next = 0;
  return (line) => {
    if (signal.aborted) throw new UserError('interrupted; what was begun is removed');
    const now = performance.now();
    // No one reads a log of lines while it grows.
    if (now < next || !process.stderr.isTTY) return;
    next = now + PROGRESS_MS;
    terminal.progress(line);
  };
}

/** Aborts at the first SIGINT or SIGTERM while `work` runs. */
export async function untilSignalled<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const end = () => controller.abort();
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const name of signals) process.on(name, end);
  try {
    return await work(controller.signal);
  } finally {
    for (const name of signals) process.off(name, end);
  }
}

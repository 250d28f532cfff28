import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { UserError } from '@svc/plugin-sdk';
import { backupsIn } from './reader.ts';

const UNITS: Readonly<Record<string, number>> = { s: 1e3, m: 60e3, h: 3_600e3, d: 86_400e3 };
/** A timer counts no further. */
const MAX_MS = 2 ** 31 - 1;
/** Age from which a file that ends in `.unfinished` was left by a program that was killed. */
const LEFT_MS = 86_400e3;

/** `30m`, `12h`, `1d` as ms. @throws UserError */
export function period(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS[unit] ?? 0);
  if (ms > 0 && ms <= MAX_MS) return ms;
  throw new UserError(`--every: write a time of at most 24 days as 30m, 12h or 1d, not '${text}'`);
}

/** A number of backups. @throws UserError */
export function keepCount(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new UserError(`--keep: write how many backups stay, at least 1, not '${text}'`);
}

/** Removes the oldest backups of a folder until so many are left, and what killed programs have left. */
export async function prune(folder: string, keep: number, now: number): Promise<string[]> {
  const old = (await backupsIn(folder)).slice(0, -keep);
  for (const name of old) {
    const path = join(folder, name);
    // A backup that is removed in part never looks like a whole one.
    await rename(path, `${path}.unfinished`);
    await rm(`${path}.unfinished`, { recursive: true });
  }
  for (const name of await readdir(folder)) {
    if (!/^backup-.*\.unfinished$/.test(name)) continue;
    const path = join(folder, name);
    if ((await stat(path)).mtimeMs < now - LEFT_MS)
      await rm(path, { recursive: true, force: true });
  }
  return old;
}

/** Runs `work` now and then once in each period, until the signal; a failure is told and does not end it. */
export async function repeat(
  every_ms: number,
  signal: AbortSignal,
  work: () => Promise<void>,
  failed: (error: unknown) => void,
): Promise<void> {
  while (!signal.aborted) {
    const began = performance.now();
    await work().catch((error: unknown) => {
      if (!signal.aborted) failed(error);
    });
    const left = Math.max(0, began + every_ms - performance.now());
    await pause(left, undefined, { signal }).catch(() => 'the signal ends the wait, and the loop');
  }
}

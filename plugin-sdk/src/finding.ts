import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Logger } from './log.ts';

/** Parts of an installation that `doctor` looks at, in the order in which it tells of them. */
export const EXAMINED = [
  'configuration',
  'listeners',
  'proxies',
  'permissions',
  'disk',
  'clock',
  'database',
  'migrations',
  'servers',
  'agents',
] as const;
export type Area = (typeof EXAMINED)[number];

/** One thing that `doctor` saw. */
export interface Finding {
  readonly area: Area;
  /** `problem`: something fails now, or at the next start. `advice`: it works, and the operator should look. */
  readonly level: 'ok' | 'advice' | 'problem';
  /** A sentence: what was seen, with its value. */
  readonly message: string;
  /** A sentence: what to change. */
  readonly advice?: string | undefined;
}

/** Makes a finding. */
export const finding = (
  area: Area,
  level: Finding['level'],
  message: string,
  advice?: string,
): Finding => ({ area, level, message, advice });

const LITTLE_BYTES = 64 * 2 ** 20;
const SCARCE_BYTES = 2 * 2 ** 30;
const SCARCE_PART = 0.1;

/**
 * Examines whether this program may write into a configured folder, and what room its disk has. One that is missing is made
 * in the nearest that is there.
 */
export function examineFolder(key: string, folder: string): Finding[] {
  let place = resolve(folder);
  while (!existsSync(place)) place = dirname(place);
  const found = [freeRoom(key, place)];
  try {
    if (!statSync(place).isDirectory()) throw new Error('it is no folder');
    accessSync(place, constants.W_OK | constants.X_OK);
  } catch (error) {
    const message = `${key}: nothing can be written into ${place}: ${(error as Error).message}.`;
    const advice = 'Give the folder to the user of the service (chown), or name another one.';
    found.push(finding('permissions', 'problem', message, advice));
  }
  return found;
}

/** One line for the log where this program cannot write into a configured folder: what fails later is told at the start. */
export function warnOfFolder(log: Logger, key: string, folder: string): void {
  const isFault = ({ area, level }: Finding) => area === 'permissions' && level === 'problem';
  for (const { message, advice } of examineFolder(key, folder).filter(isFault))
    log.warn(`${message} ${advice}`);
}

function freeRoom(key: string, place: string): Finding {
  const { bavail, blocks, bsize } = statfsSync(place);
  const free = bavail * bsize;
  const message = `${key}: ${sizeText(free)} of ${sizeText(blocks * bsize)} are free on the disk of ${place}.`;
  const isScarce = free < SCARCE_BYTES && free < blocks * bsize * SCARCE_PART;
  const level = free < LITTLE_BYTES ? 'problem' : isScarce ? 'advice' : 'ok';
  const advice = 'Free some room, or move the folder to a larger disk.';
  return finding('disk', level, message, level === 'ok' ? undefined : advice);
}

/** `1.3 GB` */
export function sizeText(bytes: number): string {
  const power = Math.min(4, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const number = bytes / 1000 ** power;
  return `${number.toFixed(power > 0 && number < 100 ? 1 : 0)} ${' kMGT'[power]?.trim()}B`;
}

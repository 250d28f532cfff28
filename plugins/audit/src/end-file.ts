import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '@svc/plugin-sdk/util';
import type { SignedMark } from './entry.ts';

/** Rows that the database had, by the file, and has no more. */
export interface Break {
  /** Time of the finding, Unix ms. */
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** End of the chain as the file holds it. */
export interface Kept {
  readonly chain: string;
  readonly end: SignedMark;
  /** Oldest first, until the operator accepts them. */
  readonly breaks: readonly Break[];
  /** Unix ms of a start that did not find the file; 0: none. */
  readonly lost_at: number;
}

/** Most entries; older ones are merged, so that the file stays small. */
const MOST_BREAKS = 50;

/** @returns undefined where there is no file @throws Error for one that holds no end */
export async function readEnd(path: string): Promise<Kept | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  const { chain, end, breaks, lost_at } = JSON.parse(text) as Kept;
  if (typeof chain !== 'string' || !Number.isSafeInteger(end?.seq) || !Array.isArray(breaks))
    throw new Error('it holds no end of a chain');
  return { chain, end, breaks, lost_at: Number(lost_at) || 0 };
}

/** Replaces the file atomically: after a crash one of both is there, complete. */
export async function writeEnd(path: string, kept: Kept): Promise<void> {
  const breaks = boundedBreaks(kept.breaks);
  const unfinished = `${path}.${process.pid}.new`;
  const file = await open(unfinished, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify({ ...kept, breaks })}\n`);
    await file.datasync();
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
  await syncFolder(dirname(path));
}

/** Syncs the folder, which makes a rename durable; Windows has no such call. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function boundedBreaks(breaks: readonly Break[]): readonly Break[] {
  const over = breaks.length - MOST_BREAKS;
  const [first] = breaks;
  if (over <= 0 || !first) return breaks;
  const old = breaks.slice(0, over + 1);
  const from = Math.min(...old.map((one) => one.from));
  const to = Math.max(...old.map((one) => one.to));
  return [{ at: first.at, from, to }, ...breaks.slice(over + 1)];
}

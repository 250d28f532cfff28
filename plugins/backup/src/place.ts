import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '@svc/plugin-sdk';
import { backupsIn, openBackup } from './reader.ts';
import { unlessGone } from './unless-gone.ts';
import { type Writer, writeFileBackup, writeFolderBackup } from './writer.ts';

/** Destination of the next backup. */
export interface Place {
  readonly path: string;
  readonly writer: Writer;
}

/** `target` itself, or a new backup in it when it is a folder or ends in a slash. @throws UserError for a file that is there */
export async function placeFor(target: string, now: number): Promise<Place> {
  const found = await unlessGone(stat(target));
  if (!target.endsWith('/') && !found?.isDirectory()) {
    if (found) throw new UserError(`${target} is there already: name another file, or a folder`);
    return { path: target, writer: await writeFileBackup(target) };
  }
  await mkdir(target, { recursive: true, mode: 0o700 });
  const path = join(target, `backup-${new Date(now).toISOString().replaceAll(':', '-')}`);
  const former = (await backupsIn(target)).at(-1);
  if (former === undefined) return { path, writer: await writeFolderBackup(path) };
  const folder = join(target, former);
  const { manifest, close } = await openBackup(folder);
  await close();
  return { path, writer: await writeFolderBackup(path, { folder, parts: manifest.parts }) };
}

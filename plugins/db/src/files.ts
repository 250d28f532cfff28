import { access, rename, rm } from 'node:fs/promises';
import { type Logger, RpcError } from '@svc/plugin-sdk';
import { SIDE_FILES } from './names.ts';

/**
 * Renames a database that is closed. A missing file is no failure: it is made by the next use.
 * @throws RpcError 101 when the file cannot be renamed, or the new name belongs to some file; nothing is moved then
 */
export async function moveFiles(from: string, to: string, log: Logger): Promise<void> {
  try {
    if (await exists(to)) throw new Error('a file of that name exists');
    for (const side of SIDE_FILES) await moveIfThere(`${from}${side}`, `${to}${side}`);
    await moveIfThere(from, to);
  } catch (error) {
    for (const side of SIDE_FILES) {
      await moveIfThere(`${to}${side}`, `${from}${side}`).catch((undo: unknown) =>
        log.error('a file beside a database could not be moved back', { file: from, error: undo }),
      );
    }
    // The path stays with the operator.
    const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    throw RpcError.io(`Failed to rename db file: ${reason}`, { cause: error });
  }
}

/** True when a closed database has changes beside it: a process was ended by force. */
export const hasLog = (file: string): Promise<boolean> => exists(`${file}-wal`);

/** Deletes a database that is closed; what cannot be deleted is logged. */
export async function removeFiles(file: string, log: Logger): Promise<void> {
  for (const path of [file, ...SIDE_FILES.map((side) => `${file}${side}`)]) {
    await rm(path, { force: true }).catch((error: unknown) =>
      log.warn('a file of a deleted database could not be deleted', { file: path, error }),
    );
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function moveIfThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

const isMissing = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';

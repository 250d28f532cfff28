import { link, rename, rm, stat } from 'node:fs/promises';
import { type Logger, RpcError } from '@svc/plugin-sdk';
import { SIDE_FILES } from './names.ts';

/** A move that is not final yet: the caller calls one of both. */
export interface Move {
  /** The registry has the new name: the old name is dropped. */
  finish(): Promise<void>;
  /** The registry keeps the old name. */
  undo(): Promise<void>;
}

/**
 * Gives the file of a closed database a second name: whichever name the registry holds after a crash leads to it.
 * A missing file is not an error: the next use makes it.
 * @throws RpcError 101 when the file cannot be renamed, or a file has the new name; nothing is moved then
 */
export async function moveFiles(from: string, to: string, log: Logger): Promise<Move> {
  const logged = (message: string, work: () => Promise<void>) =>
    work().catch((error: unknown) => log.error(message, { file: from, error }));
  const sidesBack = () =>
    logged('a file beside a database could not be moved back', async () => {
      for (const side of SIDE_FILES) await moveIfThere(`${to}${side}`, `${from}${side}`);
    });
  try {
    if ((await exists(to)) && !(await isSameFile(from, to))) {
      throw new Error('a file of that name exists');
    }
  } catch (error) {
    throw notRenamed(error);
  }
  try {
    for (const side of SIDE_FILES) await moveOver(`${from}${side}`, `${to}${side}`);
    await linkOrMove(from, to);
  } catch (error) {
    await sidesBack();
    throw notRenamed(error);
  }
  return {
    finish: () =>
      logged('a renamed database keeps its old name too', async () => {
        if (await isSameFile(from, to)) await rm(from);
      }),
    async undo() {
      await logged('a database could not be moved back', async () => {
        if (await isSameFile(from, to)) await rm(to);
        else if (!(await exists(from))) await moveIfThere(to, from);
      });
      await sidesBack();
    },
  };
}

// Callers must not see the path.
const notRenamed = (error: unknown) =>
  RpcError.io(`Failed to rename db file: ${codeOf(error) ?? (error as Error).message}`, {
    cause: error,
  });

async function linkOrMove(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (isMissing(error)) return;
    if (codeOf(error) !== 'EEXIST') await rename(from, to);
    // An interrupted rename has left the second name; the file of another database is an error.
    else if (!(await isSameFile(from, to))) throw error;
  }
}

/** A rename whose process was killed may leave a file under a second name. That file belongs to another database: the name is dropped. */
export async function dropSecondName(file: string, log: Logger): Promise<void> {
  const found = await statOf(file);
  if (!found?.isFile() || found.nlink < 2) return;
  log.warn('a second name of a database file is dropped', { file });
  await rm(file, { force: true });
}

/**
 * Moves the files of a closed database aside before the registry forgets it: deleted data never comes back, and a new
 * database of that name keeps its file. A file that cannot be moved stays and is logged.
 */
export async function setAside(
  file: string,
  log: Logger,
): Promise<{ file: string } & Omit<Move, 'finish'>> {
  const aside = `${file}-deleted`;
  const parts = ['', ...SIDE_FILES];
  const move = async () => {
    for (const part of parts) await moveOver(`${file}${part}`, `${aside}${part}`);
  };
  const back = async () => {
    for (const part of parts) await moveIfThere(`${aside}${part}`, `${file}${part}`);
  };
  const logged = (work: Promise<void>): Promise<boolean> =>
    work.then(
      () => true,
      (error: unknown) => {
        log.warn('a file of a deleted database could not be moved', { file, error });
        return false;
      },
    );
  const moved = await logged(move());
  return {
    file: moved ? aside : file,
    // Another server may have deleted it too, and a new database of that name may exist since.
    undo: async () => void (await logged(exists(file).then((made) => (made ? undefined : back())))),
  };
}

/** Tells whether a closed database has changes in its `-wal`: its process was ended by force. */
export const hasLog = (file: string): Promise<boolean> => exists(`${file}-wal`);

/** Deletes the files of a closed database; a file that cannot be deleted is logged. */
export async function removeFiles(file: string, log: Logger): Promise<void> {
  for (const path of [file, ...SIDE_FILES.map((side) => `${file}${side}`)]) {
    await rm(path, { force: true }).catch((error: unknown) =>
      log.warn('a file of a deleted database could not be deleted', { file: path, error }),
    );
  }
}

async function statOf(file: string) {
  try {
    return await stat(file);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

const exists = async (file: string): Promise<boolean> => (await statOf(file)) !== undefined;

async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = [await statOf(one), await statOf(other)];
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev;
}

async function moveIfThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Moves a file over another. Without one under the old name, none stays under the new one: the `-wal` of another file would be applied. */
async function moveOver(from: string, to: string): Promise<void> {
  if (await exists(from)) await rename(from, to);
  else await rm(to, { force: true });
}

const codeOf = (error: unknown): string | undefined =>
  (error as NodeJS.ErrnoException | undefined)?.code;
const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT';

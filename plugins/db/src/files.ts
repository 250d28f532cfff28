import { link, rename, rm, stat } from 'node:fs/promises';
import { type Logger, RpcError } from '@svc/plugin-sdk';
import { SIDE_FILES } from './names.ts';

/** Files that lie under another name by now; one of both comes next. */
export interface Move {
  /** The registry knows the new name: the old one ends. */
  finish(): Promise<void>;
  /** The registry keeps the old name. */
  undo(): Promise<void>;
}

/**
 * Gives the file of a closed database a second name: whichever name the registry holds after a crash leads to it.
 * A missing file is no failure: it is made by the next use.
 * @throws RpcError 101 when the file cannot be renamed, or the new name belongs to some file; nothing is moved then
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

// The path stays with the operator.
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
    // The second name that an interrupted rename has left is the one that is wanted; another's file is not.
    else if (!(await isSameFile(from, to))) throw error;
  }
}

/** What a rename left behind when its process was killed is no file to adopt: it belongs to a database of another name. */
export async function dropSecondName(file: string, log: Logger): Promise<void> {
  const found = await statOf(file);
  if (!found?.isFile() || found.nlink < 2) return;
  log.warn('a second name of a database file is dropped', { file });
  await rm(file, { force: true });
}

/**
 * Takes the files of a closed database out of the way before the registry forgets it: what is deleted never comes back, and
 * a database of that name that somebody makes right then keeps its file. What cannot be moved stays and is logged.
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
    // Another server may have deleted it too, and somebody made a database of that name since.
    undo: async () => void (await logged(exists(file).then((made) => (made ? undefined : back())))),
  };
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

/** A file that is not there leaves none under the new name either: a log of another file would be taken for its own. */
async function moveOver(from: string, to: string): Promise<void> {
  if (await exists(from)) await rename(from, to);
  else await rm(to, { force: true });
}

const codeOf = (error: unknown): string | undefined =>
  (error as NodeJS.ErrnoException | undefined)?.code;
const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT';

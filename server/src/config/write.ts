import { randomUUID } from 'node:crypto';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Mode of a configuration file that did not exist: it holds credentials. */
const NEW_FILE_MODE = 0o600;

/**
 * Replaces a file at once: temporary file, then rename. Keeps mode and owner, replaces the target of a symbolic link rather than the link,
 * and leaves no temporary file behind. A read-only file is not replaced.
 * @throws the system's error
 */
export async function writeConfig(path: string, text: string): Promise<void> {
  const target = (await ifThere(realpath(path))) ?? path;
  const temporary = `${target}.tmp.${randomUUID()}`;
  try {
    await writeLike(target, temporary, text);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(dirname(target));
}

async function writeLike(target: string, temporary: string, text: string): Promise<void> {
  const old = await ifThere(stat(target));
  // A rename would replace a read-only file all the same, and root passes every access check.
  if (old !== undefined && (old.mode & 0o222) === 0) throw new Error(`${target} is read-only`);
  const file = await open(temporary, 'wx', NEW_FILE_MODE);
  try {
    await file.writeFile(text);
    const made = await file.stat();
    if (old !== undefined && (old.uid !== made.uid || old.gid !== made.gid)) {
      await file.chown(old.uid, old.gid);
    }
    if (old !== undefined) await file.chmod(old.mode & 0o7777);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Result for a file; undefined when it does not exist. */
const ifThere = <T>(answer: Promise<T>): Promise<T | undefined> =>
  answer.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });

/** Writes a folder to the disk: without it a power cut may bring the old name back. */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

import { open, readFile, stat } from 'node:fs/promises';
import { codeOf } from './code-of.ts';

const OTHERS = 0o077;

/** Returns the text of a file; undefined: there is no file. @throws Error of the system */
export async function readSecretFile(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Returns the text of a file, which is made with the text of `make`, readable for this user only, where there is none. @throws Error of the system */
export async function openSecretFile(path: string, make: () => string): Promise<string> {
  const found = await readSecretFile(path);
  if (found !== undefined) return found;
  const text = make();
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    return text;
  } catch (error) {
    // Another process of this server was first.
    const first = codeOf(error) === 'EEXIST' ? await readSecretFile(path) : undefined;
    if (first !== undefined) return first;
    throw error;
  }
}

/** Tells whether others than the owner of the file can read it. */
export const isOpenToOthers = async (path: string): Promise<boolean> =>
  ((await stat(path)).mode & OTHERS) !== 0;

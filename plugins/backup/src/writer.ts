import { createHash } from 'node:crypto';
import {
  chmod,
  copyFile,
  type FileHandle,
  link,
  mkdir,
  open,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UserError } from '@svc/plugin-sdk';
import { codeOf } from '@svc/plugin-sdk/util';
import { digestLine, MANIFEST, MANIFEST_DIGEST, type Part } from './manifest.ts';
import { TAR_END, tarHeader, tarPadding } from './tar.ts';
import { unlessGone } from './unless-gone.ts';

/** A backup that is being written. Nothing has its final name before `finish`. */
export interface Writer {
  /** Folder for temporary files, on the disk of the backup. */
  readonly scratch: string;
  /**
   * Stores a file under this path; `moves`: it is a temporary one, which the backup may take.
   * @returns undefined for a file that is gone
   */
  put(
    path: string,
    file: string,
    options?: { readonly moves?: boolean },
  ): Promise<Part | undefined>;
  /** The manifest closes the backup, which gets its name. */
  finish(manifest: string): Promise<void>;
  /** Removes what was written. */
  abandon(): Promise<void>;
}

/** One file with everything: a tar archive. */
export async function writeFileBackup(target: string): Promise<Writer> {
  const unfinished = `${target}.unfinished`;
  const scratch = `${target}.parts`;
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { mode: 0o700 });
  const out = await open(unfinished, 'w', 0o600);
  const put: Writer['put'] = async (path, file, { moves = false } = {}) => {
    const part = await append(out, path, file);
    if (moves) await rm(file);
    return part;
  };
  const putText = async (path: string, text: string) => {
    const file = join(scratch, path);
    await writeFile(file, text);
    await put(path, file, { moves: true });
  };
  return {
    scratch,
    put,
    async finish(manifest) {
      await putText(MANIFEST, manifest);
      await putText(MANIFEST_DIGEST, digestLine(manifest));
      await out.writeFile(TAR_END);
      await out.sync();
      await out.close();
      await rm(scratch, { recursive: true });
      await rename(unfinished, target);
    },
    async abandon() {
      await out.close();
      await rm(scratch, { recursive: true, force: true });
      await rm(unfinished, { force: true });
    },
  };
}

async function append(out: FileHandle, path: string, file: string): Promise<Part | undefined> {
  const source = await unlessGone(open(file));
  if (!source) return undefined;
  try {
    const { size } = await source.stat();
    await out.writeFile(tarHeader(path, size));
    const sha256 = createHash('sha256');
    // Exactly as many bytes as the header says, also of a file that grows meanwhile.
    const range = { start: 0, end: Math.max(0, size - 1), autoClose: false };
    let bytes = 0;
    if (size > 0)
      for await (const chunk of source.createReadStream(range)) {
        bytes += chunk.length;
        sha256.update(chunk);
        await out.writeFile(chunk);
      }
    if (bytes < size) throw new UserError(`${file} became shorter while it was read: try again`);
    await out.writeFile(tarPadding(size));
    return { path, bytes: size, sha256: sha256.digest('hex') };
  } finally {
    await source.close();
  }
}

/** A folder with one file a part. Files that `former`, an earlier backup, has too are links to its own. */
export async function writeFolderBackup(
  target: string,
  former?: { readonly folder: string; readonly parts: readonly Part[] },
): Promise<Writer> {
  const unfinished = `${target}.unfinished`;
  const scratch = join(unfinished, '.scratch');
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  const formerDigests = new Map(former?.parts.map((part) => [part.path, part.sha256]));
  return {
    scratch,
    async put(path, file, { moves = false } = {}) {
      const place = join(unfinished, path);
      await mkdir(dirname(place), { recursive: true, mode: 0o700 });
      if (moves) {
        await rename(file, place);
        return { path, ...(await digestOf(place)) };
      }
      const found = await unlessGone(digestOf(file));
      if (!found) return undefined;
      const isKnown = formerDigests.get(path) === found.sha256;
      if (isKnown && former && (await linked(join(former.folder, path), place)))
        return { path, ...found };
      await copyFile(file, place);
      await chmod(place, 0o600);
      // What was copied counts, also of a file that has changed since it was looked at.
      return { path, ...(await digestOf(place)) };
    },
    async finish(manifest) {
      await rm(scratch, { recursive: true });
      await writeFile(join(unfinished, MANIFEST), manifest, { mode: 0o600, flush: true });
      const digest = digestLine(manifest);
      await writeFile(join(unfinished, MANIFEST_DIGEST), digest, { mode: 0o600, flush: true });
      await rename(unfinished, target);
    },
    abandon: () => rm(unfinished, { recursive: true, force: true }),
  };
}

/** @returns false where the earlier file is gone, or the file system has no links */
async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (['ENOENT', 'EPERM', 'EXDEV', 'EMLINK', 'ENOTSUP'].includes(codeOf(error))) return false;
    throw error;
  }
}

async function digestOf(file: string): Promise<Omit<Part, 'path'>> {
  const hash = createHash('sha256');
  let bytes = 0;
  const source = await open(file);
  try {
    for await (const chunk of source.createReadStream({ autoClose: false })) {
      bytes += chunk.length;
      hash.update(chunk);
    }
    // Of a file in a backup it makes sure that it is on the disk.
    await source.datasync();
  } finally {
    await source.close();
  }
  return { bytes, sha256: hash.digest('hex') };
}

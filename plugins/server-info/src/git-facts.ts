import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import type { Version } from './schemas.ts';

/** The members that come from the state of the repository. */
export type GitFacts = Pick<
  Version,
  'git_branch' | 'git_commit_sha' | 'git_commit_date' | 'git_commit_message'
>;

const unpack = promisify(inflate);

/**
 * The state of a repository, read from the files of its `.git/` folder without running git. Facts that would
 * need more than a loose object are left out; nothing at all when the folder is not there.
 */
export async function readGitFacts(git: URL): Promise<Partial<GitFacts>> {
  const head = await readFile(new URL('HEAD', git), 'utf8').catch(unlessMissing);
  if (head === undefined) return {};
  const ref = /^ref: (.+)/.exec(head)?.[1]?.trim();
  const sha = ref === undefined ? head.trim() : await resolveRef(git, ref);
  const facts: Partial<GitFacts> =
    ref === undefined ? {} : { git_branch: ref.replace(/^refs\/heads\//, '') };
  if (sha === undefined || !/^[0-9a-f]{40}$/.test(sha)) return facts;
  return { ...facts, git_commit_sha: sha, ...(await readCommit(git, sha)) };
}

async function resolveRef(git: URL, ref: string): Promise<string | undefined> {
  const loose = await readFile(new URL(ref, git), 'utf8').catch(unlessMissing);
  if (loose !== undefined) return loose.trim();
  const packed = await readFile(new URL('packed-refs', git), 'utf8').catch(unlessMissing);
  return packed
    ?.split('\n')
    .find((line) => line.endsWith(` ${ref}`))
    ?.slice(0, 40);
}

/** Date and first line of a commit that is stored as a loose object. */
async function readCommit(git: URL, sha: string): Promise<Partial<GitFacts>> {
  const file = new URL(`objects/${sha.slice(0, 2)}/${sha.slice(2)}`, git);
  const bytes = await readFile(file).catch(unlessMissing);
  if (bytes === undefined) return {};
  const text = (await unpack(bytes)).toString('utf8');
  const committer = /^committer .*> (\d+) ([+-]\d{4})$/m.exec(text);
  const message = text.slice(text.indexOf('\n\n') + 2).split('\n', 1)[0] ?? '';
  return {
    git_commit_message: message,
    ...(committer && {
      git_commit_date: isoWithOffset(Number(committer[1]), committer[2] ?? '+0000'),
    }),
  };
}

/** `1760000000`, `+0200` → `2025-10-09T10:53:20+02:00`. */
export function isoWithOffset(seconds: number, offset: string): string {
  const minutes =
    Number(`${offset[0]}1`) * (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(3)));
  const local = new Date((seconds + minutes * 60) * 1000).toISOString().slice(0, 19);
  return `${local}${offset.slice(0, 3)}:${offset.slice(3)}`;
}

/** A file that is not there, or not ours to read, is an unknown fact; anything else is a failure. */
export function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR' || error.code === 'EACCES')
    return undefined;
  throw error;
}

import { readFile } from 'node:fs/promises';
import { type GitFacts, readGitFacts, unlessMissing } from './git-facts.ts';
import type { Version } from './schemas.ts';

/** Value of an unknown fact. */
export const UNKNOWN = 'UNKNOWN';

/** The members that come from the source state and the build. */
type BuildFacts = GitFacts & Pick<Version, 'build_time'>;

const nothing: BuildFacts = {
  git_branch: UNKNOWN,
  git_commit_sha: UNKNOWN,
  git_commit_date: UNKNOWN,
  git_commit_message: UNKNOWN,
  build_time: UNKNOWN,
};

/** Everything that `svc-server_version` answers; read once, at start. */
export async function versionFacts(version: string): Promise<Version> {
  return {
    binary_type: 'Server',
    cargo_version: version,
    ...(await buildFacts()),
    cargo_target_triple: await targetTriple(),
    rustc_channel: UNKNOWN,
    rustc_version: `node ${process.versions.node}`,
    rustc_commit_date: UNKNOWN,
    rustc_commit_hash: UNKNOWN,
    rustc_llvm_version: `v8 ${process.versions.v8}`,
  };
}

/** The lines of the command `version` (configuration.md §3). */
export async function versionLines(version: string): Promise<{ [label: string]: string }> {
  const facts = await versionFacts(version);
  return {
    'Git Branch': facts.git_branch,
    'Commit SHA': facts.git_commit_sha,
    'Commit Date': facts.git_commit_date,
    'Commit Message': facts.git_commit_message,
    'Build Time': facts.build_time,
    'Target Triple': facts.cargo_target_triple,
    Runtime: facts.rustc_version,
    Engine: facts.rustc_llvm_version,
  };
}

/** The file written by the build, next to this module; from sources, the state of the repository. */
async function buildFacts(): Promise<BuildFacts> {
  const file = new URL('./build-info.json', import.meta.url);
  const written = await readFile(file, 'utf8').catch(unlessMissing);
  if (written !== undefined) return { ...nothing, ...JSON.parse(written) };
  return { ...nothing, ...(await readGitFacts(new URL('../../../.git/', import.meta.url))) };
}

const architectures: { readonly [arch: string]: string } = {
  x64: 'x86_64',
  arm64: 'aarch64',
  arm: 'armv7',
  ia32: 'i686',
};

/** Platform in the form of the compiler's triples, such as `x86_64-unknown-linux-gnu`. */
async function targetTriple(): Promise<string> {
  const arch = architectures[process.arch] ?? process.arch;
  if (process.platform === 'darwin') return `${arch}-apple-darwin`;
  if (process.platform === 'win32') return `${arch}-pc-windows-msvc`;
  if (process.platform !== 'linux') return `${arch}-unknown-${process.platform}`;
  const maps = await readFile('/proc/self/maps', 'latin1').catch(unlessMissing);
  const libc = maps?.includes('/ld-musl-') ? 'musl' : 'gnu';
  return `${arch}-unknown-linux-${libc}${process.arch === 'arm' ? 'eabihf' : ''}`;
}

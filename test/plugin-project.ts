/** What `npm install` and `npm pack` do to the project of a plugin, without a registry. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const repository = resolve(import.meta.dirname, '..');

/** Runs a program in a folder and returns what it printed. @throws Error with everything it printed */
export async function run(folder: string, program: string, ...args: string[]): Promise<string> {
  // A test that runs inside `node --test` would report to the outer one; npm hands the repository's settings on.
  const env = {
    ...process.env,
    NODE_TEST_CONTEXT: undefined,
    npm_config_ignore_scripts: undefined,
  };
  const done = execute(program, args, { cwd: folder, env, maxBuffer: 16 * 1024 ** 2 });
  const { stdout } = await done.catch((error) => {
    throw new Error(`${program} ${args.join(' ')}: ${error.stdout}${error.stderr}`);
  });
  return stdout;
}

/** Links a package into the `node_modules` of a folder. */
export async function link(folder: string, name: string, target: string): Promise<void> {
  const place = join(folder, 'node_modules', name);
  await mkdir(dirname(place), { recursive: true });
  await symlink(target, place, 'junction');
}

/** Links a package that this repository has installed. */
export const linkInstalled = (folder: string, name: string) =>
  link(folder, name, join(repository, 'node_modules', name));

/** Links the development dependencies of a project: `file:` ones from there, the others from this repository. */
export async function linkDevDependencies(folder: string): Promise<void> {
  const { devDependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  for (const [name, version] of Object.entries<string>(devDependencies)) {
    if (version.startsWith('file:')) await link(folder, name, version.slice('file:'.length));
    else await linkInstalled(folder, name);
  }
  await linkInstalled(folder, '.bin');
}

/** Packs folders into `into` and returns the paths of the packages, in the same order. */
export async function pack(into: string, ...folders: readonly string[]): Promise<string[]> {
  const options = ['--silent', '--offline', '--pack-destination', into];
  const printed = await run(folders[0] ?? into, 'npm', 'pack', ...options, ...folders);
  const names = printed.trim().split('\n').slice(-folders.length);
  return names.map((name) => join(into, name));
}

/** `npm install FILE` in a folder. Of what the package depends on nothing may be missing there: no registry is asked. */
export const installPackage = (folder: string, packed: string) =>
  run(folder, 'npm', 'install', '--offline', '--no-audit', '--no-fund', packed);

/** Unpacks a package into the `node_modules` of a folder. */
export async function unpack(packed: string, folder: string, name: string): Promise<void> {
  const target = join(folder, 'node_modules', name);
  await mkdir(target, { recursive: true });
  await run(folder, 'tar', '-xzf', packed, '-C', target, '--strip-components=1');
}

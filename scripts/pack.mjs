/**
 * `npm run pack`, in the folder of a package of this repository: makes its package there, with compiled code. The entries
 * of the folder itself are sources, which Node refuses to run below `node_modules`: `npm pack` finds nothing to pack there.
 */
import { spawnSync } from 'node:child_process';
import { join, relative } from 'node:path';
import { build, install } from './prepare.mjs';
import { root } from './runtime.mjs';

install();
await build();
const built = join(root, 'dist', relative(root, process.cwd()));
// npm hands its place in the repository on to what it runs.
const { npm_config_local_prefix: _prefix, ...env } = process.env;
const options = { cwd: built, env, stdio: 'inherit', shell: process.platform === 'win32' };
const args = ['pack', '--pack-destination', process.cwd(), ...process.argv.slice(2)];
process.exitCode = spawnSync('npm', args, options).status ?? 1;

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Command, UserError } from '@svc/plugin-sdk';
import type { CommandTerminal } from '@svc/plugin-sdk/kernel';
import { PARTS } from '../runtimes.ts';

/** Long-term version that the project's own commands fetch, too. */
const NODE_VERSION = '24.21.0';
/** Version whose other half is inside the agent. */
const PTY_VERSION = '1.1.0';
/** Packages of Node's own builds for Linux; they need glibc. */
const PLATFORMS = ['linux-x64', 'linux-arm64'];

/** `fetch-runtime PLATFORM`: takes what another platform needs with this machine's own npm, which checks the digests. */
export const fetchCommand = (folder: () => string): Command => ({
  name: 'fetch-runtime',
  summary: 'Fetch the Node and the addon for terminals that machines of another platform get.',
  words: 'PLATFORM',
  async run(_kernel, terminal, { words: [platform = ''] }) {
    if (!PLATFORMS.includes(platform)) {
      throw new UserError(
        `there is no package for '${platform}': use ${PLATFORMS.join(' or ')}; for others put a Node into ${join(resolve(folder()), 'PLATFORM', 'node')}`,
      );
    }
    const target = join(resolve(folder()), platform);
    const work = await mkdtemp(join(tmpdir(), 'svc-runtime-'));
    try {
      await install(platform, work, terminal);
      const inside = (...path: string[]) => join(work, 'node_modules', ...path);
      await put(inside(`node-${platform}`, 'bin', 'node'), target, PARTS.runtime);
      await put(inside(`@lydell/node-pty-${platform}`, 'pty.node'), target, PARTS.terminal);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
    terminal.print(join(target, PARTS.runtime));
  },
});

/** Installs without scripts, for a platform that may not be this one. */
async function install(platform: string, prefix: string, terminal: CommandTerminal): Promise<void> {
  const [os = '', cpu = ''] = platform.split('-');
  const packages = [
    `node-${platform}@${NODE_VERSION}`,
    `@lydell/node-pty-${platform}@${PTY_VERSION}`,
  ];
  terminal.progress(`npm fetches ${packages.join(' and ')} …\n`);
  const args = ['install', '--prefix', prefix, '--ignore-scripts', '--no-audit', '--no-fund'];
  const chosen = ['--no-save', '--force', '--loglevel=error', `--os=${os}`, `--cpu=${cpu}`];
  const npm = spawn('npm', [...args, ...chosen, ...packages], {
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  const [status] = (await once(npm, 'close').catch((cause) => {
    throw new UserError('npm could not be started: install it, or put the file there by hand', {
      cause,
    });
  })) as [number | null];
  if (status !== 0) throw new UserError(`npm ended with status ${status}`);
}

async function put(found: string, target: string, name: string): Promise<void> {
  await mkdir(target, { recursive: true });
  const half = join(target, `${name}.new`);
  await copyFile(found, half);
  await chmod(half, 0o755);
  await rename(half, join(target, name));
}

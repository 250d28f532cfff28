import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Command, type CommandTerminal, UserError } from '@svc/plugin-sdk';

/** The long-term version that the project's own commands fetch, too. */
const VERSION = '24.21.0';
/** Packages of Node's own builds for Linux; they need glibc. */
const PLATFORMS = ['linux-x64', 'linux-arm64'];

/** `fetch-runtime PLATFORM`: takes the Node of another platform with this machine's own npm, which checks its digest. */
export const fetchCommand = (folder: () => string): Command => ({
  name: 'fetch-runtime',
  summary: 'Fetch the Node that machines of another platform get with their agent.',
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
      await put(join(work, 'node_modules', `node-${platform}`, 'bin', 'node'), target);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
    terminal.print(join(target, 'node'));
  },
});

/** Without scripts, and for a platform that is not this one. */
async function install(platform: string, prefix: string, terminal: CommandTerminal): Promise<void> {
  const [os = '', cpu = ''] = platform.split('-');
  terminal.progress(`npm fetches node-${platform} ${VERSION} …\n`);
  const args = ['install', '--prefix', prefix, '--ignore-scripts', '--no-audit', '--no-fund'];
  const chosen = ['--no-save', '--force', '--loglevel=error', `--os=${os}`, `--cpu=${cpu}`];
  const npm = spawn('npm', [...args, ...chosen, `node-${platform}@${VERSION}`], {
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

async function put(found: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true });
  const half = join(target, 'node.new');
  await copyFile(found, half);
  await chmod(half, 0o755);
  await rename(half, join(target, 'node'));
}

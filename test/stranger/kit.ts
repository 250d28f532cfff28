/**
 * The machine of a stranger: a PATH with node, npm, git, tar and the core utilities (no Python, make, compiler, curl), an
 * empty home, and a fresh clone. Of this machine it shares the cache of npm's downloads, the registry and the
 * certificates that it trusts, no more.
 * A clone has what is committed: changes of the work tree are not in it.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { accessSync, constants, existsSync, realpathSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fetchNode } from '../../scripts/runtime.mjs';

export const repository = resolve(import.meta.dirname, '../..');

/** An old Node that many systems have, and the one that the project fetches; folders of scripts/runtime. */
export const NODES = ['20.19.6', '24.21.0'] as const;

/** Everything of GNU coreutils that Debian has, and what else a small system brings. */
const PROGRAMS =
  `sh bash env git tar gzip sed grep egrep awk find xargs ps hostname getconf ldd b2sum base32 base64 basename cat
  chgrp chmod chown cksum comm cp cut date dd df dirname du echo expr false fold groups head hostid id install
  join link ln logname ls md5sum mkdir mkfifo mknod mktemp mv nice nl nohup nproc numfmt od paste printenv printf
  pwd readlink realpath rm rmdir seq sha1sum sha256sum sha512sum shuf sleep sort split stat stdbuf stty sum sync
  tac tail tee test timeout touch tr true truncate tty uname uniq unlink wc whoami yes`.split(
    /\s+/,
  );
const NOT_THERE = ['python3', 'python', 'make', 'cc', 'gcc', 'g++', 'c++'];

/** A command takes minutes, and `npm test -- --fast` half an hour, on a machine that does other things beside. */
const DEADLINE_MS = 1_700_000;

export interface Stranger {
  /** All that is made is in here; `home` and `bin` are. */
  readonly dir: string;
  /** A clone of what is committed here, in `dir/NAME`. @returns its path */
  clone(name: string): Promise<string>;
  /** Types a line into a shell. @returns what it printed. @throws Error with all of it, where the status is not 0 */
  type(folder: string, line: string): Promise<string>;
  /** Types a line that goes on running; `remove` ends it. */
  begin(folder: string, line: string): Running;
  /** Ends what runs, and removes the folder. */
  remove(): Promise<void>;
}

export interface Running {
  /** Everything printed so far. */
  output(): string;
  /** Waits until `pattern` was printed. @throws Error with the output, when the program ends before, or half an hour passes */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends SIGTERM to the program and what it started, and waits for its end. */
  end(): Promise<void>;
}

/** @param version of Node, one of `NODES`. @param more programs beside the bare ones, for example `curl` */
export async function stranger(version: string, more: readonly string[] = []): Promise<Stranger> {
  const dir = realpathSync(await mkdtemp(join(tmpdir(), 'svc-stranger-')));
  const env = await bareEnvironment(dir, version, more);
  const running = new Set<Started>();
  const begin = (folder: string, line: string): Started => {
    const started = start(env, folder, line);
    running.add(started);
    return started;
  };
  const type = async (folder: string, line: string) => {
    const started = begin(folder, line);
    const status = await started.closed;
    running.delete(started);
    if (status !== 0) throw new Error(`${line} ended with ${status}:\n${started.output()}`);
    return started.output();
  };
  const clone = async (name: string) => {
    await type(dir, `git clone --quiet '${repository}' ${name}`);
    return join(dir, name);
  };
  const remove = async () => {
    for (const one of running) await one.end();
    await rm(dir, { recursive: true, force: true });
  };
  return { dir, clone, type, begin, remove };
}

async function bareEnvironment(dir: string, version: string, more: readonly string[]) {
  const { NODE_EXTRA_CA_CERTS } = process.env;
  const bin = join(dir, 'bin');
  const home = join(dir, 'home');
  for (const folder of [bin, home]) await mkdir(folder);
  await symlink(fetchNode(version, 'Tests of a stranger'), join(bin, 'node'));
  const npm = realpathSync(programOf('npm') ?? '');
  await writeFile(join(bin, 'npm'), `#!/bin/sh\nexec node '${npm}' "$@"\n`);
  await writeFile(
    join(bin, 'npx'),
    `#!/bin/sh\nexec node '${join(dirname(npm), 'npx-cli.js')}' "$@"\n`,
  );
  for (const name of ['npm', 'npx']) await chmod(join(bin, name), 0o755);
  for (const name of [...PROGRAMS, ...more]) {
    const program = programOf(name);
    if (program) await symlink(program, join(bin, name));
  }
  for (const name of NOT_THERE) {
    if (existsSync(join(bin, name))) throw new Error(`${name} is in the PATH of a stranger`);
  }
  return {
    ...{ HOME: home, LANG: 'C', PATH: bin, USER: 'stranger' },
    npm_config_cache: npmSetting('cache'),
    npm_config_registry: npmSetting('registry'),
    // A machine that reaches its registry through a proxy trusts the proxy's certificate.
    ...(NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS }),
  };
}

const npmSetting = (name: string) =>
  execFileSync('npm', ['config', 'get', name], { encoding: 'utf8' }).trim();

/** Path of a program of this machine. */
function programOf(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Not there, or not for us: the next folder may have it.
    return false;
  }
}

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) signal(child, 'SIGKILL');
});

interface Started extends Running {
  readonly closed: Promise<number | string>;
}

function start(env: NodeJS.ProcessEnv, cwd: string, line: string): Started {
  // A group of its own: `end` reaches what npm and shells have started.
  const child = spawn('sh', ['-c', line], {
    ...{ cwd, env, detached: true },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-200_000);
    });
  const deadline = setTimeout(() => signal(child, 'SIGKILL'), DEADLINE_MS);
  const closed = new Promise<number | string>((done) => {
    child.on('close', (status, name) => {
      clearTimeout(deadline);
      children.delete(child);
      done(status ?? name ?? 'no status');
    });
  });
  return {
    closed,
    output: () => output,
    printed: (pattern) => printed(child, () => output, pattern),
    end: async () => {
      signal(child, 'SIGTERM');
      await closed;
    },
  };
}

function signal(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  process.kill(-child.pid, name);
}

async function printed(child: ChildProcess, output: () => string, pattern: RegExp) {
  for (;;) {
    const found = pattern.exec(output());
    if (found) return found;
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`it ended before it printed ${pattern}:\n${output()}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}

/**
 * A machine whose PID 1 is the systemd of this one: namespaces of processes, mounts and control groups, over a copy of the
 * files that is made as they are written. Its network is this machine's, so that it reaches the server of a test.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as assert from 'uvu/assert';
import { blocksOf, has, root } from './documentation-kit.ts';
import { type Outcome, shell } from './enrol/kit.ts';
import { until } from './process/havoc.ts';
import { killAtExit } from './process/server.ts';

const SYSTEMD = '/lib/systemd/systemd';
const PROGRAMS = ['unshare', 'nsenter', 'setpriv', 'systemctl', 'curl'];
const BOOT_MS = 30_000;

/** Where the machine has this repository and this Node. */
export const REPOSITORY = '/opt/repository';
export const NODE = '/opt/runtime/bin/node';

/** Makes the machine's files below $1 and becomes its PID 1. It starts what services of every machine need, and no more. */
const BOOT = `set -e
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs "$1"
mkdir "$1/written" "$1/work" "$1/root"
mount -t overlay -o "lowerdir=/,upperdir=$1/written,workdir=$1/work" overlay "$1/root"
cd "$1/root"
for folder in proc sys run tmp dev etc/systemd/system lib/systemd/system; do mkdir -p $folder; done
rm -rf etc/systemd/system/*.wants lib/systemd/system/*.target.wants/*.mount lib/systemd/system/*.automount
for target in sysinit timers local-fs; do rm -rf lib/systemd/system/$target.target.wants; done
mount -t proc proc proc
mount -o bind proc/sys proc/sys && mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro sysfs sys
mount -t tmpfs tmpfs sys/fs/cgroup
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
mount --rbind /dev dev
mkdir -p ".${REPOSITORY}" "./opt/runtime" old
mount --bind "$2" ".${REPOSITORY}"
mount --bind "$3" ./opt/runtime
pivot_root . old
umount -l /old
: >etc/fstab
export container=svc-test PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
exec setpriv --bounding-set=-sys_module,-sys_time,-sys_rawio,-syslog ${SYSTEMD} --system --unit=basic.target --log-target=console --show-status=no`;

/** The folder of control groups of version 2, where this machine has one. */
const groups = (): string | undefined =>
  readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .find(([, , type]) => type === 'cgroup2')?.[1];

/** Why no such machine can be made here; undefined: it can be tried. */
export function whyNot(): string | undefined {
  if (process.platform !== 'linux') return 'systemd is for Linux';
  if (process.getuid?.() !== 0) return 'only root makes a machine with systemd';
  const missing = PROGRAMS.filter((program) => !has(program));
  if (missing.length > 0) return `${missing.join(', ')} not installed`;
  if (spawnSync(SYSTEMD, ['--version']).status !== 0) return 'systemd not installed';
  return groups() === undefined ? 'no control groups of version 2' : undefined;
}

export class SystemdMachine {
  readonly #dir: string;
  readonly #group: string;
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  #output = '';

  private constructor() {
    this.#dir = mkdtempSync(join(tmpdir(), 'svc-systemd-'));
    this.#group = mkdtempSync(join(groups() ?? '', 'svc-test-'));
    // Users of the machine make groups below it.
    chmodSync(this.#group, 0o755);
    const node = dirname(dirname(process.execPath));
    // It ends with this process, however that ends.
    const spaces =
      'setpriv --pdeathsig KILL unshare --pid --fork --kill-child --mount --cgroup --uts --ipc';
    const line = `echo $$ >'${this.#group}/cgroup.procs' && exec ${spaces} sh -c "$0" sh "$@"`;
    const args = ['-c', line, BOOT, this.#dir, root, node];
    this.#child = spawn('sh', args, { stdio: ['ignore', 'pipe', 'pipe'] });
    killAtExit(this.#child);
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (text) => {
        this.#output = (this.#output + text).slice(-20_000);
      });
    this.#closed = new Promise((done) => this.#child.once('close', done));
  }

  /** @throws Error with what it printed, where it does not come up */
  static async boot(): Promise<SystemdMachine> {
    const machine = new SystemdMachine();
    try {
      const isUp = async () => {
        if (machine.#child.exitCode !== null) throw new Error('it ended');
        return (await machine.run('systemctl is-active basic.target')).out === 'active\n';
      };
      await until('systemd', isUp, BOOT_MS);
      return machine;
    } catch (error) {
      const printed = machine.#output;
      await machine.end();
      throw new Error(`${(error as Error).message}\n${printed}`, { cause: error });
    }
  }

  /** Process 1 of the machine, as this one counts; undefined before it is there. */
  get #pid(): string | undefined {
    const { pid } = this.#child;
    return /\d+/.exec(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'))?.[0];
  }

  /** A line in a shell of the machine, of root or of another user. */
  async run(line: string, user?: string): Promise<Outcome> {
    const pid = this.#pid;
    if (pid === undefined) return { code: -1, out: '', err: 'it has no process yet' };
    const as = user === undefined ? '' : `runuser -u ${user} --`;
    const env = 'env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME="$HOME" LC_ALL=C';
    const inside = `nsenter -t ${pid} --mount --pid --uts --ipc --cgroup -- ${env} ${as} sh -c "$LINE"`;
    return shell(inside, { env: { LINE: line, HOME: user ? `/home/${user}` : '/root' } });
  }

  /** Properties that systemd tells of a unit. */
  async show(unit: string): Promise<Record<string, string>> {
    const { out } = await this.run(`systemctl show --no-pager ${unit}`);
    return Object.fromEntries(
      out.split('\n').map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]),
    );
  }

  /** A line that has to work; what it prints. */
  async done(line: string, user?: string): Promise<string> {
    const { code, out, err } = await this.run(line, user);
    assert.is(code, 0, `${line}\n${out}${err}`);
    return `${out}${err}`;
  }

  /** A file of this machine. */
  put(from: string, to: string): void {
    copyFileSync(from, join(`/proc/${this.#pid}/root`, to));
  }

  async end(): Promise<void> {
    const pid = this.#pid;
    // PID 1 of a namespace takes everything in it along.
    if (pid !== undefined) process.kill(Number(pid), 'SIGKILL');
    else this.#child.kill('SIGKILL');
    await this.#closed;
    await until('the end of its groups', () => removeGroup(this.#group));
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

/**
 * Installs and starts the service of the server by the lines of the guide; `folder`: where they find the files, else where
 * they say. Its address is not the default one, which this machine may have taken, and it is ended sooner than after the
 * unit's minute when it stands still. @returns what was printed
 */
export async function startService(
  machine: SystemdMachine,
  port: number,
  folder?: string,
): Promise<string> {
  const drop = '/etc/systemd/system/svc-server.service.d';
  const other = `[Service]
WatchdogSec=2
ExecStartPre=/bin/sed -i "s/^ws_listener = .*/ws_listener = \\"127.0.0.1:${port}\\"/" /var/lib/svc/server.toml`;
  await machine.done(`mkdir ${drop} && printf '%s\n' '${other}' >${drop}/test.conf`);
  const blocks = blocksOf('docs/guide/deployment.md');
  const steps = blocks.find(({ heading }) => heading === '2. systemd');
  const [place = '', ...lines] = steps?.text.trim().split('\n') ?? [];
  assert.match(place, /^cd .*\/svc\/deploy\/systemd"$/);
  return machine.done([folder ? `cd ${folder}` : place, ...lines].join(' && '));
}

/** A group goes when its last process has, and those below it before. */
function removeGroup(path: string): boolean {
  try {
    for (const entry of readdirSync(path, { withFileTypes: true }))
      if (entry.isDirectory()) removeGroup(join(path, entry.name));
    rmdirSync(path);
    return true;
  } catch {
    return false; // Its processes are just ending: it is tried again.
  }
}

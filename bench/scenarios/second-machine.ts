import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { shell } from '../../test/enrol/kit.ts';
import { freePort } from '../../test/ports.ts';
import { rpc, superToken } from '../../test/process/server.ts';
import type { Figure, Scenario } from '../types.ts';

const root = resolve(import.meta.dirname, '../..');
/** Another machine would reach the server under another address than the server's own. */
const ADDRESS = '127.0.0.2';
const MOST_S = 180;

/** From `git clone` to a second machine in the list that the dashboard shows, by the commands of the guides, as they stand. */
export const secondMachine: Scenario = {
  name: 'second-machine',
  about: 'time from git clone to a second machine on the screen; npm fetches what the clone needs',
  async run() {
    if (process.platform !== 'linux') return [];
    const dir = mkdtempSync(join(tmpdir(), 'svc-bench-'));
    const [clone, machine] = [join(dir, 'clone'), join(dir, 'machine')];
    const figures: Figure[] = [];
    const step = async <T>(figure: string, run: () => Promise<T>): Promise<T> => {
      const begun = performance.now();
      const result = await run();
      const value = (performance.now() - begun) / 1000;
      figures.push({ scenario: 'second-machine', figure, value, unit: 's' });
      return result;
    };
    let server: Started | undefined;
    try {
      await step('git clone', () => done(`git clone -q file://${root} ${clone}`));
      const url = `http://${ADDRESS}:${await freePort()}`;
      server = await step('npm start, until it is ready', () => started(clone, url));
      const line = await step('svc-server enrol', () =>
        done(`cd ${clone} && npx svc-server enrol --name second`),
      );
      await step('the line on the other machine', () =>
        done(`${line.trim()} --prefix ${machine} --no-service`),
      );
      const { token } = server;
      await step('until it is in the list', () => listed(url, token));
    } finally {
      await shell(`sh ${machine}/install.sh --uninstall --prefix ${machine}`);
      if (server?.child.pid) process.kill(-server.child.pid, 'SIGTERM');
      await server?.closed;
      rmSync(dir, { recursive: true, force: true });
    }
    const value = figures.reduce((sum, one) => sum + one.value, 0);
    const total = { figure: 'all of it', value, unit: 's', goal: { most: MOST_S } };
    return [...figures, { scenario: 'second-machine', ...total }];
  },
};

async function done(line: string): Promise<string> {
  const { code, out, err } = await shell(line);
  if (code !== 0) throw new Error(`${line}: status ${code}\n${err}`);
  return out;
}

interface Started {
  readonly child: ChildProcess;
  /** The Super Token, which the first start prints. */
  readonly token: string;
  readonly closed: Promise<unknown>;
}

async function started(cwd: string, url: string): Promise<Started> {
  const listen = url.replace('http://', '');
  // A group of its own: npm, the server and the agent of this machine end together.
  const child = spawn('npm', ['start', '--', '--listen', listen], {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = new Promise((resolve) => child.on('close', resolve));
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk;
    });
  while (!said.includes(`svc is ready: ${url}`)) {
    if (child.exitCode !== null) throw new Error(`npm start ended:\n${said}`);
    await pause(20);
  }
  return { child, token: superToken(said), closed };
}

async function listed(url: string, token: string): Promise<void> {
  const isThere = ({ name, last_seen }: { name: string; last_seen: number | null }) =>
    name === 'second' && last_seen !== null;
  for (const end = performance.now() + MOST_S * 1000; ; ) {
    const { result, error } = await rpc(url, 'agent-uuid_list', { token });
    if (error) throw new Error(error.message);
    if (result.some(isThere)) return;
    if (performance.now() > end) throw new Error(`the machine did not come in ${MOST_S} s`);
    await pause(50);
  }
}

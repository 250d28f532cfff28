import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { killAtExit } from '../../test/process/server.ts';
import { type Probe, probe, startBench } from '../server.ts';
import type { Figure, Scenario } from '../types.ts';

const SIZE = 14 * 1024;
const CONNECTIONS = 32;
const NAME = 'static-files';

interface Side {
  readonly url: string;
  probe(command: 'read' | 'reset'): Promise<Probe>;
}

export interface Measured {
  readonly rate: number;
  readonly cpu_us: number;
}

/** A bucket file against a bare handler; measured three times, in turn, and the better one counts. */
export const staticFiles: Scenario = {
  name: NAME,
  about: `a ${SIZE / 1024} KB bucket file over ${CONNECTIONS} connections (wrk), against bare node:http`,
  async run() {
    if (!(await hasWrk())) {
      process.stderr.write(`${NAME}: skipped, wrk is not installed\n`);
      return [];
    }
    const bench = await startBench('sqlite');
    const url = await putFile(
      bench.socketUrl.replace('ws', 'http'),
      bench.token,
      bench.place.site.dir,
    );
    const bare = await startBare();
    const best = { file: { rate: 0, cpu_us: 0 }, bare: { rate: 0, cpu_us: 0 } };
    for (let turn = 0; turn < 3; turn++) {
      const file = await measure({ url, probe: bench.probe });
      const other = await measure(bare);
      if (file.rate > best.file.rate) best.file = file;
      if (other.rate > best.bare.rate) best.bare = other;
    }
    bare.stop();
    await bench.end();
    await bench.place.remove();
    return figures(best.file, best.bare);
  },
};

function figures(file: Measured, bare: Measured): Figure[] {
  const line = (figure: string, { rate, cpu_us }: Measured, note: string): Figure => {
    const cost = `${cpu_us.toFixed(1)} µs of server CPU a request${note}`;
    return { scenario: NAME, figure, value: rate, unit: '/s', note: cost };
  };
  return [
    line('bare handler', bare, ' (yardstick)'),
    line('bucket file', file, ''),
    {
      scenario: NAME,
      figure: 'bucket file of bare handler',
      value: (100 * file.rate) / bare.rate,
      unit: '%',
      goal: { least: 70 },
      note: `by CPU time: ${((100 * bare.cpu_us) / file.cpu_us).toFixed(0)} %`,
    },
  ];
}

/** @returns the URL of a new file in a new bucket */
async function putFile(url: string, token: string, dir: string): Promise<string> {
  const params = [token, 'bench', 'bench', false, false];
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'static-bucket_create', params }),
  });
  const { error } = (await response.json()) as { error?: { message: string } };
  if (error) throw new Error(error.message);
  await mkdir(join(dir, 'static', 'bench'), { recursive: true });
  await writeFile(join(dir, 'static', 'bench', 'app.js'), Buffer.alloc(SIZE, 'x'));
  return `${url}svc/static/bench/app.js`;
}

/** Requests per second, and CPU time of the server per request: wrk shares the cores. */
export async function measure(side: Side, headers: readonly string[] = []): Promise<Measured> {
  const more = headers.flatMap((header) => ['-H', header]);
  const args = ['-t1', `-c${CONNECTIONS}`, '-d4s', ...more, side.url];
  const before = await side.probe('reset');
  const { stdout } = await promisify(execFile)('wrk', args, { timeout: 60_000 });
  const { cpu_ms } = await side.probe('read');
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(stdout);
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
  const count = Number(/(\d+) requests in/.exec(stdout)?.[1]);
  return { rate, cpu_us: ((cpu_ms - before.cpu_ms) * 1000) / count };
}

export async function hasWrk(): Promise<boolean> {
  const child = spawn('wrk', ['--version'], { stdio: 'ignore' });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('close', () => resolve(true));
  });
}

async function startBare() {
  const folder = join(import.meta.dirname, '..');
  const args = ['--import', join(folder, 'probe.mjs'), join(folder, 'bytes.mjs'), String(SIZE)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  killAtExit(child);
  if (!child.stdout) throw new Error('no standard output');
  const [port] = await once(child.stdout, 'data', { signal: AbortSignal.timeout(10_000) });
  return {
    url: `http://127.0.0.1:${String(port).trim()}/`,
    probe: (command: 'read' | 'reset') => probe(child, command),
    stop: () => child.kill(),
  };
}

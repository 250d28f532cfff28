import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';

/** Result of one run of wrk. */
export interface Wrk {
  /** Requests per second. */
  readonly rate: number;
  readonly requests: number;
  readonly p99_ms: number;
}

/** Sends one GET again and again for 4 s over so many kept connections. @throws Error when an answer was no success */
export async function wrk(
  url: string,
  connections: number,
  headers: readonly string[] = [],
): Promise<Wrk> {
  const more = headers.flatMap((header) => ['-H', header]);
  const args = ['-t1', `-c${connections}`, '-d4s', '--latency', ...more, url];
  const { stdout } = await promisify(execFile)('wrk', args, { timeout: 60_000 });
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(stdout);
  const [, p99, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout) ?? [];
  return {
    rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    requests: Number(/(\d+) requests in/.exec(stdout)?.[1]),
    p99_ms: Number(p99) * { us: 0.001, ms: 1, s: 1_000 }[unit as 'us' | 'ms' | 's'],
  };
}

/** Tells whether wrk is installed. */
export async function hasWrk(): Promise<boolean> {
  const child = spawn('wrk', ['--version'], { stdio: 'ignore' });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('close', () => resolve(true));
  });
}

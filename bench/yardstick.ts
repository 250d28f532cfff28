import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { killAtExit } from '../test/process/server.ts';

/** A small server of this folder that does what a call needs at least. */
export interface Yardstick {
  readonly child: ChildProcess;
  readonly pid: number;
  /** `127.0.0.1:PORT` */
  readonly host: string;
  stop(): void;
}

/** Starts `NAME.mjs`, with the probe of the server in it. */
export async function startYardstick(name: string, ...args: string[]): Promise<Yardstick> {
  const file = (each: string) => join(import.meta.dirname, each);
  const command = ['--import', file('probe.mjs'), file(`${name}.mjs`), ...args];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  killAtExit(child);
  if (!child.stdout) throw new Error('no standard output');
  const [port] = await once(child.stdout, 'data', { signal: AbortSignal.timeout(10_000) });
  const host = `127.0.0.1:${String(port).trim()}`;
  return { child, pid: child.pid ?? 0, host, stop: () => void child.kill() };
}

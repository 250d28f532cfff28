import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';

/**
 * Room of a file system in bytes, as `df -B1` tells it. `used_space` is total − free. `available_space` is what a user
 * without privileges may take: with the blocks that are kept for root it is less than total − used.
 */
export interface Room {
  total_space: number;
  used_space: number;
  available_space: number;
}

const roomOf = (size: number, total: number, free: number, available: number): Room => ({
  total_space: size * total,
  used_space: size * Math.max(0, total - free),
  available_space: size * available,
});

/** Asks the kernel. On a mount that never answers this holds a thread of the pool, and with it the end of the process. */
export async function askKernel(path: string): Promise<Room> {
  const { bsize, blocks, bfree, bavail } = await statfs(path);
  return roomOf(bsize, blocks, bfree, bavail);
}

/** A question to a program: `room` rejects after a limit, `gone` resolves when the program has ended, maybe never. */
export interface Question {
  room: Promise<Room>;
  gone: Promise<void>;
}

/** Two ways to ask for the room of the file system at a path. */
export interface Asking {
  kernel(path: string): Promise<Room>;
  program(path: string, limit_ms: number): Question;
}

/** Asks through the program `stat`, which can be ended while its mount does not answer. Nothing of it keeps the agent. */
function askProgram(path: string, limit_ms: number): Question {
  const { promise: room, resolve, reject } = Promise.withResolvers<Room>();
  const options = {
    env: { ...process.env, LC_ALL: 'C' },
    killSignal: 'SIGKILL' as const,
    signal: AbortSignal.timeout(limit_ms),
  };
  // Size of a block, then blocks: all, free, and those that a user may take. GNU and busybox know these letters.
  const child = execFile('stat', ['-f', '-c', '%S %b %f %a', '--', path], options, (error, out) => {
    if (error?.name === 'AbortError') return reject(new Error('no answer'));
    if (error) return reject(new Error(reasonOf(error)));
    const [size = NaN, total = NaN, free = NaN, available = NaN] = out
      .trim()
      .split(' ')
      .map(Number);
    const found = roomOf(size, total, free, available);
    if (Number.isFinite(found.available_space)) resolve(found);
    else reject(new Error(`stat says ${out.slice(0, 80)}`));
  });
  const gone = new Promise<void>((done) => {
    child.once('exit', () => done());
    if (child.pid === undefined) done();
  });
  child.unref();
  for (const pipe of [child.stdout, child.stderr])
    (pipe as { unref?: () => void } | null)?.unref?.();
  return { room, gone };
}

/** The last words of `stat: cannot read file system information for '/x': Permission denied`. */
function reasonOf(error: Error): string {
  const [last = ''] = error.message.trim().split('\n').slice(-1);
  return last.slice(last.lastIndexOf(': ') + 2).slice(0, 200);
}

export const asking: Asking = { kernel: askKernel, program: askProgram };

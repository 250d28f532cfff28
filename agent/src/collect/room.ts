import type { ChildProcess, ExecFileException } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { Socket } from 'node:net';

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

// Size of a block, then blocks: all, free, and those that a user may take. GNU and busybox know these letters.
const WORDS = ['-f', '-c', '%S %b %f %a', '--'];

/** Programs that ask. On a dead mount they would outlive the agent. */
const running = new Set<ChildProcess>();

/** Ends the programs that still ask; for the end of the process. */
export function endQuestions(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Asks through the program `stat`, which can be ended while its mount does not answer. Nothing of it keeps the agent. */
function askProgram(path: string, limit_ms: number): Question {
  const { promise: room, resolve, reject } = Promise.withResolvers<Room>();
  const signal = AbortSignal.timeout(limit_ms);
  const options = { env: { ...process.env, LC_ALL: 'C' }, killSignal: 'SIGKILL' as const, signal };
  try {
    // Not imported: most machines have no mount that is asked so.
    const { execFile } = process.getBuiltinModule('node:child_process');
    const child = execFile('stat', [...WORDS, path], options, (error, text) => {
      const found = error ? undefined : parseRoom(text);
      if (found) resolve(found);
      else reject(new Error(error ? reasonOf(error) : `stat says ${text.slice(0, 80)}`));
    });
    const gone = new Promise<void>((done) => {
      if (child.pid === undefined) return done();
      running.add(child);
      child.once('exit', () => {
        running.delete(child);
        done();
      });
    });
    child.unref();
    for (const pipe of [child.stdout, child.stderr]) if (pipe instanceof Socket) pipe.unref();
    return { room, gone };
  } catch (error) {
    // Some refusals of a service manager (EPERM) are thrown at once.
    reject(new Error(reasonOf(error as ExecFileException)));
    return { room, gone: Promise.resolve() };
  }
}

/** Reads a room; undefined for a text that does not hold four numbers. */
function parseRoom(text: string): Room | undefined {
  const numbers = text.trim().split(' ').map(Number);
  const [size = NaN, total = NaN, free = NaN, available = NaN] = numbers;
  return numbers.every(Number.isFinite) && numbers.length === 4
    ? roomOf(size, total, free, available)
    : undefined;
}

/** Returns the reason why there is no answer; of a message like `stat: cannot read … '/x': Permission denied` the last words. */
function reasonOf({ name, message, code, syscall }: ExecFileException): string {
  if (name === 'AbortError') return 'no answer';
  if (syscall?.startsWith('spawn')) return `cannot run stat: ${code}`;
  const [last = ''] = message.trim().split('\n').slice(-1);
  return last.slice(last.lastIndexOf(': ') + 2).slice(0, 200);
}

export const asking: Asking = { kernel: askKernel, program: askProgram };

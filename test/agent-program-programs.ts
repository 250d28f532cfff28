/** What tests want to know about the programs that a task started (Linux). */
import { existsSync, readFileSync } from 'node:fs';
import { soon } from './agent-program-kit.ts';

/** Waits until a program has written such words into a file, and gives its text. */
export async function written(path: string, words = /./): Promise<string> {
  // What was looked at is what is given: the program may go on writing.
  const read = () => (existsSync(path) ? readFileSync(path, 'utf8') : '');
  let isOver = false;
  const look = async () => {
    let text = read();
    for (; !words.test(text) && !isOver; text = read()) {
      await new Promise((wake) => setTimeout(wake, 10));
    }
    return text;
  };
  return await soon(`${words} in ${path}`, look()).finally(() => {
    isOver = true;
  });
}

/** True while a program runs; one that has ended but not been waited for does not. */
export function isAlive(pid: string): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    // No such process any more.
    return false;
  }
}

/** Waits until a program has ended. */
export async function gone(pid: string): Promise<void> {
  let isOver = false;
  const wait = async () => {
    while (isAlive(pid) && !isOver) await new Promise((wake) => setTimeout(wake, 10));
  };
  await soon(`the end of ${pid}`, wait()).finally(() => {
    isOver = true;
  });
}

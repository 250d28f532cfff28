import type { Clock } from '@svc/plugin-sdk';

/** Runs `size` works at a time, in order of the calls. A work that takes longer than `longest_ms` gives its place to the next. */
export function createTurns(
  size: number,
  longest_ms: number,
  clock: Clock,
): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = size;
  const release = () => {
    const next = waiting.shift();
    if (next) next();
    else free++;
  };
  return async (work) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free--;
    let isReleased = false;
    const releaseOnce = () => {
      if (!isReleased) release();
      isReleased = true;
    };
    const cancel = clock.timeout(releaseOnce, longest_ms);
    try {
      return await work();
    } finally {
      cancel();
      releaseOnce();
    }
  };
}

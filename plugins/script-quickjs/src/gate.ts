/** Lets a bounded number of works through at a time; the others wait in order. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>;

export function gate(size: number): Gate {
  const waiting: (() => void)[] = [];
  let free = size;
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // Not at once: works that need no waiting would keep the event loop to themselves.
      if (next) setImmediate(next);
      else free++;
    }
  };
}

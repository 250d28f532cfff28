/** Runs the works of one key one after the other, those of different keys side by side. */
export function createQueues(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const tails = new Map<string, Promise<unknown>>();
  return (key, work) => {
    // A failure belongs to its own caller: the next work starts all the same.
    const turn = (tails.get(key) ?? Promise.resolve()).then(work, work);
    tails.set(key, turn);
    const leave = () => {
      if (tails.get(key) === turn) tails.delete(key);
    };
    turn.then(leave, leave);
    return turn;
  };
}

/** Listeners that are isolated from each other and from the caller. */
export function createListeners<T>(failed: (error: unknown) => void) {
  const listeners = new Set<(value: T) => void>();
  return {
    /** @returns removes the listener */
    add(listener: (value: T) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    call(value: T): void {
      for (const listener of listeners) {
        try {
          listener(value);
        } catch (error) {
          failed(error);
        }
      }
    },
  };
}

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

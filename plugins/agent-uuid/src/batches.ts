/** Does one work for many keys. */
export type BatchWork<T> = (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>;

interface Waiting<T> {
  readonly key: string;
  resolve(value: T): void;
  reject(error: unknown): void;
}

/**
 * Gathers the keys that arrive while one batch is being worked on into the next batch, at most `size` of them.
 * A key that the work leaves out of its result, and every key of a batch that fails, is rejected.
 */
export function createBatches<T>(size: number, work: BatchWork<T>): (key: string) => Promise<T> {
  const waiting: Waiting<T>[] = [];
  let running = false;

  const run = async (): Promise<void> => {
    running = true;
    for (let batch = waiting.splice(0, size); batch.length > 0; batch = waiting.splice(0, size)) {
      try {
        settle(batch, await work(batch.map(({ key }) => key)));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    running = false;
  };

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      // Keys that arrive in this turn of the event loop join the first batch.
      if (!running) {
        running = true;
        setImmediate(() => void run());
      }
    });
}

function settle<T>(batch: readonly Waiting<T>[], results: ReadonlyMap<string, T>): void {
  for (const { key, resolve, reject } of batch) {
    if (results.has(key)) resolve(results.get(key) as T);
    else reject(new Error(`no result for ${key}`));
  }
}

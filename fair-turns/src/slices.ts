const waiting: (() => void)[] = [];

/** Resolves in a turn of the event loop in which no other message is worked on: all messages share what they take of it. */
export function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(run);
  });
}

function run(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(run);
}

/** The result of work that stops between its slices. */
export async function inSlices<T>(work: Generator<undefined, T>): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await nextSlice();
  }
}

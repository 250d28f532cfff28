/** The source of time. Tests pass a clock of their own. All values are milliseconds. */
export interface Clock {
  /** Wall clock, Unix time. */
  now(): number;
  /** Monotonic time, for intervals. */
  steady(): number;
  /** Runs `run` once after `ms`. The label says what the timer is for. Returns a function that cancels it. */
  after(label: string, ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  // Not `performance`, which takes half a megabyte.
  steady: () => Number(process.hrtime.bigint()) / 1e6,
  after(_label, ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** The clock in the form that `@svc/checks` takes; the label is that of its timers. */
export const checkClock = (clock: Clock, label: string) => ({
  now: () => clock.now(),
  monotonic: () => clock.steady(),
  timeout: (run: () => void, ms: number) => clock.after(label, ms, run),
});

/** Waits `ms`, or until the signal aborts. */
export function sleep(clock: Clock, label: string, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(label, ms, done);
    signal.addEventListener('abort', done);
  });
}

/** The promise's value, or `undefined` when it takes longer than `ms`. */
export async function within<T>(
  clock: Clock,
  label: string,
  ms: number,
  work: Promise<T>,
): Promise<T | undefined> {
  let cancel = () => {};
  const late = new Promise<undefined>((resolve) => {
    cancel = clock.after(label, ms, () => resolve(undefined));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel();
  }
}

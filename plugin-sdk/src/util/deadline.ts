/** The result of `work`. @throws what `late` makes when it takes longer than `limit_ms` */
export async function inTime<T>(
  limit_ms: number,
  work: Promise<T>,
  late: () => Error = () => new Error(`no answer within ${limit_ms} ms`),
): Promise<T> {
  // A query runs at each `then`.
  const done = Promise.resolve(work);
  if (!(await within(limit_ms, done))) throw late();
  return done;
}

/** Waits for `work` to end but no longer than `limit_ms`. @returns false when the time was over first */
export async function within(limit_ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, limit_ms, false);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

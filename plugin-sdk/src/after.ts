/** What has a `then`, as `await` sees it. */
export const isLater = <T>(value: T | PromiseLike<T>): value is PromiseLike<T> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function';

/** `next` with the value: at once where it is here, as promises are a large part of what a call costs. */
export function after<T, R>(
  value: T | PromiseLike<T>,
  next: (value: T) => R | Promise<R>,
): R | Promise<R> {
  return isLater(value) ? Promise.resolve(value).then(next) : next(value);
}

/** Tells whether a value has a `then`, as `await` sees it. */
export const isLater = <T>(value: T | PromiseLike<T>): value is PromiseLike<T> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function';

/**
 * `next` with the value: at once where it is here, as promises are a large part of what a call costs.
 * `failed` gets what a value that came later was rejected with, not what `next` throws.
 */
export function after<T, R>(
  value: T | PromiseLike<T>,
  next: (value: T) => R | Promise<R>,
  failed?: (error: unknown) => R | Promise<R>,
): R | Promise<R> {
  return isLater(value) ? Promise.resolve(value).then(next, failed) : next(value);
}

/** Limits after which the caller stops waiting. */
export interface Limits {
  readonly signal?: AbortSignal | undefined;
  /** 0: no deadline. */
  readonly timeout_ms: number;
}

/**
 * Runs work until it is done, aborted, or late. Its signal tells the work of the end.
 * @throws the reason of the caller's signal, or a DOMException named `TimeoutError` with the text of `late`
 */
export async function limited<T>(
  { signal, timeout_ms }: Limits,
  late: () => string,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const control = new AbortController();
  const stop = () => control.abort(signal?.reason);
  const timer =
    timeout_ms > 0
      ? setTimeout(() => control.abort(new DOMException(late(), 'TimeoutError')), timeout_ms)
      : undefined;
  signal?.addEventListener('abort', stop);
  try {
    return await Promise.race([
      new Promise<never>((_, reject) => {
        control.signal.addEventListener('abort', () => reject(control.signal.reason));
      }),
      run(control.signal),
    ]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

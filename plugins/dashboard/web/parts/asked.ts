import { useEffect, useState } from 'preact/hooks';

/** Pause, ms, after the last key before the server is asked. */
export const TYPED_MS = 300;

export interface Found<T> {
  /** Key that was asked with. */
  readonly key?: string;
  readonly data?: T;
  readonly error?: unknown;
}

/** Asks the server a pause after `key` has changed, but not for undefined. Meanwhile the last answer stays, but no fault of another question. */
export function useAsked<T>(
  key: string | undefined,
  pause_ms: number,
  ask: () => Promise<T>,
): Found<T> {
  const [found, setFound] = useState<Found<T>>({});
  useEffect(() => {
    if (key === undefined) return;
    let isOver = false;
    const timer = setTimeout(() => {
      ask().then(
        (data) => !isOver && setFound({ key, data }),
        (error: unknown) => !isOver && setFound({ key, error }),
      );
    }, pause_ms);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [key]);
  return found.error !== undefined && found.key !== key ? {} : found;
}

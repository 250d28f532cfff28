import type { Clock } from '@svc/plugin-sdk';

/** Waits, at most until one of the signals aborts. @returns false when that ended it */
export function pause(clock: Clock, ms: number, signals: readonly AbortSignal[]): Promise<boolean> {
  if (signals.some(({ aborted }) => aborted)) return Promise.resolve(false);
  return new Promise((resolve) => {
    const settle = (whole: boolean) => {
      cancel();
      for (const signal of signals) signal.removeEventListener('abort', stop);
      resolve(whole);
    };
    const stop = () => settle(false);
    const cancel = clock.timeout(() => settle(true), ms);
    for (const signal of signals) signal.addEventListener('abort', stop, { once: true });
  });
}

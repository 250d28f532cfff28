import { setImmediate } from 'node:timers/promises';

/** Work of one slice, ms. */
const SLICE_MS = 4;

/** Called between two short pieces of work: leaves the event loop to others after each few milliseconds. */
export function pauses(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < SLICE_MS) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}

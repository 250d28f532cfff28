import { setImmediate } from 'node:timers/promises';

/** Time after which others have the main thread, ms. */
const TURN_MS = 4;

/** Does something with each item, and lets others have the main thread in between. */
export async function gently<T>(
  items: Iterable<T>,
  work: (item: T) => void | Promise<void>,
): Promise<void> {
  let begun = performance.now();
  for (const item of items) {
    const ends = work(item);
    if (ends) await ends;
    if (performance.now() - begun < TURN_MS) continue;
    await setImmediate();
    begun = performance.now();
  }
}

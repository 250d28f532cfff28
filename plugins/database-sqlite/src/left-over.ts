import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** After the busiest time of a start, and not at the moment of the main thread's own first collection. */
const AFTER_MS = 8_000;

type Collect = (options: { type: 'major'; execution: 'async'; flavor: 'last-resort' }) => unknown;

/**
 * Gives back what the start of this thread has left over, once: a quarter of its memory. By itself V8 would keep it for as
 * long as the thread makes little garbage, which for one that writes rows is for ever.
 */
export function collectLeftOver(): void {
  setTimeout(() => {
    setFlagsFromString('--expose-gc');
    const collect: Collect = runInNewContext('gc');
    // What runs in contexts to come finds no such function.
    setFlagsFromString('--no-expose-gc');
    collect({ type: 'major', execution: 'async', flavor: 'last-resort' });
  }, AFTER_MS).unref();
}

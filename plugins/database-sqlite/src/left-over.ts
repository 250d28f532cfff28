import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** V8's own: collections that code lives on without being called. */
const OLD_AGE = 6;
/** Delay until after the busiest time of a start, and not at the moment of the main thread's own first collection. */
const AFTER_MS = 8_000;

type Collect = (options: { type: 'major'; execution: 'async'; flavor: 'last-resort' }) => unknown;

/**
 * Gives back what the start of this thread has left over, once: a quarter of its memory. By itself V8 would keep it for as
 * long as the thread makes little garbage, which for one that writes rows is without end.
 */
export function collectLeftOver(): void {
  setTimeout(async () => {
    setFlagsFromString('--expose-gc');
    const collect: Collect = runInNewContext('gc');
    // What runs in contexts to come finds no such function.
    setFlagsFromString('--no-expose-gc');
    // Code that only a start calls goes, too.
    setFlagsFromString('--bytecode-old-age=1');
    await collect({ type: 'major', execution: 'async', flavor: 'last-resort' });
    setFlagsFromString(`--bytecode-old-age=${OLD_AGE}`);
  }, AFTER_MS).unref();
}

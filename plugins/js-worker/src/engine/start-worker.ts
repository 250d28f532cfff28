import { Worker, type WorkerOptions } from 'node:worker_threads';
import type { ThreadData } from './messages.ts';

/** MiB. A script's stack of 1 MiB needs that much of the host's in the worst case. */
const STACK_MB = 32;
const OLD_SPACE_MB = 256;
/** What a run leaves is short-lived: more room makes the thread larger, not faster. */
const YOUNG_SPACE_MB = 8;

/** Starts a thread for scripts. */
export const startScripts = (workerData: ThreadData): Worker =>
  startWorker('thread', {
    workerData,
    // Nothing of the server's environment, arguments or standard streams is within reach of the thread.
    env: {},
    argv: [],
    resourceLimits: {
      stackSizeMb: STACK_MB,
      maxOldGenerationSizeMb: OLD_SPACE_MB,
      maxYoungGenerationSizeMb: YOUNG_SPACE_MB,
    },
  });

/** Starts a module of this folder in a worker thread: a source when this is one, else what was built of it. */
const startWorker = (name: string, options: WorkerOptions): Worker =>
  new Worker(new URL(`./${name}${import.meta.url.slice(-3)}`, import.meta.url), options);

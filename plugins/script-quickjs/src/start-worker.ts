import type { Worker } from 'node:worker_threads';
import { startWorker } from '@svc/plugin-sdk/util';
import type { ThreadData } from './messages.ts';

/** MiB. A script's stack of 1 MiB needs that much of the host's in the worst case. */
const STACK_MB = 32;
const OLD_SPACE_MB = 256;
/** Size of the young generation: what a run leaves is short-lived, and more room makes the thread larger, not faster. */
const YOUNG_SPACE_MB = 8;

/** Starts a thread for scripts. */
export const startScripts = (workerData: ThreadData): Worker =>
  startWorker(import.meta.url, './thread/thread.ts', {
    workerData,
    name: 'scripts',
    // Nothing of the server's environment, arguments or standard streams is within reach of the thread.
    env: {},
    argv: [],
    resourceLimits: {
      stackSizeMb: STACK_MB,
      maxOldGenerationSizeMb: OLD_SPACE_MB,
      maxYoungGenerationSizeMb: YOUNG_SPACE_MB,
    },
  });

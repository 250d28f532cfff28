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

/** Starts a module of this folder in a worker thread. */
function startWorker(name: string, options: WorkerOptions): Worker {
  if (!import.meta.url.endsWith('.ts'))
    return new Worker(new URL(`./${name}.js`, import.meta.url), options);
  // Running from source: the loader of the main thread does not reach into workers, each one registers its own.
  const tsx = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const module = JSON.stringify(new URL(`./${name}.ts`, import.meta.url).href);
  const source = `import(${tsx}).then(({ register }) => { register(); return import(${module}); });`;
  return new Worker(source, { ...options, eval: true });
}

import type { Worker } from 'node:worker_threads';
import { startWorker } from '@svc/plugin-sdk/util';

/** Options of the writer's thread. */
export const WRITER = {
  entry: './writer-thread.ts',
  limits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 4 },
} as const;

let spare: Worker | undefined;

/**
 * Starts the writer's thread before anybody knows what it is to open: on a second core it is up when the plugins are
 * loaded. It does not keep the process alive. @returns ends it unless it was taken
 */
export function startAhead(): () => void {
  if (spare) return () => {};
  const worker = startWorker(import.meta.url, WRITER.entry, { resourceLimits: WRITER.limits });
  const forget = () => {
    if (spare === worker) spare = undefined;
  };
  // One that fails is not taken: the next one says why.
  worker.on('error', forget);
  worker.on('exit', forget);
  worker.unref();
  spare = worker;
  return () => {
    if (spare !== worker) return;
    forget();
    void worker.terminate();
  };
}

/** The thread that was started ahead, told what it is to work on; undefined where there is none. */
export function takeAhead(entry: string, data: object): Worker | undefined {
  if (entry !== WRITER.entry || !spare) return undefined;
  const worker = spare;
  spare = undefined;
  worker.removeAllListeners();
  worker.ref();
  worker.postMessage(data);
  return worker;
}

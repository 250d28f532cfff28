import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Starts a module of this folder in a worker thread: a source when this is one, else what was built of it. */
export const startWorker = (name: string, options: WorkerOptions): Worker =>
  new Worker(new URL(`./${name}${import.meta.url.slice(-3)}`, import.meta.url), options);

import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * Address of a module next to another one: the source when that one runs as source, else what was built of it.
 * `from` is the caller's `import.meta.url`, `module` the source's relative path with `.ts`.
 */
export const moduleBeside = (from: string, module: string): URL =>
  new URL(module.replace(/\.ts$/, from.endsWith('.ts') ? '.ts' : '.js'), from);

/**
 * Starts a module in a worker thread: `startWorker(import.meta.url, './thread.ts', options)`. Tools of the system show the
 * thread under the module's name.
 */
export const startWorker = (from: string, module: string, options: WorkerOptions): Worker =>
  new Worker(moduleBeside(from, module), { name: module.replace(/^.*\/|\.ts$/g, ''), ...options });

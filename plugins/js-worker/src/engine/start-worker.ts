import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Starts a module of this folder in a worker thread. */
export function startWorker(name: string, options: WorkerOptions): Worker {
  if (!import.meta.url.endsWith('.ts'))
    return new Worker(new URL(`./${name}.js`, import.meta.url), options);
  // Running from source: the loader of the main thread does not reach into workers, each one registers its own.
  const tsx = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const module = JSON.stringify(new URL(`./${name}.ts`, import.meta.url).href);
  const source = `import(${tsx}).then(({ register }) => { register(); return import(${module}); });`;
  return new Worker(source, { ...options, eval: true });
}

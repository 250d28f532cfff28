import { effective } from './limits.ts';
import type { Parts } from './parts.ts';
import { FILE } from './run/pool.ts';

/** Part of the pool that is filled before anybody asks. */
const SHARE = 0.5;

/** Makes the contexts of workers with a route: their first request does not wait for the compiler. */
export async function preload(parts: Parts): Promise<void> {
  const { engine, kernel, pool, warm, workers } = parts;
  const { config, log, signal } = kernel;
  const found = await workers.preloadable(Math.max(1, Math.floor(config.max_contexts * SHARE)));
  if (found.length === 0) return;
  warm();
  for (const worker of found) {
    if (worker.route_name === null || signal.aborted) continue;
    const row = await workers.script(worker);
    if (!row || row.update_at !== worker.update_at) continue;
    const { heap, stack } = effective(worker, config);
    try {
      const sandbox = await engine.load({
        script: row.script,
        file: FILE,
        heap,
        stack,
        worker: worker.name,
      });
      if (signal.aborted || pool.has(worker.id)) sandbox.dispose();
      else pool.adopt(worker, sandbox);
    } catch (error) {
      log.warn('a script worker could not be loaded in advance', { worker: worker.name, error });
    }
  }
}
